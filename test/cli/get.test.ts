import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { endpointOf, queryOf } from '../../src/cli/nouns/listing.ts'
import { declaredStates, statesOf } from '../../src/cli/nouns/states.ts'
import { NOUNS, nounOf, parentsOf } from '../../src/cli/nouns/nouns.ts'
import { openHome } from './program.ts'
import { openRunsDouble, refusing, trial, type RunsDouble } from './runs-double.ts'

/** Fields that the command adds to those of the wire. */
const DERIVED = new Set(['source', 'state', 'coverage.says', 'lastRun.says'])

describe('the nouns', () => {
  test.each(NOUNS.map(noun => [noun.name, noun] as const))('%s shows fields that its list declares', (_, noun) => {
    const { response } = endpointOf(noun.list)
    const schema = JSON.stringify(z.toJSONSchema(response, { io: 'input', unrepresentable: 'any' }))
    const names = noun.columns.flatMap(({ path }) => (DERIVED.has(path) ? [] : path.split('.')))
    expect(names).not.toEqual([])
    expect(names.filter(name => !schema.includes(`"${name}"`))).toEqual([])
    expect(parentsOf(noun).filter(({ of }) => of !== undefined && !nounOf(of))).toEqual([])
  })

  test('are accepted in the singular, in the plural and in the contract’s words', () => {
    expect(['run', 'runs', 'iteration', 'trial', 'eval-suites', 'journey-run'].map(word => nounOf(word)?.name)).toEqual(
      ['runs', 'runs', 'trials', 'trials', 'suites', 'waves'],
    )
    expect(queryOf(endpointOf('iterations.list'))).toEqual({ filters: [], pageSize: 200 })
    expect(queryOf(endpointOf('runs.list'))).toEqual({ filters: [], pageSize: 100 })
  })
})

describe('mcpdeck get in a script', () => {
  let home: Awaited<ReturnType<typeof openHome>>
  let service: RunsDouble
  beforeEach(async () => {
    home = await openHome()
    service = await openRunsDouble()
    service.suites = [
      { id: 's1', name: 'Smoke', extra: { kept: true } },
      { id: 's2', name: 'Twice' },
      { id: 's3', name: 'Twice' },
    ]
  })
  afterEach(async () => {
    await service.close()
    await home.close()
  })
  const get = (...args: string[]) => home.run(['get', ...args], { env: service.env })

  test('prints a table with a header and aligned columns, and makes control characters visible', async () => {
    service.suites = [
      { id: 's1', name: 'a \u001B[31mred\nline' },
      { id: 's22', name: '日本' },
    ]
    const { code, stdout, stderr } = await get('suites')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [header, first, second] = stdout.split('\n')
    expect(header).toMatch(/^ID {3}NAME +STATE +COVERED +LAST RUN +PASSED +FAILED +RUNS$/)
    expect(first).toMatch(/^s1 {3}a ␛\[31mred␊line +never-run +—/)
    expect(second).toMatch(/^s22 {2}日本 +never-run +—/)
  })

  test('says beside the state of a wave that its sessions could not be graded', async () => {
    const summary = { total: 2, succeeded: 2, failed: 0, rateLimited: 0 }
    const grades = { sessionsGraded: 0, failCount: 0, failedGradingCount: 2 }
    service.answers['GET /projects/p1/journeys'] = () => ({ body: { items: [{ id: 'j1', name: 'Weekly' }] } })
    service.answers['GET /projects/p1/journeys/j1/runs'] = () => ({
      body: { items: [{ id: 'jr1', status: 'completed', summary, ...grades }] },
    })
    const [header, run] = (await get('waves')).stdout.split('\n')
    expect(header).toMatch(/^ID +STATE +SUCCEEDED +TOTAL +GRADED +MISSED +GRADER BROKE +CREATED +WAVE$/)
    expect(run).toMatch(/^jr1 +completed +2 +2 +0 +0 +2 +—/)
  })

  test('--json prints the records of the service plus their states, --jsonl one of them per line', async () => {
    const state = { state: 'never-run', coverage: null, judgedBy: null, lastRun: null }
    const sent = service.suites.map(suite => ({ ...suite, latestRun: null }))
    service.suites = sent
    expect(JSON.parse((await get('suites', '--json')).stdout)).toEqual({
      items: sent.map(suite => ({ ...suite, ...state })),
    })
    const { stdout } = await get('suites', '--jsonl', '--limit', '2')
    expect(
      stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as unknown),
    ).toEqual(sent.slice(0, 2).map(suite => ({ ...suite, ...state })))
  })

  test('finds one record by its id or its name, unless several have that name', async () => {
    expect(JSON.parse((await get('suite', 'Smoke', '--json')).stdout)).toMatchObject({
      id: 's1',
      extra: { kept: true },
    })
    expect(await get('suite', 'Twice')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/s2, s3/) })
    expect(await get('suite', 'Smok')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "Smoke"?'),
    })
    expect(await get('run', 'nowhere')).toMatchObject({ code: 3, stdout: '' })
    expect(await get('suite', 'Smoke', '--status', 'passed')).toMatchObject({ code: 2, stdout: '' })
  })

  test('prints the class of a trial as its state, whatever status the wire has', async () => {
    service.trials = [
      trial('a'),
      trial('b', { result: 'failed' }),
      trial('c', { status: 'failed', result: null, startedAt: 1 }),
      trial('d', { status: 'pending', result: null }),
    ]
    service.put('r1', {})
    const found = async (status: string) => {
      const { stdout } = await get('trials', '--run', 'r1', '--status', status, '--jsonl')
      return stdout.split('\n').flatMap(line => (line ? [(JSON.parse(line) as { id: string }).id] : []))
    }
    expect(await found('failed')).toEqual(['b'])
    expect(await found('passed')).toEqual(['a'])
    expect(await found('execution_failed')).toEqual(['c'])
    expect(await found('broke off')).toEqual(['c'])
    const { stdout } = await get('trials', '--run', 'r1')
    const states = stdout.split('\n').flatMap(line => line.split(/ +/)[1] ?? [])
    expect(states).toEqual(['STATE', 'passed', 'failed', 'execution_failed', 'pending'])
  })

  test('prints the verdict of a run or suite as its state, with what it covers', async () => {
    const counts = (passed: number, failed: number) => ({ passed, failed, total: passed + failed })
    const part = { selectedCaseCount: 3, totalCaseCount: 6, rerunOf: 'r1' }
    const all = { selectedCaseCount: 6, totalCaseCount: 6 }
    const ended = { status: 'completed' }
    service.put('r1', { ...ended, result: 'failed', summary: counts(3, 3), ...all, createdAt: 1 })
    service.put('r2', { ...ended, result: 'passed', summary: counts(3, 0), ...part, createdAt: 2 })
    service.suites = [{ id: 's1', name: 'Smoke', latestRun: { id: 'r2', ...ended, passed: 3, failed: 0 } }]
    const [suite] = (JSON.parse((await get('suites', '--json')).stdout) as { items: unknown[] }).items
    expect(suite).toMatchObject({
      state: 'failed',
      judgedBy: 'r1',
      lastRun: { id: 'r2', state: 'passed', says: 'passed, 3 of 6 cases', coverage: { isWhole: false } },
    })
    expect((await get('suites')).stdout).toMatch(/Smoke +failed +all +passed, 3 of 6 cases +3 +0/)
    expect((await get('suite', 'Smoke')).stdout).toBe((await get('suites')).stdout)
    expect(JSON.parse((await get('suite', 's1', '--json')).stdout)).toMatchObject({ state: 'failed', judgedBy: 'r1' })
    const runs = (await get('runs', '--suite', 's1')).stdout
    expect(runs).toMatch(/r1 .*failed +all/)
    expect(runs).toMatch(/r2 .*passed +3 of 6 cases/)
    expect((await get('runs', '--suite', 's1', '--status', 'failed')).stdout).not.toContain('r2')
    expect((await get('suites', '--status', 'passed')).stderr).toContain('No suites.')
  })

  test('does not call a passed suite complete if it is unknown what ran', async () => {
    service.put('r1', { status: 'completed', result: 'passed', summary: { passed: 5, failed: 0, total: 5 } })
    service.suites = [{ id: 's1', name: 'Smoke', latestRun: { id: 'r1', status: 'completed' } }]
    expect((await get('suites')).stdout).toMatch(/Smoke +passed +unknown +passed, coverage unknown/)
  })

  test.each([
    [['nothing'], /There is nothing called "nothing"/],
    [['trials'], /trials needs --run/],
    [['servers', '--run', 'x'], /servers takes no --run/],
    [['suites', '--json', '--jsonl'], /cannot be combined/],
    [['suites', '--filter', 'x=1'], /takes no filter/],
    [['suites', '--limit', '0'], /whole number/],
    [['trials', '--run', 'r', '--status', 'bogus'], /No trial has the status "bogus". There are: failed,/],
    [['trials', '--run', 'r', '--status', 'completed'], /No trial has the status "completed"/],
    [['runs', '--status', 'pased'], /Did you mean "passed"\? There are: passed, failed, inconclusive, undecided/],
    [['suites', '--status', 'bogus'], /There are: passed,/],
    [['waves', '--status', 'bogus'], /There are: running, .*canceled or "cancelled", stale/],
    [['steps', '--run', 'r', '--trial', 't', '--status', 'bogus'], /There are: ok, fail, skipped, pending/],
    [['findings', '--status', 'bogus'], /There are: new, recurring, regressed, resolved/],
    [['sessions', '--status', 'bogus'], /There are: active, archived/],
    [['chat-sessions', '--status', 'bogus'], /There are: active, archived/],
    [['readiness-runs', '--status', 'bogus'], /There are: /],
    [['builds', '--image', 'i', '--status', 'bogus'], /There are: /],
    [['servers', '--status', 'bogus'], /servers takes no --status/],
    [['sessions', '--filter', 'status=bogus'], /takes no status=bogus/],
    [['sessions', '--filter', 'sourceType=direct,bogus'], /takes no sourceType=direct,bogus/],
    [['environments', '--filter', 'includeArchived=maybe'], /takes no includeArchived=maybe/],
    [['readiness-runs', '--filter', 'readinessKind=bogus'], /takes no readinessKind=bogus/],
    [[], /Missing required argument/],
  ])('refuses %j as wrong usage', async (args, sentence) => {
    expect(await get(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) })
    expect(service.seen).toEqual([])
  })

  test('lists the possible states of every noun with a status', () => {
    const withStatus = NOUNS.filter(({ columns }) => columns.some(({ path }) => path === 'status' || path === 'state'))
    const states = withStatus.map(noun => ({
      name: noun.name,
      states: Object.keys(statesOf(noun)?.values ?? {}).concat(declaredStates(endpointOf(noun.list))),
    }))
    expect(states).not.toEqual([])
    expect(states.filter(each => each.states.length === 0)).toEqual([])
  })

  test('prints no data for a refusal and ends with 3', async () => {
    service.fault = refusing(403, 'FORBIDDEN')
    expect(await get('suites', '--json')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^\{"code":"FORBIDDEN",.*"status":403,"message":"Not allowed.*\}\n$/),
    })
  })

  test('ends quietly when its reader leaves', async () => {
    service.suites = Array.from({ length: 20_000 }, (_, index) => ({ id: `s${index}`, name: 'x'.repeat(100) }))
    const { child, output, ended } = home.start(['get', 'suites', '--jsonl'], { env: service.env })
    const { promise, resolve } = Promise.withResolvers<void>()
    child.stdout.once('data', () => {
      child.stdout.destroy()
      resolve()
    })
    await promise
    expect(await ended()).toMatchObject({ code: 0, stderr: '' })
    expect(output().length).toBeGreaterThan(0)
  })
})
