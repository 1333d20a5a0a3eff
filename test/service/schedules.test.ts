import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { EvalSuiteDetail } from '../../src/api/contract/suites.ts'
import { createService, type ServiceOptions } from '../../src/service/workspace/service.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { nextSlot } from '../../src/service/suites/records.ts'
import { createApi, echoCase, longCase, open, sandbox, temporaryDirectory, until, untilEnded } from './harness.ts'

const { clients, environments, runs, servers, suites } = contract

const MINUTE = 60_000
const START = Date.UTC(2030, 0, 1, 12)

/** A service whose clock stands still until the test moves it. */
async function workspace(options: Partial<ServiceOptions> & { dataDir?: string } = {}, start = START) {
  const clock = { time: start }
  const service = await open({ now: () => clock.time, schedulePollMs: 5, ...options })
  const { api } = service
  const { projectId, serverId } = await sandbox(api)
  const suite = async (name: string, tests: object[] = [echoCase(name, name)]) => {
    const body = { name, model: 'suite/model', serverIds: [serverId], tests }
    return (await api.call(suites.create, { projectId, body })).suiteId
  }
  const set = (suiteId: string, body: object) => api.call(suites.schedule, { projectId, suiteId, body })
  const refuse = (suiteId: string, body: object) => api.refused(suites.schedule, { projectId, suiteId, body })
  const scheduleOf = async (suiteId: string) => (await api.call(suites.get, { projectId, suiteId })).schedule
  /** Returns the schedule once its next launch is the given time. */
  const untilNext = (suiteId: string, nextRunAt: number) =>
    until(
      () => scheduleOf(suiteId),
      schedule => schedule?.['nextRunAt'] === nextRunAt,
    )
  const runsOf = async (suiteId: string) => (await api.call(runs.list, { projectId, suiteId })).items
  const place = { projectId, serverId }
  return { ...service, ...place, clock, suite, set, refuse, scheduleOf, untilNext, runsOf }
}

const every = (intervalMinutes: number, more: object = {}) => ({ enabled: true, intervalMinutes, ...more })

test('a schedule launches real runs at its times, and one run for all times that were missed', async () => {
  const { api, projectId, clock, suite, set, untilNext, runsOf } = await workspace()
  const suiteId = await suite('nightly')
  expect((await set(suiteId, every(5))).schedule).toEqual({
    enabled: true,
    intervalMinutes: 5,
    environmentId: null,
    nextRunAt: START + 5 * MINUTE,
    lastRunId: null,
    lastRefusal: null,
  })
  clock.time = START + 5 * MINUTE
  const { lastRunId } = (await untilNext(suiteId, START + 10 * MINUTE))!
  const ended = await untilEnded(api, projectId, String(lastRunId))
  expect(ended).toMatchObject({ result: 'passed', suiteId, notes: 'Launched by the schedule of its suite.' })
  // Three launch times pass without a check, and the checks do not happen at launch times.
  clock.time = START + 23 * MINUTE
  await untilNext(suiteId, START + 25 * MINUTE)
  clock.time = START + 25 * MINUTE - 1
  expect(await runsOf(suiteId)).toHaveLength(2)
  clock.time = START + 25 * MINUTE
  await untilNext(suiteId, START + 30 * MINUTE)
  expect((await runsOf(suiteId)).map(({ runNumber }) => runNumber)).toEqual([3, 2, 1])
})

test('a scheduled run that was missed while the program was closed is launched once', async () => {
  const dataDir = temporaryDirectory()
  const clock = { time: START }
  const now = () => clock.time
  const earlier = await createService({ dataDir, now, schedulePollMs: 5 })
  const before = createApi(earlier.fetch, earlier.localKey)
  const { projectId, suiteId } = await sandbox(before)
  await before.call(suites.schedule, { projectId, suiteId, body: every(60) })
  await earlier.close()
  clock.time = START + 10 * 60 * MINUTE + 1
  const { api } = await open({ dataDir, now, schedulePollMs: 5 })
  await until(
    () => api.call(suites.get, { projectId, suiteId }),
    ({ schedule }) => schedule?.['nextRunAt'] === START + 11 * 60 * MINUTE,
  )
  expect((await api.call(runs.list, { projectId, suiteId })).items).toHaveLength(1)
})

describe('schedules with several processes on one directory', () => {
  test('launch each run once from two services', async () => {
    const dataDir = temporaryDirectory()
    const one = await workspace({ dataDir, maxConcurrentRuns: 100 })
    const now = () => one.clock.time
    await open({ dataDir, now, schedulePollMs: 5, maxConcurrentRuns: 100 })
    const ids = await Promise.all(['a', 'b', 'c'].map(name => one.suite(name)))
    for (const id of ids) await one.set(id, every(5))
    for (let slot = 1; slot <= 4; slot += 1) {
      one.clock.time = START + slot * 5 * MINUTE
      for (const id of ids) await one.untilNext(id, START + (slot + 1) * 5 * MINUTE)
    }
    for (const id of ids) {
      const numbers = (await one.runsOf(id)).map(({ runNumber }) => runNumber)
      expect(numbers).toEqual([4, 3, 2, 1])
    }
  })

  test('are launched only by a process that may launch runs', async () => {
    const dataDir = temporaryDirectory()
    const { clock, suite, set, untilNext, runsOf } = await workspace({ dataDir })
    // By the clock of this process every launch would be long overdue.
    await open({ dataDir, now: () => START + 1000 * MINUTE, schedulePollMs: 0 })
    const suiteId = await suite('any')
    await set(suiteId, every(5))
    clock.time = START + 5 * MINUTE
    await untilNext(suiteId, START + 10 * MINUTE)
    expect(await runsOf(suiteId)).toHaveLength(1)
  })

  test('launch each run once from programs that race for it', async () => {
    const dataDir = temporaryDirectory()
    const { api, projectId, clock, suite, set, scheduleOf, runsOf } = await workspace({ dataDir })
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) ids.push(await suite(`suite ${index}`))
    const children = [1, 2, 3].map(() => {
      const file = fileURLToPath(new URL('./schedule-child.ts', import.meta.url))
      const child = spawn(process.execPath, [file, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    })
    await Promise.all(children.map(child => once(child.stdout, 'data')))
    // By the real time of the programs, all schedules are due in a second, when all programs are checking.
    clock.time = Date.now() - 5 * MINUTE + 1000
    const due = await Promise.all(ids.map(id => set(id, every(5))))
    for (const [index, id] of ids.entries())
      await until(
        () => scheduleOf(id),
        schedule => schedule?.['nextRunAt'] !== due[index]?.schedule?.['nextRunAt'],
      )
    const exits = children.map(child => once(child, 'exit'))
    for (const child of children) child.stdin.end()
    await Promise.all(exits)
    for (const id of ids) {
      const [only, ...others] = await runsOf(id)
      expect(others).toEqual([])
      expect(await untilEnded(api, projectId, only!.id)).toMatchObject({ result: 'passed' })
    }
  }, 60_000)
})

test('a schedule that is off or deleted launches nothing', async () => {
  const { api, store, projectId, clock, suite, set, scheduleOf, untilNext, runsOf } = await workspace()
  const [off, gone, control] = [await suite('off'), await suite('gone'), await suite('control')]
  for (const id of [off, gone]) await set(id, every(5))
  await set(control, every(10))
  expect((await set(off, { enabled: false })).schedule).toMatchObject({
    enabled: false,
    intervalMinutes: 5,
    nextRunAt: null,
  })
  await api.call(suites.delete, { projectId, suiteId: gone })
  clock.time = START + 10 * MINUTE
  // Due launches are made oldest first, so the others would have come earlier.
  await untilNext(control, START + 20 * MINUTE)
  expect([await runsOf(off), (await runsOf(control)).length]).toEqual([[], 1])
  expect(store.suiteSchedules.due(Number.MAX_SAFE_INTEGER).map(({ suiteId }) => suiteId)).toEqual([control])
  expect((await set(off, { enabled: true })).schedule).toMatchObject({ nextRunAt: START + 15 * MINUTE })
  expect(await scheduleOf(control)).toMatchObject({ lastRefusal: null })
})

test('a scheduled run without a free slot is recorded as skipped, and the next one is tried again', async () => {
  const { api, projectId, clock, suite, set, untilNext, runsOf } = await workspace({ maxConcurrentRuns: 1 })
  const [busy, scheduled] = [await suite('busy', [longCase('long', 60)]), await suite('scheduled')]
  await set(scheduled, every(5))
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId: busy } })
  for (const slot of [1, 2]) {
    clock.time = START + slot * 5 * MINUTE
    const { lastRefusal, lastRunId } = (await untilNext(scheduled, START + (slot + 1) * 5 * MINUTE))!
    expect(lastRefusal).toEqual({ at: clock.time, message: expect.stringMatching(/runs? .*flight|at once/i) })
    expect([lastRunId, await runsOf(scheduled)]).toEqual([null, []])
  }
  await api.call(runs.cancel, { projectId, runId })
  clock.time = START + 15 * MINUTE
  const schedule = await untilNext(scheduled, START + 20 * MINUTE)
  expect(schedule).toMatchObject({ lastRefusal: null, lastRunId: expect.any(String) })
  expect(await runsOf(scheduled)).toHaveLength(1)
})

test('a suite that can no longer run records why at every scheduled time, and blocks no other suite', async () => {
  const { api, projectId, serverId, clock, suite, set, untilNext, runsOf } = await workspace()
  const copy = { name: 'second', transportType: 'http', url: 'http://127.0.0.1:9/mcp', enabled: true }
  const second = await api.call(servers.create, { projectId, body: copy })
  const [lost, sound] = [await suite('lost'), await suite('sound')]
  await api.call(suites.update, { projectId, suiteId: lost, body: { environment: { servers: [second.id] } } })
  await set(lost, every(5))
  await set(sound, every(5))
  await api.call(servers.delete, { projectId, serverId: second.id })
  clock.time = START + 5 * MINUTE
  const { lastRefusal } = (await untilNext(lost, START + 10 * MINUTE))!
  expect(lastRefusal).toMatchObject({ message: expect.stringContaining('no saved servers') })
  await untilNext(sound, START + 10 * MINUTE)
  expect([await runsOf(lost), (await runsOf(sound)).length]).toEqual([[], 1])
  const body = { environment: { servers: [serverId] } }
  await api.call(suites.update, { projectId, suiteId: lost, body })
  clock.time = START + 10 * MINUTE
  expect(await untilNext(lost, START + 15 * MINUTE)).toMatchObject({ lastRefusal: null })
})

describe('the environment of a schedule', () => {
  async function withEnvironments(names: string[]) {
    const known = await workspace()
    const { api, projectId, serverId, suite } = known
    const config = { modelId: 'openai/gpt-x', serverIds: [serverId] }
    const client = await api.call(clients.create, { projectId, body: { name: 'Client', config } })
    const make = async (name: string) =>
      (await api.call(environments.create, { projectId, body: { name, hostId: client.id } })).id
    const suiteId = await suite('attached')
    const ids: string[] = []
    for (const name of names) ids.push(await make(name))
    for (const environmentId of ids)
      await api.call(suites.attachEnvironment, { projectId, suiteId, body: { environmentId } })
    return { ...known, suiteId, ids, other: () => make('other') }
  }
  const pinOf = ({ schedule }: EvalSuiteDetail) => schedule?.environmentId

  test('may be left out if there is only one, and is required if there are several', async () => {
    const single = await withEnvironments(['a'])
    expect(pinOf(await single.set(single.suiteId, every(5)))).toBe(single.ids[0])
    const { suiteId, ids, set, refuse, other } = await withEnvironments(['a', 'b'])
    expect(await refuse(suiteId, every(5))).toMatchObject({
      status: 400,
      details: { field: 'environmentId', reason: 'ENVIRONMENT_REQUIRED' },
    })
    const body = every(5, { environmentId: await other() })
    expect(await refuse(suiteId, body)).toMatchObject({ status: 400, details: { field: 'environmentId' } })
    expect(pinOf(await set(suiteId, every(5, { environmentId: ids[1] })))).toBe(ids[1])
  })

  test('is kept when the schedule is switched off, and can be changed without moving the launch times', async () => {
    const { suiteId, ids, clock, set, untilNext, runsOf } = await withEnvironments(['a', 'b'])
    await set(suiteId, every(10, { environmentId: ids[0] }))
    expect((await set(suiteId, { enabled: false })).schedule).toMatchObject({ enabled: false, environmentId: ids[0] })
    await set(suiteId, { enabled: true, environmentId: ids[0] })
    clock.time = START + 4 * MINUTE
    expect((await set(suiteId, { enabled: true, environmentId: ids[1] })).schedule).toMatchObject({
      environmentId: ids[1],
      nextRunAt: START + 10 * MINUTE,
    })
    clock.time = START + 10 * MINUTE
    await untilNext(suiteId, START + 20 * MINUTE)
    expect((await runsOf(suiteId)).map(({ environment }) => environment?.id)).toEqual([ids[1]])
    clock.time = START + 12 * MINUTE
    const faster = await set(suiteId, every(5, { environmentId: ids[1] }))
    expect(faster.schedule).toMatchObject({ nextRunAt: START + 17 * MINUTE })
  })
})

test('an invalid schedule is refused with the reason', async () => {
  const { api, store, projectId, suite, refuse, runsOf } = await workspace()
  const suiteId = await suite('any')
  for (const [body, field] of [
    [{ enabled: true }, 'intervalMinutes'],
    [every(4), 'intervalMinutes'],
    [every(10_081), 'intervalMinutes'],
    [every(5.5), 'intervalMinutes'],
    [{ intervalMinutes: 5 }, 'enabled'],
    [every(5, { cron: '* * * * *' }), 'cron'],
    [every(5, { environmentId: 'env_none' }), 'environmentId'],
  ] as const)
    expect(await refuse(suiteId, body)).toMatchObject({ status: 400, details: { field } })
  expect(await refuse('ste_none', every(5))).toMatchObject({ status: 404 })
  const guest = createApi(api.fetch, makeKey(store, 'guest', { role: 'guest' }).key)
  const input = { projectId, suiteId, body: every(5) }
  expect(await guest.refused(suites.schedule, input)).toMatchObject({ status: 403 })
  expect(await runsOf(suiteId)).toEqual([])
})

test('the next launch is the first one after a given time, and launch times never shift', () => {
  const time = fc.integer({ min: 0, max: 4e12 })
  const interval = fc.integer({ min: 5, max: 10_080 }).map(minutes => minutes * MINUTE)
  fc.assert(
    fc.property(time, interval, fc.integer({ min: -1e9, max: 1e11 }), (startsAt, intervalMs, passed) => {
      const now = startsAt + passed
      const slot = nextSlot(startsAt, intervalMs, now)
      expect(slot).toBeGreaterThan(now)
      expect((slot - startsAt) % intervalMs).toBe(0)
      expect(slot).toBeGreaterThanOrEqual(startsAt + intervalMs)
      // No launch time is between now and the one that was found.
      expect(slot - intervalMs <= now || slot === startsAt + intervalMs).toBe(true)
      expect(nextSlot(startsAt, intervalMs, slot)).toBe(slot + intervalMs)
    }),
  )
})
