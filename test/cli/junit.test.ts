import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import type { EvalIteration } from '../../src/api/contract/iterations.ts'
import type { EvalRun } from '../../src/api/contract/runs.ts'
import type { GateResult } from '../../src/domain/runs/gates.ts'
import { conclude } from '../../src/cli/follow/conclusion.ts'
import { printFinalReport } from '../../src/cli/follow/final-report.ts'
import { junitXml } from '../../src/cli/follow/junit.ts'
import { createReporter } from '../../src/cli/follow/reporter.ts'
import type { Output } from '../../src/cli/output/output.ts'

const trial = (fields: Partial<EvalIteration>): EvalIteration => ({
  id: 't',
  title: 'One',
  testCaseId: 'c1',
  iterationNumber: 1,
  status: 'completed',
  result: 'passed',
  ...fields,
})

/** The report of a run according to its own decision. */
const reportOf = (name: string, run: EvalRun, trials: EvalIteration[], gates: GateResult[] = []) =>
  junitXml([{ name, run, trials, gates, exitCode: conclude({ kind: 'ended', run, trials }, judging(gates)).exitCode }])

const judging = (gates: GateResult[]) => ({ gates, gatesOnly: gates.length > 0, comparison: undefined })

test('the report and the summary line hide every secret that the summary hides', async () => {
  const known = 'k3y-of-the-service-itself'
  const run: EvalRun = {
    id: 'run_9f8e7d6c5b4a39281706',
    suiteId: 's',
    status: 'completed',
    result: 'failed',
    createdAt: 0,
  }
  const said = `Authorization: Bearer abcdefgh12345678 for eva@example.test in /home/eva/secrets, ${known}`
  const trials = [trial({ id: 'trial_0a1b2c3d4e5f60718293', result: 'failed', error: said })]
  const texts = { known: [known], homes: ['/home/eva'] }
  const judgement = judging([{ gate: 'max-broken', wanted: 0, actual: 1, passed: false, says: said }])
  const conclusion = conclude({ kind: 'ended', run, trials }, judgement)
  const xml = junitXml([{ name: said, run, trials, gates: judgement.gates, exitCode: conclusion.exitCode }], texts)
  const printed: string[] = []
  const output = { write: async (text: string) => void printed.push(text), closed: false } as unknown as Output
  const options = { output, unknown: '-', goesOn: false, runGroupId: undefined, texts }
  const result = { label: said, followed: { kind: 'ended' as const, run, trials }, conclusion }
  for (const mode of ['json', 'jsonl'] as const) await printFinalReport([result, result], { ...options, mode })
  const reporter = createReporter({ mode: 'jsonl', output, inPlace: false, texts })
  reporter.onEvent('', { event: 'retrying', failures: 2, error: new Error(said), at: 0 } as never)
  for (const text of [xml, ...printed]) {
    for (const secret of [known, 'abcdefgh12345678', 'eva@example.test', '/home/eva'])
      expect(text).not.toContain(secret)
  }
  expect(printed).toHaveLength(3)
  expect(xml).toContain(run.id)
  expect(printed.slice(0, 2).join()).toContain(run.id)
  expect(xml).toContain('[secret]')
})

test('a secret at the point where a long text is cut is left out completely', () => {
  const known = 'correct-horse-battery-staple-words'
  const run: EvalRun = { id: 'r1', suiteId: 's', status: 'completed', result: 'failed', createdAt: 0 }
  const trials = [trial({ result: 'failed', error: `${'x '.repeat(9985)}${known}${' and more'.repeat(9)}` })]
  const xml = junitXml([{ name: 'Smoke', run, trials, gates: [], exitCode: 1 }], { known: [known] })
  expect(xml).toContain('x x')
  expect(xml).not.toContain('correct')
  expect(/message="([^"]*)"/.exec(xml)?.[1]).toHaveLength(20_000)
})

test('each trial is a testcase, and only a measured failure is reported as a failure', () => {
  const xml = reportOf(
    'Smoke v1.2',
    { id: 'r1', suiteId: 's', status: 'completed', result: 'failed', createdAt: 0, completedAt: 1500 },
    [
      trial({ durationMs: 250 }),
      trial({ iterationNumber: 2, result: 'failed', error: 'a <b> & "c" ]]> \u0000\u001B[31m \uD800 end\nsecond' }),
      trial({ testCaseId: 'c2', title: 'Grader', status: 'failed', result: null, trialClass: 'evaluator_error' }),
      trial({ testCaseId: 'c3', title: 'Limit', status: 'failed', result: null, error: '429 Too Many Requests' }),
      trial({ testCaseId: 'c4', title: 'Setup', status: 'failed', result: null, trialClass: 'setup_failed' }),
      trial({ testCaseId: 'c5', title: 'Stopped', status: 'cancelled', result: null }),
      trial({ testCaseId: 'c6', title: 'Waiting', status: 'pending', result: null }),
    ],
  )
  expect(XMLValidator.validate(xml)).toBe(true)
  expect(xml).not.toMatch(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/)
  expect(xml.isWellFormed()).toBe(true)
  const { testsuites } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(xml) as {
    testsuites: { testsuite: Record<string, unknown> & { testcase: Record<string, unknown>[] } }
  }
  expect(testsuites).toMatchObject({ tests: '7', failures: '1', errors: '3', skipped: '2' })
  const { testsuite } = testsuites
  expect(testsuite).toMatchObject({ name: 'Smoke v1.2', time: '1.500', timestamp: '1970-01-01T00:00:00' })
  expect(testsuite.testcase.map(({ name }) => name)).toEqual([
    'One (trial 1 of 2)',
    'One (trial 2 of 2)',
    'Grader',
    'Limit',
    'Setup',
    'Stopped',
    'Waiting',
  ])
  const [passed, failed, grader, limit, setup, stopped, waiting] = testsuite.testcase
  expect(passed).toEqual({ classname: 'Smoke v1_2', name: 'One (trial 1 of 2)', time: '0.250' })
  expect(failed).toMatchObject({
    failure: { type: 'case', message: 'a <b> & "c" ]]> \uFFFD\uFFFD[31m \uFFFD end second' },
  })
  expect(grader).toMatchObject({ error: { type: 'grader' } })
  expect(limit).toMatchObject({ error: { type: 'throttling' } })
  expect(setup).toMatchObject({ error: { type: 'environment' } })
  expect(stopped).toMatchObject({ skipped: { message: 'cancelled' } })
  expect(waiting).toMatchObject({ skipped: { message: 'pending' } })
})

test('an empty run has no failures', () => {
  expect(XMLValidator.validate(junitXml([]))).toBe(true)
})

test('trials of one case on two models are testcases with two names, each counted within its variant', () => {
  const on = (model: string, iterationNumber: number) => trial({ id: model, model, iterationNumber })
  const xml = reportOf('Smoke', { id: 'r1', suiteId: 's', status: 'completed', result: 'passed', createdAt: 0 }, [
    on('small', 1),
    on('small', 2),
    on('large', 1),
  ])
  const names = [...xml.matchAll(/<testcase [^>]*name="([^"]*)"/g)].map(([, name]) => name)
  expect(names).toEqual(['One (small) (trial 1 of 2)', 'One (small) (trial 2 of 2)', 'One (large)'])
})

test.each([
  [{ status: 'cancelled' }, 'error', 'cancelled'],
  [{ status: 'completed', result: null }, 'error', 'undecided'],
  [{ status: 'completed', decisionSummary: { decision: 'inconclusive' } }, 'error', 'inconclusive'],
  [{ status: 'completed', result: 'failed' }, 'failure', 'failed'],
  [{ status: 'running' }, 'error', 'in-flight'],
  [{ status: 'completed', result: 'passed' }, undefined, 'passed'],
])('the report of a run that is %j does not pass, whatever its trials are', (fields, kind, outcome) => {
  const run = { id: 'r1', suiteId: 's', createdAt: 0, ...fields }
  const xml = reportOf('Smoke', run, [trial({}), trial({ status: 'cancelled', result: null })])
  expect(/<(failure|error) type="([^"]*)"/.exec(xml)?.slice(1)).toEqual(kind && [kind, outcome])
  expect(xml).toContain(`name="outcome" value="${outcome}${outcome === 'passed' ? ', 1 of 2 trials graded' : ''}"`)
})

test('a failed assertion that quotes a limit is reported as a failure like any other', () => {
  const texts = ['The text "Echo: invoice 429" does not contain "paid".', 'The text "our rate limit" does not.']
  const trials = texts.map((error, index) => trial({ testCaseId: `c${index}`, title: error, result: 'failed', error }))
  const run = { id: 'r1', suiteId: 's', status: 'completed', result: 'failed', createdAt: 0 } as const
  const xml = reportOf('Texts', run, trials)
  expect(xml).toContain('<testsuites name="mcpdeck" tests="2" failures="2" errors="0"')
  expect(xml).not.toContain('throttling')
})

test('two cases with the same title have different names', () => {
  const twins = ['one', 'two'].map(testCaseId => trial({ testCaseId, title: 'Same title' }))
  const run = { id: 'r1', suiteId: 's', status: 'completed', result: 'passed', createdAt: 0 } as const
  const names = [...reportOf('Twins', run, twins).matchAll(/<testcase [^>]*\bname="([^"]*)"/g)]
  expect(names.map(([, name]) => name)).toEqual(['Same title (one)', 'Same title (two)'])
})

test('trials that a threshold or gates allow to fail are skipped, with the reason', () => {
  const trials = [trial({}), trial({ testCaseId: 'c2', title: 'Two', result: 'failed', error: 'It says no.' })]
  const run = { id: 'r1', suiteId: 's', status: 'completed', result: 'passed', createdAt: 0 } as const
  const gate = (passed: boolean | null): GateResult => ({
    gate: 'min-pass-rate',
    wanted: 0.5,
    actual: 0.5,
    passed,
    says: '50% passed',
  })
  const counts = (xml: string) => /tests="\d" failures="\d" errors="\d" skipped="\d"/.exec(xml)?.[0]
  const green = 'tests="2" failures="0" errors="0" skipped="1"'
  const met = reportOf('Smoke', run, trials)
  expect(counts(met)).toBe(green)
  expect(met).toContain('<skipped message="Did not pass, which the run allows: It says no."')
  expect(met).toContain('trial: t</system-out>')
  expect(counts(reportOf('Smoke', { ...run, result: 'failed' }, trials, [gate(true)]))).toBe(green)
  const missed = reportOf('Smoke', run, [trial({})], [gate(false)])
  expect(counts(missed)).toBe('tests="2" failures="1" errors="0" skipped="0"')
  expect(missed).toMatch(/name="gate min-pass-rate">\s*<failure type="gate" message="50% passed"/)
  expect(counts(reportOf('Smoke', run, [trial({})], [gate(null)]))).toContain('failures="0" errors="1"')
})

test('trials that cannot be told apart are no reruns of each other', () => {
  const trials = ['a', 'b'].map(id => trial({ id, testCaseId: null, title: null, result: 'failed', error: 'no' }))
  const run = { id: 'r1', suiteId: 's', status: 'completed', result: 'failed', createdAt: 0 } as const
  expect(reportOf('Nameless', run, trials)).not.toContain('rerunFailure')
})
