import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import { followRun } from '../../src/cli/follow/follow-run.ts'
import { openTerminal } from '../pty/terminal.ts'
import { until } from '../service/harness.ts'
import { asHtml, hangingUp, redirecting, refusing, trial, type RunsDouble } from './runs-double.ts'
import { openStage } from './stage.ts'
import { DEADLINE_MS } from '../../src/api/client/transport/transport.ts'

// The tests that wait longest start first.
describe.concurrent('a connection that is lost while watching', () => {
  test.for<[string, number, NonNullable<RunsDouble['fault']>]>([
    ['connections that break', 4, hangingUp],
    // A page is not requested again at once.
    ['a page of a proxy', 2, asHtml],
    ['a proxy that sends elsewhere', 2, redirecting],
    ['errors of the service', 4, refusing(503, 'INTERNAL_ERROR')],
  ])('%s: is reported once, and the command continues and ends with the verdict', async ([, times, fault], ending) => {
    const { service, watch } = await openStage(ending)
    service.put('r1', { status: 'running' })
    let faults = 0
    service.onAnswered = path => {
      if (path.endsWith('/iterations')) {
        service.put('r1', { status: 'completed', result: 'passed' })
        service.fault = (response, request) => {
          faults += 1
          if (faults === times) service.fault = undefined
          return fault(response, request)
        }
        service.onAnswered = undefined
      }
    }
    const { code, stdout, stderr } = await watch('r1', '--jsonl')
    expect(code).toBe(0)
    const events = stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { event: string }).event)
    expect(events[0]).toBe('changed')
    expect(events).toContain('retrying')
    expect(events.slice(-3)).toEqual(['answered', 'changed', 'ended'])
    expect(stderr.match(/The run continues/g)).toHaveLength(1)
    expect(stderr).toContain('The service answers again.')
  })

  test.for([
    ['the list of projects', '/projects'],
    // These requests are sent after the run was read, and before its trials are.
    ['the run', '/capabilities'],
  ])('after only %s was answered is waited for as well', async ([, last], ending) => {
    const { service, watch } = await openStage(ending)
    service.put('r1', { status: 'completed', result: 'passed' })
    let faults = 0
    service.onAnswered = path => {
      if (!path.endsWith(last!)) return
      service.onAnswered = undefined
      service.fault = (response, request) => {
        faults += 1
        if (faults === 4) service.fault = undefined
        return hangingUp(response, request)
      }
    }
    const { code, stderr } = await watch('r1')
    expect(stderr).toContain('The service answers again.')
    expect(code).toBe(0)
  })

  // The time is up at once here instead of after seconds in which a busy machine may make no progress. The test of a
  // run that takes longer shows that the exit code is 3.
  test('for longer than the given time ends the command, with what was read', async ending => {
    const { service } = await openStage(ending)
    service.put('r1', { status: 'running' })
    service.onAnswered = path => {
      if (path.endsWith('/iterations')) service.fault = hangingUp
    }
    const http = createHttpFetch()
    ending.onTestFinished(() => http.close())
    const { MCPDECK_BASE_URL: baseUrl, MCPDECK_API_KEY: key } = service.env
    const budget = createBudget({ unlimited: true })
    const client = createClient({ fetch: http.fetch, baseUrl, key, budget })
    const timeout = new AbortController()
    const events: string[] = []
    const followed = await followRun(
      client,
      { projectId: 'p1', runId: 'r1' },
      {
        interrupt: new AbortController().signal,
        timeout: timeout.signal,
        onEvent: ({ event }) => {
          events.push(event)
          if (event === 'retrying') timeout.abort()
        },
      },
    )
    expect(events).toEqual(['changed', 'retrying'])
    expect(followed).toMatchObject({ kind: 'timed_out', run: { status: 'running' } })
    expect(followed.trials).toHaveLength(2)
  })

  test('that ends with a refusal ends the command, with what was read', async ending => {
    const { service, conclusionOf } = await openStage(ending)
    service.put('r1', { status: 'running' })
    service.onAnswered = path => {
      if (path.endsWith('/iterations')) service.fault = refusing(403, 'FORBIDDEN')
    }
    expect(await conclusionOf('r1')).toMatchObject({
      code: 3,
      end: { because: 'refused', run: { status: 'running' }, counts: { total: 2 } },
    })
  })

  test('a 429 is waited for as long as it says', async ending => {
    const { service, watch } = await openStage(ending)
    service.put('r1', { status: 'completed', result: 'passed' })
    const asked: number[] = []
    service.fault = (response, path) => {
      asked.push(Date.now())
      return asked.length < 2 && refusing(429, 'RATE_LIMITED', { 'retry-after': '1' })(response, path)
    }
    expect(await watch('r1')).toMatchObject({ code: 0 })
    expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(1000)
  })
})

describe.concurrent('watch ends with the exit code for a run that is', () => {
  test.for<[string, Record<string, unknown>, number, string]>([
    ['passed', { status: 'completed', result: 'passed' }, 0, 'passed'],
    ['failed', { status: 'completed', result: 'failed' }, 1, 'failed'],
    ['undecided', { status: 'completed', result: null }, 3, 'undecided'],
    ['cancelled, whatever was graded', { status: 'cancelled', result: 'failed' }, 3, 'cancelled'],
    ['not executed', { status: 'failed', result: null }, 3, 'broken'],
    ['a state that is not in the contract’s list but ends', { status: 'timed_out', result: null }, 3, 'broken'],
    [
      'the decision before the result',
      { status: 'completed', result: 'failed', decisionSummary: { decision: 'inconclusive' } },
      3,
      'inconclusive',
    ],
  ])('%s', async ([, fields, code, because], ending) => {
    const { service, watch, conclusionOf } = await openStage(ending)
    service.put('r1', fields)
    const { end } = await conclusionOf('r1')
    expect(end).toMatchObject({ exitCode: code, because, run: { id: 'r1' }, counts: { unit: 'trials', total: 2 } })
    expect((await watch('r1')).code).toBe(code)
  })

  test('in an unknown state, which counts as in flight until the run ends and is shown unchanged', async ending => {
    const { service, watch } = await openStage(ending)
    service.put('r1', { status: 'grading' })
    service.onAnswered = path => {
      if (path.endsWith('/iterations')) service.put('r1', { status: 'completed', result: 'passed' })
    }
    const { code, stdout } = await watch('r1')
    expect(code).toBe(0)
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^grading, 2 of 2 trials/),
      expect.stringMatching(/^completed, 2 of 2 trials/),
    ])
  })
})

describe.concurrent('watch finds the run by', () => {
  test.for([
    'r1',
    'projects/p1/runs/r1',
    'mcpdeck://service/projects/p1/runs/r1?pane=trials',
    'https://app.example/projects/p1/evals/runs/r1?tab=trials',
    'https://api.example/api/v1/projects/p1/eval-runs/r1',
  ])('%s', async (name, ending) => {
    const { service, watch } = await openStage(ending)
    service.put('r1', { status: 'completed', result: 'passed' })
    expect(await watch(name)).toMatchObject({ code: 0 })
    expect(service.seen).toContain('GET /projects/p1/eval-runs/r1')
  })

  test.for(['projects/p1/servers/x', 'https://app.example/', 'two words'])('no run by %s', async (name, ending) => {
    const { service, watch } = await openStage(ending)
    expect(await watch(name)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('names no run') })
    expect(service.seen).toEqual([])
  })
})

describe.concurrent('watch ends without a verdict, and never with 1,', () => {
  test.for<[string, Parameters<typeof refusing>, string]>([
    ['a key that is not accepted', [401, 'UNAUTHORIZED'], 'The key came from variable MCPDECK_API_KEY'],
    ['no access', [403, 'FORBIDDEN'], 'Not allowed'],
    ['no such run', [404, 'NOT_FOUND'], 'Not found'],
  ])('at once for %s', async ([, refusal, title], ending) => {
    const { service, conclusionOf } = await openStage(ending)
    service.put('r1', { status: 'running' })
    service.fault = (response, path) => path.includes('eval-runs') && refusing(...refusal)(response, path)
    const { code, end, stderr } = await conclusionOf('r1')
    expect(code).toBe(3)
    expect(end).toMatchObject({ run: null, verdict: null, because: 'refused', error: { status: refusal[0] } })
    expect(stderr).toContain(title)
    expect(service.seen.filter(path => path.endsWith('/r1'))).toHaveLength(1)
  })

  test.for<[string, NonNullable<RunsDouble['fault']>]>([
    ['a web page', asHtml],
    ['errors alone', refusing(500, 'INTERNAL_ERROR')],
    ['broken connections', hangingUp],
  ])('if a service only returns %s', async ([, fault], ending) => {
    const { service, conclusionOf } = await openStage(ending)
    service.fault = fault
    expect(await conclusionOf('r1')).toMatchObject({ code: 3, end: { because: 'unreachable', verdict: null } })
  })

  test('if nothing listens', async ending => {
    const { service, conclusionOf } = await openStage(ending)
    await service.close()
    expect(await conclusionOf('r1')).toMatchObject({
      code: 3,
      end: { because: 'unreachable', error: { code: 'refused' } },
    })
  })

  test('if a run takes longer than the given time', async ending => {
    const { service, conclusionOf } = await openStage(ending)
    service.put('r1', { status: 'running' })
    // Time to start and to read once, even on a busy machine. The concurrent tests take as long.
    const { code, end, stderr } = await conclusionOf('r1', '--timeout', '5s')
    expect(code).toBe(3)
    expect(end).toMatchObject({ because: 'timed_out', verdict: null, run: { status: 'running' } })
    expect(stderr).toContain('the run continues')
    expect(stderr).toContain('mcpdeck watch r1')
  })

  test('but not at once for a given time that is longer than any timer', async ending => {
    const { service, conclusionOf } = await openStage(ending)
    service.put('r1', { status: 'completed', result: 'passed' })
    expect(await conclusionOf('r1', '--timeout', '60d')).toMatchObject({ code: 0, end: { because: 'passed' } })
  })

  test('for wrong usage and a missing key, with 2 and nothing on standard output', async ending => {
    const { home, service, watch } = await openStage(ending)
    for (const args of [
      ['r1', '--timeout', 'soon'],
      ['r1', '--json', '--jsonl'],
      ['r1', '--gates-only'],
      ['r1', '--min-pass-rate', '101%'],
      ['r1', '--junit', '/nowhere/at/all.xml'],
      ['r1', '--junit', join(home.home, 'one'), '--summary', join(home.home, '.', 'one')],
      [],
    ])
      expect(await watch(...args)).toMatchObject({ code: 2, stdout: '' })
    const { MCPDECK_BASE_URL } = service.env
    expect(await home.run(['watch', 'r1'], { env: { MCPDECK_BASE_URL } })).toMatchObject({ code: 2, stdout: '' })
    expect(service.seen).toEqual([])
  })
})

describe.concurrent('watch is interrupted', () => {
  test('by a signal into a pipe: it ends with 130 and says how to continue', async ending => {
    const { home, service } = await openStage(ending)
    service.put('r1', { status: 'running' })
    const [junit, summary] = [join(home.home, 'report.xml'), join(home.home, 'summary.md')]
    const args = ['watch', 'r1', '--jsonl', '--junit', junit, '--summary', summary]
    const { child, output, ended } = home.start(args, { env: service.env })
    await until(output, text => text.includes('"changed"'))
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended()
    expect(code).toBe(130)
    expect(stderr).toContain('Interrupted; the run continues.')
    expect(stderr).toContain('To watch it again: mcpdeck watch r1')
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      event: 'ended',
      because: 'interrupted',
      exitCode: 130,
      verdict: null,
    })
    // Reports use the name of the suite, however the run ended.
    expect(readFileSync(summary, 'utf8')).toMatch(/^## Smoke: no verdict$/m)
    expect(readFileSync(junit, 'utf8')).toContain('<testsuite name="Smoke"')
  })

  test('by Ctrl+C at a terminal, which keeps its lines', async ending => {
    const { home, service } = await openStage(ending)
    service.put('r1', { status: 'running' })
    await using terminal = openTerminal({
      args: ['watch', 'r1'],
      home: home.home,
      env: service.env,
      cols: 60,
      rows: 10,
    })
    await terminal.waitFor('running, 2 of 2 trials')
    expect(terminal.buffer).toBe('normal')
    terminal.press('ctrl+c')
    expect(await terminal.waitForExit()).toEqual({ code: 130, signal: undefined })
    expect(terminal.words()).toContain('Interrupted; the run continues.')
    expect(terminal.screen()).not.toMatch(/^running, 2 of 2/m)
    expect(terminal.cursorVisible).toBe(true)
  })

  test('before any answer', async ending => {
    const { home, service } = await openStage(ending)
    service.fault = () => true
    const { child, ended } = home.start(['watch', 'r1'], { env: service.env })
    await until(
      () => service.seen.length,
      count => count > 0,
    )
    child.kill('SIGTERM')
    expect(await ended()).toMatchObject({ code: 143, stdout: '', stderr: 'Interrupted.\n' })
  })

  // Each of these requests would be waited for half a minute.
  test.for<[string, string, NonNullable<RunsDouble['fault']>]>([
    ['before a repeat that the service put off', '/projects', refusing(503, 'INTERNAL_ERROR', { 'retry-after': '55' })],
    ['while the service holds its vocabulary back', '/capabilities', () => true],
  ])('%s: at once', { timeout: 25_000 }, async ([, held, fault], ending) => {
    const { home, service } = await openStage(ending)
    service.put('r1', { status: 'running' })
    service.fault = (response, path) => path === `GET ${held}` && fault(response, path)
    const { child, ended } = home.start(['watch', 'r1'], { env: service.env })
    await until(
      () => service.seen,
      seen => seen.includes(`GET ${held}`),
    )
    child.kill('SIGTERM')
    expect((await ended()).code).toBe(143)
  })

  test('by a reader that closes, like head: it ends quietly', async ending => {
    const { home, service } = await openStage(ending)
    service.put('r1', { status: 'running' })
    service.onAnswered = path => {
      if (path.endsWith('/iterations'))
        service.put('r1', { notes: String(service.seen.length), status: `s${service.seen.length}` })
    }
    const { child, output, ended } = home.start(['watch', 'r1'], { env: service.env })
    await until(output, text => text.includes('\n'))
    child.stdout.destroy()
    expect(await ended()).toMatchObject({ code: 130, stderr: '' })
  })
})

describe.concurrent('watch on a terminal', () => {
  test('rewrites one line in place, and keeps the summary', async ending => {
    const { home, service } = await openStage(ending)
    service.put('r1', { status: 'running' })
    service.trials = [trial('a'), trial('b', { status: 'running', result: null })]
    await using terminal = openTerminal({
      args: ['watch', 'r1'],
      home: home.home,
      env: service.env,
      cols: 70,
      rows: 10,
    })
    await terminal.waitFor('running, 1 of 2 trials')
    service.trials = [trial('a'), trial('b', { result: 'failed', error: 'wrong \u001B[31mred\nline' })]
    service.put('r1', { status: 'completed', result: 'failed' })
    expect(await terminal.waitForExit()).toMatchObject({ code: 1 })
    const lines = terminal.screen().split('\n')
    expect(lines.filter(line => line.startsWith('running'))).toEqual([])
    expect(lines.at(-1)).toBe('Failed.')
    expect(terminal.screen()).toContain('␛[31mred␊line')
  })
})

test.concurrent('a report appears only when complete, and never for a run that was not read', async ending => {
  const { home, service, watch } = await openStage(ending)
  const file = join(home.home, 'report.xml')
  writeFileSync(file, 'before')
  service.fault = refusing(403, 'FORBIDDEN')
  expect(await watch('r1', '--junit', file)).toMatchObject({ code: 3 })
  expect(readFileSync(file, 'utf8')).toMatch(/<testsuite name="Run r1" tests="1" failures="0" errors="1" [^]*FORBIDDEN/)
  service.fault = undefined
  service.put('r1', { status: 'completed', result: 'passed' })
  expect(await watch('r1', '--junit', file)).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toContain('<testsuite name="Smoke" id="r1" tests="2"')
  expect(await watch('r1', '--junit', file, '--gates-only')).toMatchObject({ code: 2 })
  expect(readFileSync(file, 'utf8')).toMatch(/failures="0" errors="1"[^]*--gates-only needs a gate that decides/)
})

test.concurrent('a name that is never read does not delay the exit of the command', async ending => {
  const { home, service } = await openStage(ending)
  const file = join(home.home, 'report.xml')
  service.put('r1', { status: 'completed', result: 'passed' })
  const name = 'GET /projects/p1/eval-suites/s1'
  service.fault = (_, path) => path === name
  const watching = home.start(['watch', 'r1', '--junit', file], { env: service.env })
  await until(
    () => Promise.resolve(service.seen),
    seen => seen.includes(name),
  )
  const asked = performance.now()
  watching.child.kill('SIGINT')
  expect(await watching.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining('Passed') as string })
  // A read ends by itself at its deadline: an exit before that shows that nothing waited for it.
  expect(performance.now() - asked).toBeLessThan(DEADLINE_MS)
  expect(readFileSync(file, 'utf8')).toContain('<testsuite name="s1" id="r1"')
})
