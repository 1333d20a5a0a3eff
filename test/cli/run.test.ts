import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTerminal } from '../pty/terminal.ts'
import type { Ending } from '../service/harness.ts'
import { hangingUp, trial } from './runs-double.ts'
import { openStage } from './stage.ts'

const CREATE = 'POST /projects/p1/eval-runs'
const RERUN = 'POST /projects/p1/eval-runs/r0/rerun'

/** A suite of two cases with two environments. Each launch is recorded and passes at once. */
async function openSuite(ending: Ending) {
  const { home, service } = await openStage(ending)
  /** Bodies of the launches, as received. */
  const launched: { body: Record<string, unknown>; key: unknown }[] = []
  service.suites = [{ id: 's1', name: 'Smoke', environment: { servers: ['everything'] } }]
  service.answers['GET /projects/p1/eval-suites/s1/cases'] = () => ({
    body: {
      items: [
        { id: 'c1', title: 'One', steps: [], iterations: 3 },
        { id: 'c2', title: 'Two', steps: [] },
      ],
    },
  })
  service.answers['GET /projects/p1/environments'] = () => ({
    body: {
      items: [
        { id: 'e1', name: 'Desk', revision: 1 },
        { id: 'e2', name: 'Web', revision: 1 },
      ],
    },
  })
  for (const id of ['e1', 'e2'])
    service.answers[`GET /projects/p1/environments/${id}/resolve`] = () => ({
      body: { environment: { id, name: id, revision: 4 }, hostName: 'Claude', effectiveModelId: 'm', servers: [] },
    })
  service.answers[CREATE] = (body, { headers }) => {
    launched.push({ body, key: headers['idempotency-key'] })
    service.put('r1', { status: 'completed', result: 'passed' })
    return { status: 202, body: { runId: 'r1', suiteId: 's1', status: 'pending' } }
  }
  service.trials = [trial('a')]
  const run = (...args: string[]) => home.run(['run', ...args], { env: service.env })
  return { home, service, launched, run }
}

const REFUSED = { status: 409, body: { code: 'CONFLICT', message: 'The environment was changed.' } }

function reportsIn(directory: string) {
  const [junit, summary] = [join(directory, 'report.xml'), join(directory, 'summary.md')]
  return { junit, summary, options: ['--junit', junit, '--summary', summary] }
}

describe.concurrent('run, before anything is sent,', () => {
  test('says what will run, and asks; without a terminal it needs --yes', async ending => {
    const { launched, run } = await openSuite(ending)
    const { code, stdout, stderr } = await run('Smoke')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Smoke: 2 cases, 4 trials.')
    expect(stderr).toContain('Servers everything.')
    expect(stderr).toMatch(/mcpdeck: .*add --yes/)
    expect(launched).toEqual([])
  })

  test.for<[string, Record<string, unknown>, string[], RegExp]>([
    [
      'several environments',
      { environmentIds: ['e1', 'e2'] },
      [],
      /more than one environment\. .*Desk \(e1\), Web \(e2\)/,
    ],
    [
      'one that is not attached',
      { environmentIds: ['e1'] },
      ['--environment', 'Web'],
      /not attached to that environment/,
    ],
    [
      'servers of an environment',
      { environmentIds: ['e1'] },
      ['--server', 'everything'],
      /takes its servers from there/,
    ],
    ['no servers', { environment: { servers: [] } }, [], /no saved servers/],
    ['a client that is not attached', {}, ['--client', 'x'], /not attached to that client/],
    ['a case that is not there', {}, ['--case', 'Three'], /no case "Three"/],
    [
      'a group with a model',
      { environmentIds: ['e1', 'e2'] },
      ['--environment', 'e1', '--environment', 'e2', '--model', 'm'],
      /run group, which takes no --model/,
    ],
    ['too many trials', {}, ['--iterations', '11'], /whole number from 1 to 10/],
    ['a report that nothing writes', {}, ['--junit', 'x.xml'], /needs the end of the run: add --watch/],
    ['a report that cannot be written', {}, ['--watch', '--junit', '/nowhere/x.xml'], /cannot be written/],
    ['a key as an argument', {}, ['--model-key-env', 'sk-secret'], /takes PROVIDER=VARIABLE/],
    ['options of a launch with a rerun', {}, ['--rerun-failed', 'r0'], /Name a suite to run .+ or a run/],
    ['read-only', {}, ['--read-only'], /refuses every write/],
    ['a report of runs that never end', {}, ['--watch-files', 'src', '--junit', 'x.xml'], /takes no --junit/],
    ['a gate of them', {}, ['--watch-files', 'src', '--no-new-failures-against', 'last'], /takes no --no-new-failures/],
    ['an answer about an earlier launch', {}, ['--watch-files', 'src', '--in-doubt', 'fail'], /takes no --in-doubt/],
    ['a bound of runs without them', {}, ['--max-runs', '3'], /--max-runs is for --watch-files/],
  ])('refuses %s', async ([, suite, args, sentence], ending) => {
    const { home, service, launched, run } = await openSuite(ending)
    service.suites = [{ ...service.suites[0], ...suite }]
    service.answers['GET /projects/p1/servers'] = () => ({
      body: { items: [{ id: 'v1', name: 'everything', enabled: true, transportType: 'stdio' }] },
    })
    const own = args.map(arg => (arg === 'x.xml' ? join(home.home, arg) : arg))
    const { code, stdout, stderr } = await run('Smoke', '--yes', ...own)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(launched).toEqual([])
  })

  test('stops if a service cannot restart servers', async ending => {
    const { service, launched, run } = await openSuite(ending)
    service.answers['GET /projects/p1/servers'] = () => ({
      body: { items: [{ id: 'v1', name: 'everything', enabled: true, transportType: 'stdio' }] },
    })
    const { code, stderr } = await run('Smoke', '--yes', '--watch-files', 'src/**')
    expect(code).toBe(3)
    expect(stderr).toContain('Only in a local workspace: This service does not offer that')
    expect(launched).toEqual([])
  })

  test('asks the person, and accepts only the whole word', async ending => {
    const { home, service, launched } = await openSuite(ending)
    for (const [answer, code] of [
      ['y', 3],
      ['yes', 0],
    ] as const) {
      await using terminal = openTerminal({ args: ['run', 'Smoke'], home: home.home, env: service.env })
      await terminal.waitFor('Type yes to go on:')
      terminal.type(`${answer}\r`)
      expect(await terminal.waitForExit()).toMatchObject({ code })
      expect(terminal.screen()).toContain(code === 0 ? 'Launched r1.' : 'Nothing was launched.')
    }
    expect(launched).toHaveLength(1)
    await using terminal = openTerminal({ args: ['run', 'Smoke'], home: home.home, env: service.env })
    await terminal.waitFor('Type yes to go on:')
    terminal.press('ctrl+c')
    expect(await terminal.waitForExit()).toMatchObject({ code: 130 })
    expect(launched).toHaveLength(1)
  })
})

describe.concurrent('run launches the suite and', () => {
  test('sends the choices with one key, even if the first answer is lost', async ending => {
    const { home, service, launched, run } = await openSuite(ending)
    service.fault = (response, path) => {
      if (path !== CREATE) return false
      service.fault = undefined
      launched.push({ body: {}, key: 'lost' })
      return hangingUp(response, path)
    }
    const keyFile = join(home.home, 'model.key')
    writeFileSync(keyFile, 'sk-model\n', { mode: 0o600 })
    const chosen = ['--iterations', '2', '--case', 'Two', '--model', 'openai/x', '--notes', 'n']
    const keys = ['--model-key-file', `openai=${keyFile}`, '--idempotency-key', 'job-7']
    const { code, stdout, stderr } = await run('Smoke', '--yes', ...chosen, ...keys)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'r1\n' })
    expect(stderr).not.toContain('sk-model')
    expect(launched.map(({ key }) => key)).toEqual(['lost', 'job-7'])
    expect(launched[1]?.body).toEqual({
      suiteId: 's1',
      iterationOverride: 2,
      caseIds: ['c2'],
      notes: 'n',
      model: 'openai/x',
      modelApiKeys: { openai: 'sk-model' },
    })
  })

  test('takes a client or a case that is named twice once', async ending => {
    const { service, launched, run } = await openSuite(ending)
    service.suites = [{ ...service.suites[0], hosts: [{ id: 'h1', name: 'Claude' }] }]
    const { code, stderr } = await run(
      'Smoke',
      '--yes',
      '--client',
      'Claude',
      '--client',
      'h1',
      '--case',
      'c1',
      '--case',
      'One',
    )
    expect({ code, bodies: launched.map(({ body }) => body) }).toEqual({
      code: 0,
      bodies: [{ suiteId: 's1', namedHostId: 'h1', caseIds: ['c1'] }],
    })
    expect(stderr).toContain('Smoke: 1 case, 3 trials.')
  })

  test('follows the run if asked to, with the verdict as exit code', async ending => {
    const { run } = await openSuite(ending)
    expect(JSON.parse((await run('Smoke', '--yes', '--json')).stdout)).toMatchObject({
      run: { id: 'r1' },
      verdict: null,
      because: 'launched',
      exitCode: 0,
    })
    const { code, stdout } = await run('Smoke', '--yes', '--watch', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ run: { id: 'r1' }, verdict: 'passed', exitCode: 0 })
  })

  test('follows each run of several environments, which are one group', async ending => {
    const { service, run } = await openSuite(ending)
    service.suites = [{ ...service.suites[0], environmentIds: ['e1', 'e2'] }]
    service.put('r1', { status: 'completed', result: 'passed' })
    service.put('r2', { status: 'completed', result: 'failed' })
    let targets: unknown
    service.answers['POST /projects/p1/eval-run-groups'] = body => {
      targets = body['targets']
      const started = (environmentId: string, runId: string) => ({
        target: { environmentId, name: environmentId },
        status: 'started',
        runId,
      })
      return {
        status: 202,
        body: {
          runGroupId: 'g1',
          suiteId: 's1',
          outcome: 'started',
          targets: [started('e1', 'r1'), started('e2', 'r2')],
        },
      }
    }
    const { code, stdout } = await run(
      'Smoke',
      '--yes',
      '--watch',
      '--json',
      '--environment',
      'Desk',
      '--environment',
      'e2',
    )
    expect(targets).toEqual([{ environmentId: 'e1' }, { environmentId: 'e2' }])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      runGroupId: 'g1',
      verdict: 'failed',
      counts: { total: 2 },
      runs: [
        { label: 'e1', exitCode: 0 },
        { label: 'e2', exitCode: 1 },
      ],
    })
  })

  test('names who holds the slots at the run limit; --wait launches once a slot is free', async ending => {
    const { service, launched, run } = await openSuite(ending)
    service.put('r9', { status: 'running' })
    const free = service.answers[CREATE]!
    const keys: unknown[] = []
    service.answers[CREATE] = (body, request) => {
      keys.push(request.headers['idempotency-key'])
      if (service.runs.get('r9')?.['status'] !== 'running') return free(body, request)
      const details = { reason: 'CONCURRENT_RUN_LIMIT', activeRunIds: ['r9'] }
      return { status: 429, body: { code: 'RATE_LIMITED', message: 'full', details } }
    }
    const { code, stderr } = await run('Smoke', '--yes')
    expect(code).toBe(3)
    expect(stderr).toContain('The run slots are held by r9 of Smoke (running).')
    expect(launched).toEqual([])
    keys.length = 0
    service.onAnswered = path => {
      if (keys.length > 0 && path.endsWith('/eval-runs/r9')) service.put('r9', { status: 'completed' })
    }
    expect(await run('Smoke', '--yes', '--wait')).toMatchObject({ code: 0, stdout: 'r1\n' })
    expect(new Set(keys).size).toBe(1)
  })

  test('gives no verdict if the service refuses the launch', async ending => {
    const { service, run } = await openSuite(ending)
    service.answers[CREATE] = () => REFUSED
    const { code, stdout, stderr } = await run('Smoke', '--yes', '--watch')
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain('The environment was changed.')
  })

  test.for([
    ['refused', 'Smoke', 3, 'The environment was changed.'],
    ['a suite that is unknown', 'Smoky', 2, 'There is no suite "Smoky".'],
  ] as const)('%s: each report says so, under the given name', async ([, suite, exitCode, why], ending) => {
    const { home, service, run } = await openSuite(ending)
    service.answers[CREATE] = () => REFUSED
    const { junit, summary, options } = reportsIn(home.home)
    const { code, stderr } = await run(suite, '--yes', '--watch', '--min-pass-rate', '90%', ...options)
    expect(code).toBe(exitCode)
    expect(stderr).toContain(why)
    expect(readFileSync(junit, 'utf8')).toContain(`<testsuite name="${suite}" tests="1" failures="0" errors="1"`)
    const text = readFileSync(summary, 'utf8')
    expect(text).toMatch(new RegExp(`^## ${suite}: no verdict$`, 'm'))
    expect(text.replaceAll('\\', '')).toContain(why)
    expect(text).not.toContain('the run has not ended')
  })

  test('lists a target of a group that did not start in every report', async ending => {
    const { home, service, run } = await openSuite(ending)
    service.suites = [{ ...service.suites[0], environmentIds: ['e1', 'e2'] }]
    service.put('r1', { status: 'completed', result: 'passed' })
    service.answers['POST /projects/p1/eval-run-groups'] = () => ({
      status: 202,
      body: {
        runGroupId: 'g1',
        suiteId: 's1',
        outcome: 'partial',
        targets: [
          { target: { environmentId: 'e1', name: 'e1' }, status: 'started', runId: 'r1' },
          {
            target: { environmentId: 'e2', name: 'e2' },
            status: 'failed',
            error: { code: 'SERVER_UNREACHABLE', message: 'Nobody answers.' },
          },
        ],
      },
    })
    const { junit, summary, options } = reportsIn(home.home)
    const targets = ['--environment', 'e1', '--environment', 'e2', '--yes', '--json']
    const watched = await run('Smoke', ...targets, '--watch', ...options)
    expect(watched.code).toBe(3)
    const error = { code: 'SERVER_UNREACHABLE', status: null, message: 'It was not started: Nobody answers.' }
    expect(JSON.parse(watched.stdout)).toMatchObject({
      verdict: null,
      exitCode: 3,
      runs: [
        { label: 'e1', verdict: 'passed', exitCode: 0 },
        { label: 'e2', verdict: null, exitCode: 3, because: 'refused', error },
      ],
    })
    expect(readFileSync(junit, 'utf8')).toMatch(/errors="1"[^]*<testsuite name="Smoke: e2"[^]*Nobody answers\./)
    expect(readFileSync(summary, 'utf8')).toMatch(/^## Smoke: e1: passed$[^]*^## Smoke: e2: no verdict$/m)
    const launched = await run('Smoke', ...targets, '--new')
    expect(launched.code).toBe(3)
    expect(JSON.parse(launched.stdout)).toMatchObject({ exitCode: 3, runs: [{ label: 'e1' }, { label: 'e2', error }] })
  })

  test.for([
    ['no target', []],
    ['one of two targets', [{ target: { environmentId: 'e1', name: 'e1' }, status: 'started', runId: 'r1' }]],
  ] as const)('gives no verdict if the answer for a group has %s', async ([, targets], ending) => {
    const { service, run } = await openSuite(ending)
    service.suites = [{ ...service.suites[0], environmentIds: ['e1', 'e2'] }]
    service.put('r1', { status: 'completed', result: 'passed' })
    service.answers['POST /projects/p1/eval-run-groups'] = () => ({
      status: 202,
      body: { runGroupId: 'g1', suiteId: 's1', outcome: 'started', targets },
    })
    const launch = ['Smoke', '--environment', 'e1', '--environment', 'e2', '--yes', '--new', '--json']
    const missing = { label: 'e2', error: { message: 'It was not started: The service reports no run for it.' } }
    for (const options of [[], ['--watch']]) {
      const { code, stdout } = await run(...launch, ...options)
      const record = JSON.parse(stdout)
      expect({ code, record }).toMatchObject({ code: 3, record: { verdict: null, exitCode: 3 } })
      expect(record.runs.map(({ label }: { label: string }) => label)).toEqual(['e1', 'e2'])
      expect(record.runs[1]).toMatchObject(missing)
    }
  })
})

describe.concurrent('rerunning failed cases', () => {
  const preview = (fields: object) => ({
    body: {
      runId: 'r0',
      suiteId: 's1',
      scope: 'failed_cases',
      sourceStatus: 'completed',
      sourceTerminal: true,
      totalCaseCount: 4,
      selectedCaseCount: 1,
      selectedCaseIds: ['a'],
      reasons: { failed: 2, timed_out: 1 },
      excluded: { passed: 9 },
      rerunnable: true,
      ...fields,
    },
  })
  const PREVIEW = 'GET /projects/p1/eval-runs/r0/rerun-preview'

  test('shows a preview, sends it once, follows the run, and compares it with its parent', async ending => {
    const { service, launched, run } = await openSuite(ending)
    service.put('r0', { status: 'completed', result: 'failed' })
    service.answers[PREVIEW] = () => preview({})
    service.answers[RERUN] = body => {
      launched.push({ body, key: undefined })
      service.put('r1', { status: 'completed', result: 'passed' })
      return { status: 202, body: {} }
    }
    service.answers['GET /projects/p1/eval-runs/r1/compare'] = () => ({
      body: {
        suite: { id: 's1' },
        baseline: { policy: 'run', baseRunId: 'r0' },
        baseRun: { id: 'r0' },
        compareRun: { id: 'r1' },
        cases: [
          {
            caseKey: 'a',
            title: 'Case a',
            status: 'fixed',
            base: { outcome: 'failed' },
            compare: { outcome: 'passed', iterationIds: ['a'] },
          },
        ],
      },
    })
    expect(await run('--rerun-failed', 'r0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 of 4 cases would run again.'),
    })
    expect(launched).toEqual([])
    const { code, stdout, stderr } = await run('--rerun-failed', 'projects/p1/runs/r0', '--yes', '--watch')
    expect(stderr).toContain('Trials that select their case: 2 failed, 1 timed out.')
    expect(stderr).toContain('Trials that do not count: 9 passed.')
    expect(launched).toEqual([{ body: { scope: 'failed_cases' }, key: undefined }])
    expect(code).toBe(0)
    expect(stdout).toContain('against r0: 0 new failures, 0 still failing, 1 fixed, 0 flaky')
    expect(stdout).toContain('  fixed: Case a')
  })

  test.for<[object, string]>([
    [{ sourceTerminal: false, rerunnable: false, sourceStatus: 'running' }, 'The run is still running'],
    [{ rerunnable: false, selectedCaseCount: 0 }, 'No case of this run needs another try.'],
  ])('refuses %j, which cannot be rerun', async ([fields, sentence], ending) => {
    const { service, launched, run } = await openSuite(ending)
    service.answers[PREVIEW] = () => preview(fields)
    expect(await run('--rerun-failed', 'r0', '--yes')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    })
    expect(launched).toEqual([])
  })
})
