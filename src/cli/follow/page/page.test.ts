import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { EvalRun } from '../../../api/contract/runs.ts'
import type { ChangedCase } from '../../../domain/runs/changes.ts'
import { toComparison } from '../conclusion.ts'
import { BOUNDS } from '../../../lib/bounds.ts'
import type { GateResult } from '../../../domain/runs/gates.ts'
import { settleRun } from '../../../domain/runs/retries.ts'
import { resultOf } from '../final-report.ts'
import type { NamedResult } from '../summary.ts'
import type { PageData } from './data.ts'
import { keepForPage } from './kept.ts'
import { pageHtml } from './page.ts'

const trial = (fields: Partial<EvalIteration>): EvalIteration => ({
  id: 't',
  title: 'One',
  testCaseId: 'c1',
  iterationNumber: 1,
  status: 'completed',
  result: 'passed',
  ...fields,
})

const run = (fields: Partial<EvalRun> = {}): EvalRun => ({
  id: 'r1',
  suiteId: 's',
  status: 'completed',
  result: 'failed',
  createdAt: 0,
  completedAt: 1500,
  ...fields,
})

type Facts = Partial<NamedResult> & { trials?: EvalIteration[]; gates?: GateResult[] }

const resultWith = ({ trials = [], gates = [], ...fields }: Facts = {}): NamedResult => ({
  name: 'Smoke',
  ...resultOf('', { kind: 'ended', run: run(), trials }, { gates, gatesOnly: false, comparison: undefined }),
  ...fields,
})

const page = (results: readonly NamedResult[], known: string[] = []) =>
  pageHtml(results, { goesOn: false, own: { known }, now: 0 })

/** Returns what the script of the page reads. */
function dataOf(html: string): PageData {
  const [, json] = /<script type="application\/json" id="data">([^<]*)<\/script>/.exec(html) ?? []
  return JSON.parse(json ?? '') as PageData
}

const HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(1)> "\' &lt; \u202E\u0000\u001B[31m \u2028'

test('the policy of a page allows only its own script and style', () => {
  const html = page([resultWith({ trials: [trial({ title: HOSTILE })] })])
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(html) ?? []
  const digests = [...html.matchAll(/<(script|style)>(.*?)<\/\1>/gs)].map(([, tag, text = '']) => {
    return `${tag}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'`
  })
  expect(digests).toHaveLength(2)
  expect(html).toContain('prefers-color-scheme: dark')
  expect(policy.split('; ').toSorted()).toEqual(
    ["default-src 'none'", "base-uri 'none'", "form-action 'none'", ...digests].toSorted(),
  )
  expect(html.replaceAll(/<(script|style)[ >].*?<\/\1>/gs, '')).not.toMatch(/\bon\w+=|style=|src=|javascript:/)
})

test('no text can act as markup, and unprintable characters are shown', () => {
  const gate: GateResult = { gate: 'max-broken', wanted: 0, actual: 1, passed: false, says: HOSTILE }
  const call = { toolName: HOSTILE, arguments: { [HOSTILE]: HOSTILE }, result: { content: [{ text: HOSTILE }] } }
  const failed = trial({ title: HOSTILE, result: 'failed', error: HOSTILE, model: HOSTILE, actualToolCalls: [call] })
  const hostile = resultWith({ name: HOSTILE, gates: [gate], trials: [failed], unread: [HOSTILE] })
  const html = page([hostile])
  const plain = page([resultWith({ gates: [{ ...gate, says: 'x' }], trials: [{ ...failed }], unread: ['x'] })])
  const tags = (text: string) => text.match(/<\/?[a-z][\w-]*/gi)
  expect(tags(html)).toEqual(tags(plain))
  expect(html).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E]/)
  const [shown] = dataOf(html).trials
  expect(shown).toMatchObject({ why: expect.stringContaining('</script>'), actual: [{ name: dataOf(html).cases[0] }] })
  expect(shown?.why).toContain('<202E>␀␛[31m')
})

test('secrets are left out of every part of a page', () => {
  const known = 'k3y-of-the-service-itself'
  const said = `Authorization: Bearer abcdefgh12345678 for eva@example.test, ${known}`
  const calls = [{ toolName: said, arguments: { password: 'hunter2hunter2', said }, error: said }]
  const scores = [{ scorerId: said, status: 'scored', passed: false, rationale: said }]
  const failed = trial({ title: said, result: 'failed', error: said, actualToolCalls: calls, scores, model: said })
  const step = { stepId: said, stepIndex: 0, kind: 'assert', status: 'fail', reason: said, evidence: { said } }
  const span = { spanId: 'a', name: said, status: said, startedAt: 1, durationMs: 1 }
  const traces = new Map([['t', { document: { spans: [span] }, steps: [step] }]])
  const html = page([resultWith({ name: said, trials: [failed], unread: [said], traces })], [known])
  expect(dataOf(html).trials[0]).toMatchObject({ steps: [{ word: 'fail' }], spans: [{ ms: 1 }] })
  for (const secret of [known, 'abcdefgh12345678', 'hunter2hunter2', 'eva@example.test'])
    expect(html).not.toContain(secret)
})

test('a failed trial has its expected and actual calls, scores, steps and the bars of its trace', () => {
  const failed = trial({
    result: 'failed',
    error: 'got 41',
    expectedToolCalls: [{ toolName: 'add', arguments: { a: 1 } }],
    actualToolCalls: [
      { toolName: 'add', arguments: { a: 2 }, result: { content: [{ type: 'text', text: '41' }] }, startedAt: 5 },
      { toolName: 'sub', error: 'gone', startedAt: 7, durationMs: 2 },
    ],
    scores: [{ scorerId: 'judge', status: 'scored', passed: false, rationale: 'too small' }],
  })
  const { trials } = dataOf(page([resultWith({ trials: [failed] })]))
  expect(trials).toEqual([
    {
      id: 't',
      run: 0,
      case: 0,
      trial: 1,
      class: 'failed',
      why: 'got 41',
      expected: [{ name: 'add', text: '{\n  "a": 1\n}' }],
      actual: [
        { name: 'add', text: '{\n  "a": 2\n}\n→ 41' },
        { name: 'sub', text: '→ gone', word: 'error' },
      ],
      scores: [{ name: 'judge', word: 'failed', text: 'too small' }],
      spans: [{ name: 'sub', depth: 0, status: 'error', at: 0, ms: 2 }],
    },
  ])
  const steps = [{ stepId: 'ask', stepIndex: 0, kind: 'prompt', status: 'fail', reason: 'no answer' }] as const
  const spans = [
    { spanId: 'ask', name: 'prompt', startedAt: 100, durationMs: 9 },
    { spanId: 'x', name: 'everything/add', kind: 'toolCall', stepId: 'ask', startedAt: 104, durationMs: 3 },
  ]
  const traces = new Map([['t', { document: { spans }, steps }]])
  expect(dataOf(page([resultWith({ trials: [{ ...failed, actualToolCalls: [] }], traces })])).trials[0]).toMatchObject({
    isTraced: true,
    steps: [{ name: 'prompt ask', word: 'fail', text: 'no answer' }],
    spans: [
      { name: 'prompt ask', depth: 0, at: 0, ms: 9 },
      { name: 'everything/add', depth: 1, at: 4, ms: 3 },
    ],
  })
})

test('a chain of thousands of spans is drawn, those far below as if below nothing', () => {
  const spans = Array.from({ length: 10_000 }, (_, at) => {
    return { spanId: `s${at}`, name: `s${at}`, startedAt: at, durationMs: 1, ...(at > 0 && { parentId: `s${at - 1}` }) }
  })
  const traces = new Map([['t', { document: { spans }, steps: [] }]])
  const [shown] = dataOf(page([resultWith({ trials: [trial({ result: 'failed' })], traces })])).trials
  expect(shown?.spans?.slice(0, 2)).toMatchObject([{ depth: 0 }, { depth: 1 }])
})

test('a case that passed in a rerun is flaky, and none of those that did not pass', () => {
  const trials = ['c1', 'c2'].map(id => trial({ id, testCaseId: id, title: `Case ${id}`, result: 'failed' }))
  const again = { run: run({ id: 'r2' }), trials: [trial({ testCaseId: 'c1' })] }
  const settled = settleRun({ run: run(), trials }, [again])
  const html = page([resultWith({ trials, retried: { attempts: [], settled } })])
  expect(dataOf(html).trials).toMatchObject([{ id: 'c1', class: 'failed', flaky: 'r2' }, { id: 'c2' }])
  expect(dataOf(html).trials[1]).not.toHaveProperty('flaky')
  expect(/<noscript><h3>Did not pass.*?<\/noscript>/.exec(html)?.[0].match(/Case c\d/g)).toEqual(['Case c2'])
})

test('a page without trials says why there are none', () => {
  const refused = { kind: 'refused', error: new Error('The key was refused.'), trials: [] } as const
  const html = page([
    resultWith({ name: 'Run r1', ...resultOf('', refused, { gates: [], gatesOnly: false, comparison: undefined }) }),
  ])
  expect(html).toContain('<h2>Run r1: <strong>no verdict</strong></h2>')
  expect(html).toContain('The key was refused.')
  expect(html).toContain('The end of the run; this page has 0 trials of it.')
  expect(dataOf(html)).toMatchObject({ trials: [], cases: [], leftOut: 0, runs: [{ isWhole: false }] })
  expect(dataOf(page([]))).toMatchObject({ runs: [] })
})

test('a page holds thousands of trials of several runs, those first that need attention', () => {
  const trials = Array.from({ length: 5000 }, (_, at) =>
    trial({
      id: `t${at}`,
      testCaseId: `c${at % 1000}`,
      title: `Case ${at % 1000}`,
      iterationNumber: 1 + Math.floor(at / 1000),
      durationMs: at,
      ...(at % 100 === 99 && { result: 'failed', error: `got ${at}` }),
    }),
  )
  const html = page([resultWith({ trials }), resultWith({ name: 'Again', trials: trials.slice(0, 1000) })])
  const data = dataOf(html)
  expect(data.trials).toHaveLength(6000)
  expect(data.runs).toEqual(['Smoke', 'Again'].map(name => ({ name, isWhole: true })))
  expect(data.cases).toHaveLength(1000)
  expect(data.trials.findLastIndex(each => each.class === 'failed')).toBe(59)
  expect(html.length).toBeLessThan(1_000_000)
})

test('a call whose result is an error is drawn as one, listed or in a trace, of any trial', () => {
  const call = { toolName: 'add', result: { isError: true, content: [] }, startedAt: 1, durationMs: 2 }
  const error = { name: 'add', status: 'error' }
  const failed = trial({ result: 'failed', actualToolCalls: [call] })
  const shown = (each: EvalIteration, fields: Facts = {}) =>
    dataOf(page([resultWith({ ...fields, trials: [each] })])).trials[0]
  expect(shown(failed)).toMatchObject({ actual: [{ name: 'add', word: 'error' }], spans: [error] })
  expect(shown(keepForPage()(failed))).toMatchObject({ actual: [{ name: 'add', word: 'error' }], spans: [error] })
  expect(shown(keepForPage()(trial({ actualToolCalls: [call] })))).toMatchObject({ spans: [error] })
  const spans = [{ name: 'add', kind: 'toolCall', status: 'ok', startedAt: 1, durationMs: 2 }]
  const traceWith = (document: object) => ({ traces: new Map([['t', { document, steps: [] }]]) })
  expect(shown(failed, traceWith({ spans }))).toMatchObject({ spans: [error] })
  expect(shown(failed, traceWith({}))).toMatchObject({ spans: [error] })
})

test('a list that a page cuts ends with how many more it has', () => {
  const { most } = BOUNDS.pageParts
  const calls = Array.from({ length: most + 3 }, (_, at) => ({ toolName: 'add', startedAt: at, durationMs: 1 }))
  const scores = calls.map(() => ({ scorerId: 'judge', status: 'scored', passed: false }))
  const failed = trial({ result: 'failed', expectedToolCalls: calls, actualToolCalls: calls, scores })
  const steps = calls.map((_, at) => ({ stepId: `s${at}`, stepIndex: at, kind: 'prompt', status: 'fail' }))
  const traces = new Map([['t', { document: { spans: calls, toolCalls: [] }, steps }]])
  const shown = (each: EvalIteration, fields: Facts = {}) =>
    dataOf(page([resultWith({ ...fields, trials: [each] })])).trials[0]!
  for (const each of [failed, keepForPage()(failed)]) {
    const { expected, actual, scores: graded, spans, moreSpans } = shown(each)
    for (const list of [expected, actual, graded]) {
      expect(list).toHaveLength(most + 1)
      expect(list?.at(-1)).toEqual({ name: '… 3 more', text: '' })
    }
    expect([spans?.length, moreSpans]).toEqual([most, 3])
  }
  expect(shown(keepForPage()(trial({ actualToolCalls: calls })))).toMatchObject({ moreSpans: 3 })
  const traced = shown(failed, { traces })
  expect(traced).toMatchObject({ moreSpans: 3 })
  expect(traced.steps?.at(-1)).toEqual({ name: '… 3 more', text: '' })
})

test('a page says of which trials it leaves the calls out', () => {
  const keep = keepForPage()
  const failed = (id: string) => trial({ id, result: 'failed', actualToolCalls: [{ toolName: 'add' }] })
  const trials = Array.from({ length: BOUNDS.pageDetails.most + 1 }, (_, at) => keep(failed(`t${at}`)))
  const shown = dataOf(page([resultWith({ trials })])).trials
  expect(shown.at(-1)).toMatchObject({ callsLeftOut: true })
  expect(shown.at(-1)).not.toHaveProperty('actual')
  expect(shown.filter(each => each.callsLeftOut)).toHaveLength(1)
})

test('what a page cannot hold is counted', () => {
  const { most } = BOUNDS.pageTrials
  const trials = Array.from({ length: most + 3 }, (_, at) => trial({ id: `t${at}`, testCaseId: 'c' }))
  const html = page([resultWith({ trials: [...trials, trial({ id: 'bad', result: 'failed', error: 'got 41' })] })])
  expect(dataOf(html)).toMatchObject({ leftOut: 4, runs: [{ isWhole: false }] })
  expect(dataOf(html).trials[0]).toMatchObject({ id: 'bad' })
  expect(html).toContain('4 trials more than this page can hold')
})

test('changes that a page cannot hold are counted', () => {
  const { most } = BOUNDS.pageTrials
  const cases = Array.from({ length: most + 1 }, (_, at) => {
    return { title: `c${at}`, change: 'new-failure', before: 'passed' } as ChangedCase
  })
  const comparison = toComparison('r0', cases, { name: 'run #1', passed: true, isNamed: true, differs: [] })
  const followed = { kind: 'ended' as const, run: run(), trials: [] }
  const html = page([resultWith({ ...resultOf('', followed, { gates: [], gatesOnly: false, comparison }) })])
  expect(dataOf(html)).toMatchObject({ changesLeftOut: 1, leftOut: 0 })
  expect(html).toContain('1 change more than this page can hold.')
})

test('of each trial only what a page shows is kept, and calls only of the first that did not pass', () => {
  const long = 'what a server returned '.repeat(5000)
  const call = { toolName: 'echo', arguments: { a: 1 }, result: { content: [{ type: 'text', text: long }] } }
  const failed = (id: string) => trial({ id, result: 'failed', actualToolCalls: [{ ...call, startedAt: 1 }] })
  const keep = keepForPage()
  const kept = Array.from({ length: BOUNDS.pageDetails.most + 1 }, (_, at) => keep(failed(`t${at}`)))
  const sizes = kept.map(each => JSON.stringify(each).length)
  expect(sizes[0]).toBeGreaterThan(BOUNDS.pageText.most)
  expect(sizes[0]).toBeLessThan(long.length)
  expect(sizes.at(-1)).toBeLessThan(300)
  expect(keep(failed('t0'))).toEqual(kept[0])
  const passed = keep(trial({ actualToolCalls: [{ ...call, startedAt: 1, durationMs: 2 }] }))
  expect(passed.actualToolCalls).toEqual([{ toolName: 'echo', startedAt: 1, durationMs: 2 }])
  const { actual } = dataOf(page([resultWith({ trials: [kept[0]!] })])).trials[0]!
  expect(actual?.[0]?.text).toMatch(/→ what a server .* \(cut here\)$/s)
})
