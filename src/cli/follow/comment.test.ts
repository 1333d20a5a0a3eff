import { marked } from 'marked'
import { expect, test } from 'vitest'
import type { EvalRun } from '../../api/contract/runs.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { commentMarkdown, COMMENT_START } from './comment.ts'
import { resultOf } from './final-report.ts'
import { summaryMarkdown, type NamedResult } from './summary.ts'

function named(suite: string, { id = 'r1', label = '' } = {}): NamedResult {
  const run = { id, suiteId: 's', status: 'completed', result: 'passed', createdAt: 0 } as EvalRun
  const followed = { kind: 'ended' as const, run, trials: [] }
  const name = label === '' ? suite : `${suite}: ${label}`
  return { name, suite, ...resultOf(label, followed, { gates: [], gatesOnly: false, comparison: undefined }) }
}

const markerOf = (results: readonly NamedResult[]) => commentMarkdown(results, {}, false).split('\n')[0]

test('a comment is the summary below a marker that is the same for later runs of the same suites', () => {
  const results = [named('Smoke'), named('Deep', { label: 'prod' })]
  const text = commentMarkdown(results, {}, false)
  expect(text).toBe(`<!-- mcpdeck Deep Smoke -->\n${summaryMarkdown(results, {}, false)}`)
  expect(text.startsWith(COMMENT_START)).toBe(true)
  expect(markerOf([named('Deep', { id: 'r2', label: 'stage' }), named('Smoke', { id: 'r3' })])).toBe(markerOf(results))
  expect(markerOf([named('Smoke')])).not.toBe(markerOf(results))
})

test('a secret in the name of a suite is left out of the marker', () => {
  const known = 'k3y of the service'
  expect(commentMarkdown([named(`Smoke ${known}`)], { known: [known] }, false)).toMatch(
    /^<!-- mcpdeck Smoke%20%5Bsecret%5D -->\n## Smoke \[secret\]: passed\n/,
  )
})

test('the name of a suite cannot end the marker', () => {
  const marker = markerOf([named('--> <img src=x onerror=alert(1)> \n --!> \uD800 - ü')])
  expect(marker).toMatch(/^<!-- mcpdeck [\w%.!~*'()]+ -->$/)
  expect(marked.parse(marker ?? '')).toBe(marker)
})

test('a comment that no service would take is cut, and says so', () => {
  const text = commentMarkdown(
    Array.from({ length: 900 }, (_, at) => named(`Suite ${at}`)),
    {},
    false,
  )
  expect(text).toHaveLength(BOUNDS.comment.most)
  expect(text).toMatch(/\n\nThe rest is left out: a comment cannot be longer\.\n$/)
})
