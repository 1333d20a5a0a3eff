import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import type { Conclusion } from '../../src/cli/follow/conclusion.ts'
import type { Ending } from '../service/harness.ts'
import { hangingUp, refusing, trial } from './runs-double.ts'
import { openStage } from './stage.ts'

type Outcome = 'passed' | 'failed' | 'crashed' | 'absent'
type Outcomes = Record<string, Outcome>

const ENDS = {
  passed: { result: 'passed' },
  failed: { result: 'failed', error: 'expected 3; actual: 4' },
  crashed: { result: null, status: 'failed', startedAt: 1, trialClass: 'execution_failed', error: 'exited' },
} as const

/**
 * A suite whose run has the first outcomes and whose reruns have the next ones. As in the contract, a rerun takes the
 * cases of its source that did not pass.
 */
async function openRetries(ending: Ending, ...history: Outcomes[]) {
  const { home, service } = await openStage(ending)
  service.suites = [{ id: 's1', name: 'Smoke', environment: { servers: ['everything'] } }]
  const titles = Object.keys(history[0] ?? {})
  const items = titles.map(title => ({ id: title, declaredId: title, title, steps: [] }))
  service.answers['GET /projects/p1/eval-suites/s1/cases'] = () => ({ body: { items } })
  const launched: string[] = []
  const launch = (outcomes: Outcomes, fields: object = {}): string => {
    const id = `r${launched.length}`
    launched.push(id)
    const trials = Object.entries(outcomes).flatMap(([title, outcome]) =>
      outcome === 'absent' ? [] : [trial(`${id}${title}`, { testCaseId: title, title, ...ENDS[outcome] })],
    )
    const kinds = Object.values(outcomes)
    const result = kinds.includes('failed') ? 'failed' : kinds.includes('crashed') ? null : 'passed'
    service.put(id, { status: 'completed', result, createdAt: Date.now(), completedAt: Date.now(), ...fields })
    service.answers[`GET /projects/p1/eval-runs/${id}/iterations`] = () => ({ body: { items: trials } })
    const selected = titles.filter(title => (outcomes[title] ?? 'passed') !== 'passed')
    service.answers[`GET /projects/p1/eval-runs/${id}/rerun-preview`] = () => ({
      body: {
        runId: id,
        suiteId: 's1',
        scope: 'failed_cases',
        sourceStatus: 'completed',
        sourceTerminal: true,
        totalCaseCount: titles.length,
        selectedCaseCount: selected.length,
        selectedCaseIds: selected,
        reasons: {},
        excluded: {},
        rerunnable: selected.length > 0,
      },
    })
    service.answers[`POST /projects/p1/eval-runs/${id}/rerun`] = () => {
      const next = history[launched.length] ?? {}
      const chosen = Object.fromEntries(Object.entries(next).filter(([title]) => selected.includes(title)))
      return { status: 202, body: { runId: launch(chosen, { rerunOf: id }) } }
    }
    return id
  }
  service.answers['POST /projects/p1/eval-runs'] = () => {
    const id = launch(history[0] ?? {})
    return { status: 202, body: { runId: id, suiteId: 's1', status: 'pending' } }
  }
  const run = (...args: string[]) => home.run(['run', 'Smoke', '--yes', '--watch', ...args], { env: service.env })
  return {
    home,
    service,
    launched,
    run,
    async concluded(...args: string[]) {
      const { code, stdout, stderr } = await run('--json', ...args)
      const end = JSON.parse(stdout) as Conclusion
      expect(end.exitCode).toBe(code)
      return { code, stderr, end }
    },
  }
}

const RERUN = 'POST /projects/p1/eval-runs/r0/rerun'

test.concurrent('a case that passes in a rerun is flaky, and the run passes unless a gate limits that', async ending => {
  const stage = await openRetries(ending, { a: 'passed', b: 'failed' }, { b: 'passed' })
  const { home, run } = stage
  const [junit, summary] = [join(home.home, 'report.xml'), join(home.home, 'summary.md')]
  const { code, stdout } = await run('--retries', '2', '--junit', junit, '--summary', summary)
  expect(code).toBe(0)
  for (const told of [stdout, readFileSync(summary, 'utf8')]) {
    expect(told).toContain('rerun r1 of the failed cases: passed')
    expect(told).toContain('flaky: b, passed in r1, else: expected 3; actual: 4')
    expect(told).toContain('Passed after a rerun: 1 flaky case.')
  }
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' })
  const { testsuites } = parser.parse(readFileSync(junit, 'utf8')) as { testsuites: { testsuite: object } }
  expect(testsuites.testsuite).toMatchObject({
    tests: '2',
    failures: '0',
    errors: '0',
    skipped: '0',
    testcase: [{ name: 'a' }, { name: 'b', flakyFailure: { message: 'expected 3; actual: 4', type: 'case' } }],
  })
  expect(readFileSync(junit, 'utf8')).toMatch(/<flakyFailure [^>]*type="case"[^>]*>\s*<stackTrace>[^<]*trial: r0b/)
})

test.concurrent('--max-flaky counts the cases that passed only in a rerun', async ending => {
  for (const [most, exitCode] of [
    ['2', 0],
    ['1', 1],
  ] as const) {
    const { concluded } = await openRetries(ending, { a: 'failed', b: 'crashed' }, { a: 'passed', b: 'passed' })
    const { end } = await concluded('--retries', '1', '--max-flaky', most)
    expect(end).toMatchObject({
      exitCode,
      verdict: 'failed',
      because: exitCode === 0 ? 'reruns_passed' : 'gate',
      flaky: [
        { title: 'a', runId: 'r1' },
        { title: 'b', runId: 'r1', why: 'exited' },
      ],
      reruns: [{ runId: 'r1', outcome: 'passed', why: null }],
      gates: [
        { gate: 'min-graded', passed: true },
        { gate: 'max-flaky', actual: 2, passed: exitCode === 0 },
      ],
    })
  }
})

test.concurrent('reruns go on with the cases that still fail, as often as allowed', async ending => {
  const stage = await openRetries(ending, { a: 'failed', b: 'failed' }, { a: 'passed', b: 'failed' }, { b: 'passed' })
  const { end } = await stage.concluded('--retries', '3')
  expect(end).toMatchObject({
    exitCode: 0,
    flaky: [
      { title: 'a', runId: 'r1' },
      { title: 'b', runId: 'r2' },
    ],
    reruns: [
      { runId: 'r1', outcome: 'failed' },
      { runId: 'r2', outcome: 'passed' },
    ],
  })
  expect(stage.launched).toEqual(['r0', 'r1', 'r2'])
  const short = await openRetries(ending, { a: 'failed', b: 'failed' }, { a: 'passed', b: 'failed' }, { b: 'passed' })
  expect(await short.concluded('--retries', '1')).toMatchObject({
    code: 1,
    end: { because: 'failed', flaky: [{ title: 'a' }], reruns: [{ runId: 'r1' }] },
  })
  expect(short.launched).toEqual(['r0', 'r1'])
})

test.concurrent('a run that passed is not run again', async ending => {
  const { concluded, launched } = await openRetries(ending, { a: 'passed' })
  const { end } = await concluded('--retries', '2', '--max-flaky', '0')
  expect(end).toMatchObject({ exitCode: 0, because: 'passed', flaky: [], reruns: [] })
  expect(launched).toEqual(['r0'])
})

const FAILED = { a: 'passed', b: 'failed' } as const

test.concurrent('a case whose rerun is refused stays failed, and the number of flaky cases is unknown', async ending => {
  const { service, concluded } = await openRetries(ending, FAILED, { b: 'passed' })
  const refuse = refusing(409, 'CONFLICT')
  service.fault = (response, path) => path === RERUN && refuse(response, path)
  const { end } = await concluded('--retries', '2', '--max-flaky', '1')
  expect(end).toMatchObject({
    exitCode: 1,
    flaky: [],
    reruns: [{ runId: null, why: expect.stringContaining('no: CONFLICT') }],
    gates: [{}, { passed: null, says: expect.stringContaining('a rerun does not count') }],
  })
})

test.concurrent('a rerun whose answer is lost is in doubt in the journal, and its cases stay failed', async ending => {
  const { home, service, concluded } = await openRetries(ending, FAILED, { b: 'passed' })
  service.fault = (response, path) => path === RERUN && hangingUp(response, path)
  expect(await concluded('--retries', '2')).toMatchObject({ code: 1, end: { flaky: [], reruns: [{ runId: null }] } })
  expect((await home.run(['journal'], { env: service.env })).stdout).toContain('r0')
})

test.concurrent('a rerun of another run does not count', async ending => {
  const { service, concluded } = await openRetries(ending, FAILED, { b: 'passed' })
  service.onAnswered = path => {
    if (path === RERUN) service.put('r1', { rerunOf: 'r9' })
  }
  expect(await concluded('--retries', '2')).toMatchObject({
    code: 1,
    end: { flaky: [], reruns: [{ runId: 'r1', outcome: null, why: 'it is not known to repeat this run' }] },
  })
})

test.concurrent.for(['absent', 'crashed'] as const)(
  'a case that is %s in its rerun stays failed',
  async (again, ending) => {
    const { concluded } = await openRetries(ending, FAILED, { b: again })
    expect(await concluded('--retries', '1')).toMatchObject({ code: 1, end: { flaky: [], reruns: [{ runId: 'r1' }] } })
  },
)

test.concurrent('a rerun whose answer was lost counts if the service shows that it repeats the run', async ending => {
  const { service, launched, concluded } = await openRetries(ending, { a: 'failed' }, { a: 'passed' })
  service.fault = (response, path) => {
    if (path !== RERUN) return false
    service.answers[RERUN]?.({}, {} as IncomingMessage)
    return hangingUp(response, path)
  }
  expect(await concluded('--retries', '1')).toMatchObject({ code: 0, end: { flaky: [{ title: 'a', runId: 'r1' }] } })
  expect(launched).toEqual(['r0', 'r1'])
})

test.concurrent('a run is not a success while its rerun is in flight: the time limit gives no verdict', async ending => {
  const open = async () => {
    const stage = await openRetries(ending, { a: 'failed' }, { a: 'passed' })
    stage.service.onAnswered = path => {
      if (path === RERUN) stage.service.put('r1', { status: 'running', result: null })
    }
    return stage
  }
  const json = await open()
  const { code, end } = await json.concluded('--retries', '1', '--timeout', '3s')
  expect({ code, because: end.because, flaky: end.flaky }).toEqual({ code: 3, because: 'timed_out', flaky: [] })
  expect(end.reruns).toMatchObject([{ runId: 'r1', outcome: null }])
  const text = await open()
  const { stdout, stderr } = await text.run('--retries', '1', '--timeout', '3s', '--max-flaky', '1')
  expect(stderr).toContain('No verdict within the time given; its rerun r1 continues.')
  expect(stdout).toContain('gate max-flaky: not known, its reruns have not ended')
})

test.concurrent('a time limit also stops a look at what would run again', async ending => {
  const { service, launched, concluded } = await openRetries(ending, { a: 'failed' }, { a: 'passed' })
  // A fault that answers nothing leaves the request open.
  service.fault = (_response, path) => path === 'GET /projects/p1/eval-runs/r0/rerun-preview'
  expect(await concluded('--retries', '1', '--timeout', '3s')).toMatchObject({ code: 3, end: { because: 'timed_out' } })
  expect(launched).toEqual(['r0'])
})

test.concurrent('a run that is a success, or cannot become one, runs no case again', async ending => {
  const success = await openRetries(ending, { a: 'passed', b: 'failed' }, { b: 'passed' })
  success.service.onAnswered = path => {
    if (path === 'POST /projects/p1/eval-runs') success.service.put('r0', { status: 'completed', result: 'passed' })
  }
  expect(await success.concluded('--retries', '2', '--max-flaky', '0')).toMatchObject({ code: 0, end: { reruns: [] } })
  expect(success.launched).toEqual(['r0'])
  const slow = await openRetries(ending, { a: 'failed' }, { a: 'passed' })
  expect(await slow.concluded('--retries', '2', '--max-latency', '1ms')).toMatchObject({ code: 1, end: { reruns: [] } })
  expect(slow.launched).toEqual(['r0'])
})

test.concurrent('a case that failed runs again before gates about reruns decide alone', async ending => {
  const limited = await openRetries(ending, FAILED, { b: 'passed' })
  expect(await limited.concluded('--retries', '2', '--max-flaky', '0', '--gates-only')).toMatchObject({
    code: 1,
    end: { because: 'gate', flaky: [{ title: 'b' }], reruns: [{ runId: 'r1' }] },
  })
  const kept = await openRetries(ending, FAILED, { b: 'passed' })
  const file = join(kept.home.home, 'baseline.json')
  const update = ['--baseline', file, '--update-baseline', '--quarantine', 'slow net']
  expect(await kept.concluded('--retries', '2', ...update, '--gates-only')).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toContain('slow net')
})

test.concurrent('nothing is asked of the service once every case passed in a rerun', async ending => {
  const { service, concluded } = await openRetries(ending, { a: 'failed' }, { a: 'passed' })
  service.answers['GET /projects/p1/eval-runs/r1/rerun-preview'] = () => ({ status: 500, body: { message: 'no' } })
  const { code, end } = await concluded('--retries', '2', '--max-flaky', '1')
  expect({ code, reruns: end.reruns.length }).toEqual({ code: 0, reruns: 1 })
})

test.concurrent('a case that was to run and has no trial is not forgiven by reruns of others', async ending => {
  const { concluded } = await openRetries(ending, { a: 'failed', b: 'absent' }, { a: 'passed', b: 'absent' })
  expect(await concluded('--retries', '1')).toMatchObject({ code: 1, end: { flaky: [{ title: 'a' }] } })
})

test.concurrent('retries are refused without the end of the run, and --max-flaky without retries', async ending => {
  const { home, service, run } = await openRetries(ending, { a: 'passed' })
  const refused = await home.run(['run', 'Smoke', '--yes', '--retries', '1'], { env: service.env })
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--retries needs the end of the run') })
  expect(await run('--max-flaky', '1')).toMatchObject({ code: 2, stderr: expect.stringContaining('is for --retries') })
})
