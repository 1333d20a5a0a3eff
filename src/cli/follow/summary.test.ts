import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { marked } from 'marked'
import { expect, onTestFinished, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { resultOf } from './final-report.ts'
import type { Followed } from './follow-run.ts'
import { openSummary, summaryMarkdown, type NamedResult } from './summary.ts'

const trial = (fields: Partial<EvalIteration>): EvalIteration => ({
  id: 't',
  title: 'One',
  testCaseId: 'c1',
  iterationNumber: 1,
  status: 'completed',
  result: 'passed',
  ...fields,
})
const ended = (fields: Partial<EvalRun>, trials: EvalIteration[] = []): Followed => ({
  kind: 'ended',
  run: { id: 'run_01k2m3n4p5q6r7s8t9v0w1x2y3', suiteId: 's', status: 'completed', runNumber: 4, ...fields } as EvalRun,
  trials,
})
const named = (name: string, followed: Followed): NamedResult => ({
  name,
  ...resultOf('', followed, { gates: [], gatesOnly: false, comparison: undefined }),
})

test('the summary gives the verdict, the counts and the failures of each run', () => {
  const trials = [trial({}), trial({ testCaseId: 'c2', title: 'Two', result: 'failed', error: 'got 41' })]
  const text = summaryMarkdown(
    [
      named('Smoke', ended({ result: 'failed' }, trials)),
      named('Smoke: prod', ended({ result: 'passed' }, [trial({})])),
      named('Run r3', { kind: 'timed_out', trials: [] }),
    ],
    {},
    true,
  )
  expect(text).toBe(`## Smoke: failed

Failed.

- run #4 (run\\_01k2m3n4p5q6r7s8t9v0w1x2y3): 2 trials, 1 passed, 1 failed (50% of the graded passed)
- did not pass:
  - Two, trial 1: got 41 \\[case\\]

## Smoke: prod: passed

Passed.

- run #4 (run\\_01k2m3n4p5q6r7s8t9v0w1x2y3): 1 trial, 1 passed, 0 failed (100% of the graded passed)

## Run r3: no verdict

No verdict within the time given.
`)
})

test('a secret that the longest line would cut is left out whole', () => {
  const known = 'correct-horse-battery-staple-words'
  const trials = [trial({ result: 'failed', error: `${'x '.repeat(485)}${known} and more` })]
  const text = summaryMarkdown([named('Smoke', ended({ result: 'failed' }, trials))], { known: [known] }, false)
  expect(text).toContain('x x')
  expect(text).not.toContain('correct')
})

test('no name or reason can act as markup, and secrets and very long texts are left out', () => {
  const hostile = [
    '# Passed',
    '<img src=x onerror=alert(1)> ![x](https://evil.example/p.png) [in](javascript:1) `c` **b** | a | b |',
    '\n\n## Smoke: passed\n- &#x202e;&lt;b&gt; \u001B[31m \u202E',
  ]
  const trials = hostile.map((title, at) =>
    trial({
      id: `t${at}`,
      testCaseId: `c${at}`,
      title,
      result: 'failed',
      error: `Bearer abcdefgh1234 ${'x'.repeat(9000)}`,
    }),
  )
  const text = summaryMarkdown([named(hostile.join(' '), ended({ result: 'failed' }, trials))], {}, false)
  // A plain address may be rendered as a link, since it shows where it leads.
  const html = (marked.parse(text) as string).replaceAll(/<a href="([^"]*)">\1<\/a>/g, '$1')
  expect([...html.matchAll(/<(\w+)/g)].map(([, tag]) => tag)).toEqual([
    'h2',
    'p',
    'ul',
    'li',
    'li',
    'ul',
    'li',
    'li',
    'li',
  ])
  expect(html).toContain('&amp;#x202e;&amp;lt;b&amp;gt;')
  expect(text).not.toMatch(/[\u0000-\u0009\u001B\u202E]|abcdefgh1234/)
  expect(text.match(/^#/gm)).toHaveLength(1)
  expect(text.length).toBeLessThan(9000)
})

test('a summary is appended to a file, and the command does nothing if it cannot be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-summary-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'summary.md')
  const add = openSummary(file)
  expect(readdirSync(folder)).toEqual([])
  const results = [named('Smoke', ended({ result: 'passed' }))]
  add(results, false, {})
  const once = readFileSync(file, 'utf8')
  expect(once).toMatch(/^## Smoke: passed\n/)
  writeFileSync(file, 'theirs')
  openSummary(file)(results, false, {})
  expect(readFileSync(file, 'utf8')).toBe(`theirs\n\n${once}`)
  mkdirSync(join(folder, 'directory'))
  for (const wrong of ['directory', 'missing/summary.md'])
    expect(() => openSummary(join(folder, wrong))).toThrow(/^The summary .* cannot be written: /)
})

test('the summary names the programs that the run started, with their versions and without secrets', () => {
  const started = { name: 'weather', startedAt: 0, serverInfo: { version: '2.1' }, url: null }
  const command = ['node', 'server.mjs', '--token', 'hunter2hunter2']
  const run = ended({ result: 'passed', startedServers: [{ ...started, command }] })
  const text = summaryMarkdown([named('Smoke', run)], {}, false)
  expect(text).toMatch(/\n- started:\n {2}- weather: version 2\.1, started \d{4}-\d\d-\d\d \d\d:\d\d, node server\.mjs/)
  expect(text).not.toContain('hunter2')
})

test('the summary gives how long the run and its trials took, their tokens, and the page of the run', () => {
  const trials = [10, 20, 400].map((durationMs, at) =>
    trial({ id: `t${at}`, durationMs, tokensUsed: 1000, model: 'm', iterationNumber: at + 1 }),
  )
  const run = ended({ result: 'passed', createdAt: 0, completedAt: 12_300 }, trials)
  const page = 'https://app.example/runs/run_1_a'
  const text = summaryMarkdown([{ ...named('Smoke', run), page }], {}, false)
  expect(text).toContain(
    '\n- took 12s; a trial p50 20ms, p95 400ms; 3,000 tokens\n- page: <https://app.example/runs/run_1_a>\n',
  )
  expect(marked.parse(text)).toContain(`href="${page}"`)
  const unknown = [...trials, trial({ id: 't9', model: 'm', startedAt: 0 })]
  expect(summaryMarkdown([named('Smoke', ended({ result: 'passed' }, unknown))], {}, false)).not.toContain('token')
})
