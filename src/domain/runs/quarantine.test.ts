import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { changesSinceBaseline, updatedLines, type BaselineLine, type BaselineRun } from './baseline.ts'
import { failuresOf } from './quarantine.ts'
import { settleRun, type EndedRun } from './retries.ts'

const trial = (fields: Partial<EvalIteration> & Record<string, unknown>): EvalIteration => ({
  id: 't',
  testCaseId: 'a',
  title: 'a',
  iterationNumber: 1,
  status: 'completed',
  result: 'failed',
  ...fields,
})

const unmet = (scorerId: string, rationale: string, definitionHash?: string) => {
  return { scorerId, status: 'scored', passed: false, rationale, ...(definitionHash && { definitionHash }) }
}
const LONG = 'long '.repeat(40)
const says = unmet('check-1-responseContains', 'expected "ok"; actual: "no 17"')
const crashed = { status: 'failed', result: null, startedAt: 1, trialClass: 'execution_failed' }

test.each([
  ['what came instead', { scores: [says] }, { scores: [{ ...says, rationale: 'expected "ok"; actual: "else"' }] }],
  [
    'the id of the case before a step',
    { scores: [unmet('case-1/s1', 'expected 1; actual: 2')] },
    { scores: [unmet('case-2/s1', 'expected 1; actual: 3')] },
  ],
  ['what came instead, without scores', { error: 'expected 3; actual: 4' }, { error: 'expected 3; actual: 5' }],
  [
    'the port and the time of an error',
    { error: 'no answer of :4001 at 2026-01-31T10:00:00Z' },
    { error: 'no answer of :4002 at 2026-02-01T11:30:00Z' },
  ],
  ['numbers and ids of an error', { error: 'no answer after 90 ms' }, { error: 'no answer after 1204 ms' }],
  ['the output of a program', { error: 'exited with code 1: a' }, { error: 'exited with code 1: b' }],
])('a failure has the same name whatever %s', (_, one, other) => {
  expect(failuresOf(trial(one))).toHaveLength(1)
  expect(failuresOf(trial(one))).toEqual(failuresOf(trial(other)))
})

test.each([
  ['another assertion', { scores: [says] }, { scores: [{ ...says, scorerId: 'check-2-responseContains' }] }],
  [
    'the same assertion, changed',
    { scores: [says] },
    { scores: [{ ...says, rationale: 'expected "yes"; actual: "" ' }] },
  ],
  [
    'an assertion whose words do not tell it from an edited one',
    { scores: [unmet('s1', 'Says nothing of refunds.', 'hash-1')] },
    { scores: [unmet('s1', 'Says nothing of refunds.', 'hash-2')] },
  ],
  ['another error', { error: 'connection refused' }, { error: 'no such tool' }],
  ['another status', { error: 'the server answered 503' }, { error: 'the server answered 401' }],
  ['another exit code', { ...crashed, error: 'exited with code 1' }, { ...crashed, error: 'exited with code 139' }],
  ['another expected number', { error: 'expected 3; actual: 4' }, { error: 'expected 9; actual: 4' }],
  ['a crash', { error: 'the server said no' }, { ...crashed, error: 'the server said no' }],
  ['a timeout', { ...crashed, error: 'x' }, { ...crashed, trialClass: 'timed_out', error: 'x' }],
])('%s is another failure', (_, one, other) => {
  expect(failuresOf(trial(one))).not.toEqual(failuresOf(trial(other)))
})

test('a trial that passed, was stopped or does not say exactly how it failed has no name of its failure', () => {
  const shortened = unmet('s1', `expected "${LONG}…"; actual: "no"`)
  const unclear = unmet('s1', 'Says nothing of refunds.')
  const silent = [{ scores: [shortened] }, { scores: [says, unclear] }]
  for (const fields of [{ result: 'passed' }, { status: 'cancelled', result: null }, {}, ...silent] as const)
    expect(failuresOf(trial(fields))).toEqual([])
})

/** A run of the case `a` and its reruns, each given by the fields of its only trial. */
function facts(...attempts: (Partial<EvalIteration> & Record<string, unknown>)[]): BaselineRun {
  const runs = attempts.map((fields, index): EndedRun => {
    const own = trial({ id: `t${index}`, ...fields })
    const run: EvalRun = { id: `r${index}`, suiteId: 's', createdAt: 1, status: 'completed', result: own.result }
    return { run, trials: [own] }
  })
  const [first, ...reruns] = runs as [EndedRun, ...EndedRun[]]
  const { run, trials } = settleRun(first, reruns)
  const suite = { name: 'Smoke', cases: [{ id: 'a', declaredId: 'a', title: 'a' }] }
  return { suite, run, trials, attempts: runs.flatMap(each => each.trials) }
}

const PASSED = { result: 'passed' } as const
const SAYS = { scores: [says] }
const OTHER = { scores: [says, unmet('check-2-noToolErrors', 'expected no error; actual: one')] }
const today = { since: '2026-01-31', reason: 'slow network' }

function quarantinedLines(...attempts: Parameters<typeof facts>): BaselineLine[] {
  const lines = updatedLines([], [facts(...attempts)], today)
  if (typeof lines === 'string') throw new Error(lines)
  return lines
}

test('a flaky case is quarantined for its failures, and only these are accepted from then on', () => {
  const lines = quarantinedLines(SAYS, PASSED)
  expect(lines).toEqual([
    {
      suite: 'Smoke',
      case: 'a',
      verdict: 'passed',
      quarantine: { ...today, failures: [expect.stringMatching(/^failed check-1-responseContains [\da-f]{12}$/)] },
    },
  ])
  const change = (...attempts: Parameters<typeof facts>) => {
    const changes = changesSinceBaseline(lines, facts(...attempts))
    return typeof changes === 'string' ? changes : changes[0]?.change
  }
  expect(change(SAYS)).toBe('quarantined')
  expect(change(SAYS, SAYS)).toBe('quarantined')
  expect(change(SAYS, PASSED)).toBe('passing')
  expect(change(OTHER)).toBe('new-failure')
  expect(change(SAYS, OTHER)).toBe('new-failure')
  expect(change({ error: 'else' })).toBe('new-failure')
  expect(change({})).toBe('new-failure')
  expect(change({ ...crashed, ...SAYS })).toBe('unknown')
})

test('an update keeps a quarantine, and adds a failure only with a reason', () => {
  const lines = quarantinedLines(SAYS, PASSED)
  expect(updatedLines(lines, [facts(SAYS)])).toEqual(lines)
  expect(updatedLines(lines, [facts(PASSED)])).toEqual(lines)
  expect(updatedLines(lines, [facts(OTHER, PASSED)])).toEqual(lines)
  expect(updatedLines(lines, [facts(SAYS, PASSED)], { since: '2026-02-01', reason: 'else' })).toEqual(lines)
  const more = updatedLines(lines, [facts(OTHER, PASSED)], { since: '2026-02-01', reason: 'else' })
  expect(more).toMatchObject([
    { quarantine: { since: '2026-02-01', reason: 'else', failures: [expect.any(String), expect.any(String)] } },
  ])
  expect(updatedLines(lines, [facts(OTHER)])).toMatchObject([{ verdict: 'failed' }])
  expect(updatedLines([], [facts({}, PASSED)], today)).toMatch(/"a" cannot be quarantined/)
})
