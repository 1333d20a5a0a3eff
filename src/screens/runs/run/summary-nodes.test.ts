import { expect, test } from 'vitest'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { EvalRun } from '../../../api/contract/runs.ts'
import { createTheme } from '../../../tui/theme/theme.ts'
import { AS_GIVEN, outline } from '../../../components/viewer/outline-tree.ts'
import { plainText } from '../../../components/viewer/source.ts'
import { factsOf } from './facts.ts'
import { emptyWords } from './diagnostics.tsx'
import { causeOfNode, summaryNodes, type SummaryInput } from './summary-nodes.ts'

const { symbols } = createTheme({ level: 0, ascii: true })

const run = (fields: Partial<EvalRun>): EvalRun => ({
  id: 'run_1',
  suiteId: 's',
  runNumber: 4,
  status: 'completed',
  createdAt: 1000,
  completedAt: 3000,
  ...fields,
})
const trial = (fields: Partial<EvalIteration>): EvalIteration => ({
  id: 't',
  iterationNumber: 1,
  status: 'completed',
  ...fields,
})

function textOf(input: Partial<SummaryInput> & { trials?: EvalIteration[] }): string {
  const { trials = [], ...rest } = input
  const whole: SummaryInput = {
    run: run({}),
    facts: factsOf(trials),
    isPartial: false,
    runs: [],
    share: 0,
    remaining: undefined,
    findings: [],
    flaky: [],
    ...rest,
  }
  const { entries } = outline(summaryNodes(whole, { symbols, width: 100, openKey: 'Enter', doctorKey: 'D' }), AS_GIVEN)
  return entries
    .flatMap(({ lines }) => Array.from({ length: lines.count }, (_, index) => plainText(lines.at(index))))
    .join('\n')
}

test('an inconclusive decision is not a verdict, and broken scores are named', () => {
  const counts = { total: 3, passed: 2, failed: 0, undecided: 1 }
  const decisionSummary = { decision: 'inconclusive', verdict: 'notEstablished', measurementUnit: 'trials', counts }
  const text = textOf({ run: run({ decisionSummary, scoreIntegrity: 'invalid' }) })
  expect(text).toMatch(/Decision +! inconclusive: a verdict was withheld/)
  expect(text).toMatch(/Verdict +not established, so there is none\n/)
  expect(text).toMatch(/Scores +! invalid: not reliable/)
  expect(text).toMatch(/Passed +2 of 2 graded trials \(100%\)/)
  expect(text).toMatch(/Not graded +1 of 3/)
})

test('the reasons of failures come before all counts but the decision, and the id of the run is folded', () => {
  const counts = { total: 2, passed: 1, failed: 1 }
  const decisionSummary = { decision: 'failed', verdict: 'failed', measurementUnit: 'trials', counts }
  const trials = [trial({ result: 'failed', error: 'no such city' }), trial({ id: 'u', result: 'passed' })]
  const text = textOf({ trials, run: run({ decisionSummary, scoreIntegrity: 'valid' }) })
  const places = ['Decision', 'Passed', 'no such city', 'Counts', 'Latency', 'Where it ran', 'Ids and other fields']
  const found = places.map(each => text.indexOf(each))
  expect(found).not.toContain(-1)
  expect(found).toEqual(found.toSorted((a, b) => a - b))
  expect(text).not.toContain('run_1')
})

test.each([
  [undefined, 'not verified by the service'],
  ['invalid', '! invalid: not reliable'],
])('a doubt about the scores (%s) is beside the verdict, before the reasons of failures', (scoreIntegrity, words) => {
  const decisionSummary = { decision: 'passed', verdict: 'passed', measurementUnit: 'trials' }
  const trials = [trial({ result: 'failed', error: 'no such city' })]
  const text = textOf({ trials, run: run({ decisionSummary, ...(scoreIntegrity && { scoreIntegrity }) }) })
  expect(text.indexOf(words)).toBeGreaterThan(-1)
  expect(text.indexOf(words)).toBeLessThan(text.indexOf('no such city'))
})

test('a verdict that differs from the decision is shown beside it', () => {
  const textWith = (decision: string, verdict: string) =>
    textOf({ run: run({ decisionSummary: { decision, verdict } }) })
  expect(textWith('failed', 'failed')).not.toContain('Verdict')
  expect(textWith('failed', 'passed')).toMatch(/Verdict +passed/)
})

test('the number of trials is shown beside the counts of a run if the two differ', () => {
  const counts = { total: 2, passed: 1, failed: 1 }
  const decisionSummary = { decision: 'failed', verdict: 'failed', measurementUnit: 'case_executions', counts }
  const results = ['passed', 'passed', 'failed'] as const
  const trials = results.map((result, index) => trial({ id: `t${index}`, result }))
  const text = textOf({ trials, run: run({ decisionSummary }) })
  expect(text).toMatch(/Passed +1 of 2 graded case executions \(50%\)\nTrials +3 in 2 case executions: 2 passed/)
  expect(textOf({ trials: trials.slice(1), run: run({ decisionSummary }) })).toMatch(
    /Counts[^]*Trials +1 passed, 1 failed/,
  )
  expect(textOf({ trials, isPartial: true, run: run({ decisionSummary }) })).not.toContain('3 in 2')
})

test('a verdict may be sent as an object', () => {
  const verdict = { kind: 'notEstablished', undecided: { reason: 'stopped_early' } }
  expect(textOf({ run: run({ decisionSummary: { verdict } }) })).toContain('(stopped early)')
  expect(textOf({ run: run({ decisionSummary: { verdict: { kind: 'passed' } } }) })).toMatch(/Verdict +passed/)
})

test('unknown values of a run are shown as unknown', () => {
  const text = textOf({})
  expect(text).toMatch(/Result +—/)
  expect(text).toMatch(/Passed +—/)
  expect(text).not.toContain('0%')
})

test('values that cover only a part of the trials name that part', () => {
  const trials = [
    trial({ durationMs: 100, model: 'm', tokensUsed: 10 }),
    trial({ id: 'u', durationMs: 300, model: 'm' }),
  ]
  const decisionSummary = { counts: { trials: { total: 1000 } } }
  const text = textOf({ trials, isPartial: true, run: run({ decisionSummary }) })
  expect(text).toContain('Latency of 2 trials (of 2 loaded of 1,000)')
  expect(text).toContain('Tokens: 10 in all, without 1 trial that reported none (of 2 loaded of 1,000)')
  expect(textOf({ trials, isPartial: true })).toContain('(of 2 loaded, there are more)')
})

test('a run in flight shows its progress and an estimate of its duration', () => {
  const trials = [trial({ result: 'passed' }), trial({ status: 'running' }), trial({ status: 'pending' })]
  const text = textOf({ trials, run: run({ status: 'running' }), share: 1 / 3, remaining: 95_000 })
  expect(text).toMatch(/^#+\.+ 1 of 3 trials, 1 running, about 2 min left\n/)
  expect(text).toMatch(/Trials +1 passed, 0 failed, 1 running, 1 waiting/)
})

test('a run that leaves out cases is not compared with whole ones', () => {
  const counts = { decisionSummary: { measurementUnit: 'trials', counts: { passed: 3, failed: 0 } } }
  const own = run({ ...counts, rerunOf: 'a' })
  const text = textOf({ run: own, runs: [own, run({ id: 'a', runNumber: 3, ...counts })] })
  expect(text).toContain('It leaves out cases, so it is not compared with the earlier runs.')
  expect(text).not.toContain('earlier run, ')
})

test('the diagnostics say of an ended run whether their list is complete, not that more failures may appear', () => {
  const wordsOf = (status: string, complete: boolean) =>
    emptyWords({ status, decisionSummary: { diagnostics: { complete, failures: [] } } } as never)?.why
  expect(wordsOf('completed', true)).toBe('Nothing went wrong in this run.')
  expect(wordsOf('completed', false)).toContain('does not say that its list is complete')
  expect(wordsOf('running', false)).toBe('Nothing went wrong so far.')
})

test('runs that count in another unit are not compared with this one', () => {
  const counted = (measurementUnit: string, passed: number, failed: number) => ({
    decisionSummary: { measurementUnit, counts: { passed, failed } },
  })
  const own = run(counted('trials', 3, 1))
  const runs = [
    own,
    run({ id: 'a', runNumber: 3, ...counted('trials', 4, 0) }),
    run({ id: 'b', runNumber: 2, ...counted('case_executions', 1, 1) }),
    run({ id: 'later', runNumber: 5, ...counted('trials', 4, 0) }),
    run({ id: 'live', runNumber: 1, status: 'running', ...counted('trials', 4, 0) }),
  ]
  const text = textOf({ run: own, runs })
  expect(text).toContain(
    'Of 1 earlier run, 1 did better, 0 as well, 0 worse. 1 run counted in another unit or left out cases.',
  )
  expect(text).not.toContain('#5')
  expect(text).not.toContain('#1 ')
  expect(text.indexOf('#2')).toBeLessThan(text.indexOf('#4'))
})

test('only the lines of a cause lead to its trials', () => {
  expect(causeOfNode('cause/server')).toBe('server')
  expect(causeOfNode('cause/toString')).toBeUndefined()
  expect(causeOfNode('latency')).toBeUndefined()
})

test('the servers that a run started are shown with version and program, without the secrets in it', () => {
  const session = { name: 'weather', startedAt: 1000, serverInfo: { name: 'w', version: '2.1' } }
  const text = textOf({
    run: run({
      startedServers: [
        { ...session, command: ['node', 'server.mjs', '--token', 'hunter2'] },
        { ...session, serverInfo: null, command: null, url: 'https://weather.example/mcp' },
      ],
    }),
  })
  expect(text).toMatch(
    /Server +weather, version 2\.1, started \d{4}-\d\d-\d\d \d\d:\d\d, node server\.mjs --token •+\n/,
  )
  expect(text).toMatch(/Server +weather, again \d{4}-\d\d-\d\d \d\d:\d\d, https:/)
  expect(text).not.toContain('hunter2')
})

test('a judge is named beside the verdict, with its threshold', () => {
  const cases = [{ caseKey: 'p1', score: 0.1, passed: false }]
  const judges = { goalCompletion: { status: 'completed', threshold: 0.7, cases } }
  const text = textOf({ run: run({ result: 'passed', judges }) })
  const words =
    /Result +[^\n]+\n[^]*?Goal completion +! 0 of 1 case reached the threshold of 0\.7; advice, the verdict stays\n/
  expect(text.slice(0, text.indexOf('Latency'))).toMatch(words)
})

test('passed cases without any check are named', () => {
  const trials = [trial({ title: 'Calls', result: 'passed', scores: [] }), trial({ result: 'passed', scores: null })]
  expect(textOf({ run: run({ result: 'passed' }), trials })).toMatch(/Checked +! not at all: Calls\n/)
  expect(textOf({ run: run({ result: 'passed' }), trials: trials.slice(1) })).not.toContain('Checked')
})

test('changes of tools are said to be new since a pass only if the earlier run passed', () => {
  const findings = ['echo: description changed']
  const base = (result: 'passed' | 'failed') => run({ id: 'run_0', runNumber: 3, result })
  expect(textOf({ findings, base: base('passed') })).toContain('Changed since the suite last passed')
  expect(textOf({ findings, base: base('failed') })).toContain('Changed since run #3, which did not pass')
})
