import { marked } from 'marked'
import { expect, test } from 'vitest'
import type { EvalRun } from '../../api/contract/runs.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { commentMarkdown, COMMENT_START } from './comment.ts'
import { resultOf } from './final-report.ts'
import { summaryMarkdown, type NamedResult } from './summary.ts'

function named(name: string, fields: Partial<NamedResult> = {}): NamedResult {
  const run = { id: 'r1', suiteId: 's', status: 'completed', result: 'passed', createdAt: 0 } as EvalRun
  const followed = { kind: 'ended' as const, run, trials: [] }
  return { name, ...resultOf('', followed, { gates: [], gatesOnly: false, comparison: undefined }), ...fields }
}

const comment = (results: readonly NamedResult[], file = 'out/comment.md') =>
  commentMarkdown(results, { own: {}, goesOn: false, file })
const markerOf = (...of: Parameters<typeof comment>) => comment(...of).split('\n')[0]

test('a comment is the summary below a marker that is the same whatever was read', () => {
  const results = [named('Smoke'), named('Deep')]
  const text = comment(results)
  expect(text).toBe(`<!-- mcpdeck comment.md -->\n${summaryMarkdown(results, {}, false)}`)
  expect(text.startsWith(COMMENT_START)).toBe(true)
  expect(markerOf([], '/elsewhere/comment.md')).toBe(markerOf(results))
  expect(markerOf(results, 'other.md')).not.toBe(markerOf(results))
})

test('neither the name of the file can end the marker, nor the name of a suite hide the verdict', () => {
  const marker = markerOf([], '--> <img src=x onerror=alert(1)> \n --!> \uD800 - ü')
  expect(marker).toMatch(/^<!-- mcpdeck [\w%.!~*'()]+ -->$/)
  expect(marked.parse(marker ?? '')).toBe(marker)
  expect(comment([named('n'.repeat(BOUNDS.comment.most))])).toContain(': passed\n')
})

test('foreign texts mention nobody and refer to nothing, and the address of the run stays', () => {
  const text = comment([named('@everyone #12 a/b#3 # 4 C#', { page: 'https://x.test/@me#7' })])
  expect(text).toContain('- page: <https://x.test/@me#7>\n')
  const shown = (marked.parse(text.replace(/- page: .*/, '')) as string).replaceAll(/<!--.*?-->/g, '|')
  expect(shown).toContain('<h2>@|everyone #|12 a/b#|3 # 4 C#: passed</h2>')
})

test('a comment refers to no request by its other names, and has no address as a link', () => {
  const text = comment([named('GH-7 !8 $9 https://github.com/o/r/issues/9 www.x.test')])
  expect(marked.parse(text)).not.toContain('<a ')
  expect(text).not.toMatch(/GH-7|!8|\$9|:\/\/|www\./)
})

test('a comment that no service would take is cut, and says so', () => {
  const text = comment(Array.from({ length: 900 }, (_, at) => named(`Suite ${at}`)))
  expect(text).toHaveLength(BOUNDS.comment.most)
  expect(text).toMatch(/\n\nThe rest is left out: a comment cannot be longer\.\n$/)
  const mentions = comment(Array.from({ length: 900 }, () => named('@'.repeat(40))))
  expect(mentions.replaceAll('<!-- -->', '')).not.toMatch(/<!?-*[ -]*\n/)
})
