import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { NOW_READS, type NowReadKind, type PlannedRead, urgencyOf } from './plan.ts'
import { createReadSchedule, type ScheduledRead } from './schedule.ts'
import { isInFlight, needsAttention, worthOf } from './worth.ts'
import { livePause } from '../polling/cadence.ts'
import { exactServer } from '../../../test/client/exact-server.ts'
import { VirtualClock } from '../../../test/client/virtual-clock.ts'
import { randomNumbers } from '../../../test/random-numbers.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]
const PROJECTS = 51
const SUITES = 20
const LATENCY_MS = 250
/** Time of the service when the clock of the test is at zero. */
const SERVICE_MS = Date.UTC(2026, 10, 21)

const NO_WORTH = { place: 0, movement: 0 } as const

type Run = { id: string; status: string; createdAt: number; failed: number }

/** Returns the same read in its current state. */
function asNow(state: PlannedRead, triedAt: number | undefined, worth: PlannedRead['worth'] = NO_WORTH): PlannedRead {
  state.triedAt = triedAt
  state.worth = worth
  return state
}

/** Creates an organization with runs, which the schedule reads at the default limits of the contract. */
function organization({ startAt }: { startAt: (project: number, suite: number, now: number) => number }) {
  const clock = new VirtualClock()
  // Times long ago must be long ago on this clock too.
  const budget = createBudget({ clock })
  const server = exactServer(10, 1, clock.now())
  const suites = Array.from({ length: PROJECTS }, (_, project) =>
    Array.from({ length: SUITES }, (_, suite) => ({
      id: `${project}/${suite}`,
      latestRun: {
        id: `${project}/${suite}#1`,
        status: 'completed',
        createdAt: startAt(project, suite, SERVICE_MS),
        failed: 0,
      },
    })),
  )
  /** Time at which each run was first shown as failed. */
  const seen = new Map<string, number>()
  const sent = new Map<NowReadKind, number>()
  const known = new Map<number, { id: string; latestRun: Run }[]>()
  /** Last known state of each suite, the time since it has that state, and the read of the suite. */
  const changes = new Map<string, { latestRun: Run; mark: string; at: number | undefined; read: ScheduledRead }>()
  const tried = new Map<string, number>()
  const underWay = new Set<string>()
  let looks = 0
  let isNews = false
  let worth: ReturnType<typeof worthOf> = new Map()
  const rank = () => {
    const all = Array.from({ length: PROJECTS }, (_, project) => ({
      project: { id: `${project}`, updatedAt: undefined },
      suites: known.get(project),
    }))
    worth = worthOf(all, undefined, SERVICE_MS + clock.now())
  }
  const read = (
    kind: NowReadKind,
    project: number | undefined,
    options: { id?: string; needsAttention?: boolean; changedAt?: number | undefined; answer?: () => void },
  ): ScheduledRead => {
    const key = `${kind === 'live' ? 'runs' : kind} ${project ?? ''} ${options.id ?? ''}`
    const { changedAt, needsAttention: urges = false } = options
    const name = `${project}`
    const state: PlannedRead = {
      kind,
      triedAt: undefined,
      pause: NOW_READS[kind].every,
      changedAt,
      needsAttention: urges,
      worth: NO_WORTH,
    }
    return {
      // This is called millions of times.
      look() {
        looks += 1
        return underWay.has(key) ? undefined : asNow(state, tried.get(key), worth.get(name))
      },
      async send() {
        underWay.add(key)
        const permit = await budget.acquire({ priority: NOW_READS[kind].priority, owner: 'now' })
        sent.set(kind, (sent.get(kind) ?? 0) + 1)
        await new Promise<void>(resolve => clock.after(LATENCY_MS / 2, resolve))
        server.arrive(clock.now())
        options.answer?.()
        await new Promise<void>(resolve => clock.after(LATENCY_MS / 2, resolve))
        permit.release()
        tried.set(key, clock.now())
        underWay.delete(key)
        if (kind === 'projects' || isNews) show()
        isNews = false
      },
    }
  }
  const schedule = createReadSchedule({
    clock,
    pace: () => {
      const { tokens, capacity, pollers, refillPerSecond } = budget.snapshot()
      return {
        tokens,
        capacity,
        hurries: true,
        requestMs: livePause({ unlimited: false, pollers, refillPerSecond }, 2) / 2,
      }
    },
  })
  const note = (project: number, suite: { id: string; latestRun: Run }): void => {
    const { latestRun } = suite
    const mark = JSON.stringify(latestRun)
    const before = changes.get(suite.id)
    const changedAt = before?.mark === mark ? before.at : before && clock.now()
    const options = {
      id: suite.id,
      needsAttention: needsAttention(suite),
      changedAt,
      answer: () => {
        const now = suites[project]![Number(suite.id.split('/')[1])]!.latestRun
        if (now.failed > 0 && !seen.has(now.id)) seen.set(now.id, clock.now())
      },
    }
    const how = read(isInFlight(suite) ? 'live' : 'runs', project, options)
    changes.set(suite.id, { latestRun, mark, at: changedAt, read: how })
  }
  const readsOfSuite = (project: number, suite: { id: string; latestRun: Run }): ScheduledRead[] => {
    const { latestRun } = suite
    if (changes.get(suite.id)?.latestRun !== latestRun) note(project, suite)
    if (!needsAttention(suite) && latestRun.createdAt < SERVICE_MS + clock.now() - 48 * HOUR) return []
    return [changes.get(suite.id)!.read]
  }
  // As on screen, an answer equal to the previous one causes no render.
  const learn = (project: number) => {
    isNews ||= !isDeepStrictEqual(known.get(project), suites[project])
    known.set(project, structuredClone(suites[project]!))
  }
  const show = () => {
    rank()
    const isListed = tried.has('projects  ')
    schedule.set([
      read('projects', undefined, {}),
      ...(isListed ? [...suites.keys()] : []).flatMap(project => [
        read('suites', project, { answer: () => learn(project) }),
        ...(['rights', 'scenarios', 'waves', 'swarm'] as const).map(kind => read(kind, project, {})),
        ...(known.get(project) ?? []).flatMap(suite => readsOfSuite(project, suite)),
      ]),
    ])
  }
  return {
    clock,
    server,
    seen,
    sent,
    show,
    looks: () => looks,
    stop: () => schedule.stop(),
    tokens: () => budget.snapshot().tokens,
    /** Marks everything as read this many milliseconds ago. */
    comeBack(ago: number) {
      tried.set('projects  ', clock.now() - ago)
      for (const project of suites.keys()) {
        learn(project)
        for (const kind of ['suites', 'rights', 'scenarios', 'waves', 'swarm'])
          tried.set(`${kind} ${project} `, clock.now() - ago)
        for (const { id } of suites[project]!) tried.set(`runs ${project} ${id}`, clock.now() - ago)
      }
    },
    set(project: number, suite: number, latestRun: Run) {
      suites[project]![suite]!.latestRun = latestRun
    },
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]!
}

/** Gives three projects a run this hour, eight of them one in the last day, and the others none for a month. */
function lately(project: number, _suite: number, now: number): number {
  return now - (project % 17 === 3 ? 30 * MINUTE : project % 6 === 1 ? 20 * HOUR : 30 * 24 * HOUR)
}

/** A failed run of three days ago, without its id. */
const red = { status: 'completed', createdAt: SERVICE_MS - 3 * 24 * HOUR, failed: 2 }

function justNow(_project: number, _suite: number, now: number): number {
  return now - 10 * MINUTE
}

/** Adds runs that are always in flight, to suites of one project. */
function run({ clock, set }: ReturnType<typeof organization>, suites: readonly number[]): void {
  for (const suite of suites)
    set(3, suite, { id: `live ${suite}`, status: 'running', createdAt: SERVICE_MS + clock.now(), failed: 0 })
}

test('a failed run in any of 51 projects is shown within 20 s in the median, and a minute at most', async () => {
  const waited: number[] = []
  for (let project = 0; project < PROJECTS; project += 5) {
    const world = organization({ startAt: lately })
    const openedAt = world.clock.now()
    world.set(project, project % SUITES, {
      id: 'red',
      status: 'completed',
      createdAt: SERVICE_MS - 3 * 24 * HOUR,
      failed: 2,
    })
    world.show()
    await world.clock.advance(90 * SECOND)
    world.stop()
    waited.push((world.seen.get('red') ?? Infinity) - openedAt)
    expect(world.server.refused).toBe(0)
  }
  expect(quantile(waited, 0.5)).toBeLessThanOrEqual(20 * SECOND)
  expect(Math.max(...waited)).toBeLessThanOrEqual(60 * SECOND)
})

test('after a pause, suites that had failed are read first, and the others as soon as at a first start', async () => {
  const until = async (world: ReturnType<typeof organization>, holds: () => boolean) => {
    const openedAt = world.clock.now()
    world.show()
    while (!holds() && world.clock.now() < openedAt + MINUTE) await world.clock.advance(SECOND / 10)
    return world.clock.now() - openedAt
  }
  const fresh = organization({ startAt: lately })
  const first = await until(fresh, () => fresh.sent.get('suites') === PROJECTS)
  const reds = Array.from({ length: 8 }, (_, each) => 2 + each * 6)
  const comeBack = () => {
    const world = organization({ startAt: lately })
    for (const project of reds) world.set(project, 1, { ...red, id: `red ${project}` })
    world.comeBack(10 * HOUR)
    return world
  }
  const same = comeBack()
  expect(await until(same, () => same.sent.get('suites') === PROJECTS)).toBeLessThanOrEqual(first + SECOND)
  const again = comeBack()
  for (const project of reds) again.set(project, 1, { ...red, id: `again ${project}` })
  expect(await until(again, () => again.seen.size === reds.length)).toBeLessThanOrEqual(15 * SECOND)
  for (const world of [fresh, same, again]) {
    world.stop()
    expect(world.server.refused).toBe(0)
  }
})

test('a failure after a running run is on screen within a minute in the median, and three at most', async () => {
  const world = organization({ startAt: lately })
  const { clock } = world
  run(world, [0, 1, 2])
  world.show()
  await clock.advance(2 * MINUTE)
  const endedAt = new Map<string, number>()
  for (let each = 0; each < 12; each += 1) {
    // Every third failure is in a project that was inactive for a month.
    const project = each % 3 === 0 ? (each * 7) % PROJECTS : each % 3 === 1 ? 20 : 7
    const suite = 3 + (each % (SUITES - 3))
    const createdAt = SERVICE_MS + clock.now()
    world.set(project, suite, { id: `run ${each}`, status: 'running', createdAt, failed: 0 })
    await clock.advance((10 + ((each * 37) % 100)) * SECOND)
    world.set(project, suite, { id: `run ${each}`, status: 'completed', createdAt, failed: 1 })
    endedAt.set(`run ${each}`, clock.now())
    await clock.advance(20 * SECOND)
  }
  await clock.advance(4 * MINUTE)
  world.stop()
  const waited = [...endedAt].map(([id, at]) => (world.seen.get(id) ?? Infinity) - at)
  expect(quantile(waited, 0.5)).toBeLessThanOrEqual(MINUTE)
  expect(Math.max(...waited)).toBeLessThanOrEqual(3 * MINUTE)
  expect(world.server.refused).toBe(0)
})

test('all scenario lists are read within two and a half minutes, with requests left for the person', async () => {
  const world = organization({ startAt: lately })
  world.show()
  await world.clock.advance(80 * SECOND)
  let least = Infinity
  for (let second = 0; second < 70; second += 1) {
    await world.clock.advance(SECOND)
    least = Math.min(least, world.tokens())
  }
  world.stop()
  expect(world.sent.get('scenarios')).toBeGreaterThanOrEqual(PROJECTS)
  expect(least).toBeGreaterThanOrEqual(3)
})

test.each([
  { beside: 'nothing in flight', live: [] },
  { beside: 'three runs of one project in flight, which take a quarter of the requests', live: [0, 1, 2] },
])('failures anywhere, at any time, with $beside, are soon on screen', async ({ live }) => {
  const world = organization({ startAt: justNow })
  const { clock, sent } = world
  run(world, live)
  world.show()
  await clock.advance(MINUTE)
  const endedAt = new Map<string, number>()
  const random = randomNumbers(7)
  const before = new Map(sent)
  for (let each = 0; each < 24; each += 1) {
    await clock.advance(Math.round(random.next() * MINUTE))
    const createdAt = SERVICE_MS + clock.now()
    const failed = { id: `run ${each}`, status: 'completed', createdAt, failed: 1 }
    world.set(random.below(PROJECTS), 3 + random.below(SUITES - 3), failed)
    endedAt.set(failed.id, clock.now())
  }
  await clock.advance(2 * MINUTE)
  world.stop()
  const waited = [...endedAt].map(([id, at]) => (world.seen.get(id) ?? Infinity) - at)
  const requests = [...sent].map(([kind, count]) => ({ kind, count: count - (before.get(kind) ?? 0) }))
  const total = requests.reduce((sum, { count }) => sum + count, 0)
  expect(quantile(waited, 0.5)).toBeLessThanOrEqual(50 * SECOND)
  expect(Math.max(...waited)).toBeLessThanOrEqual(2 * MINUTE)
  expect(world.server.refused).toBe(0)
  expect(requests.find(({ kind }) => kind === 'live')?.count ?? 0).toBeLessThanOrEqual(total / 4)
})

test('a thousand reads are examined completely at most once for every two requests', async () => {
  const world = organization({ startAt: justNow })
  world.show()
  await world.clock.advance(3 * MINUTE)
  const all = PROJECTS * (SUITES + 5) + 1
  const count = () => [...world.sent.values()].reduce((sum, each) => sum + each, 0)
  const before = { looks: world.looks(), sent: count() }
  await world.clock.advance(2 * MINUTE)
  world.stop()
  const sent = count() - before.sent
  expect(sent).toBeGreaterThan(100)
  expect((world.looks() - before.looks) / all / sent).toBeLessThan(0.5)
})

test('a failing project is read more often than one that passed, which is read more often than an inactive one', () => {
  const suites = [
    { latestRun: { id: '1', status: 'completed', createdAt: 0, failed: 3 } },
    { latestRun: { id: '2', status: 'completed', createdAt: SERVICE_MS - 20 * HOUR, failed: 0 } },
    { latestRun: { id: '3', status: 'completed', createdAt: 0, failed: 0 } },
  ]
  const all = suites.map((suite, index) => ({ project: { id: `${index}`, updatedAt: undefined }, suites: [suite] }))
  const worth = worthOf(all, undefined, SERVICE_MS)
  const pause = NOW_READS.suites.every
  const urgencies = suites.map((_, index) =>
    urgencyOf(
      {
        kind: 'suites',
        triedAt: HOUR,
        pause,
        changedAt: undefined,
        needsAttention: false,
        worth: worth.get(`${index}`)!,
      },
      HOUR,
      HOUR + 3 * pause,
    ),
  )
  expect(urgencies).toEqual(urgencies.toSorted((one, other) => other - one))
  expect(new Set(urgencies).size).toBe(suites.length)
})
