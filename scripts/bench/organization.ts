import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { openTerminal, type Terminal } from '../../test/pty/terminal.ts'
import { randomNumbers } from '../../test/random-numbers.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { createService } from '../../src/service/workspace/service.ts'
import type { Build } from './program.ts'
import { number, percent, table } from './report.ts'
import { startServe } from './serve.ts'
import { cpuMilliseconds, residentMegabytes } from './process.ts'
import { median, quantile } from './statistics.ts'
import { caller } from './workspaces.ts'

/** Size of an organization with a person on call. */
const [projects, suites] = [51, 20]
/**
 * Positions, in the list of projects, of the project whose suite is red when Now opens, one for each start: they affect
 * the delay most. The screen Now reads the list backwards.
 */
const openings = [1, 13, 25, 37, 49]
/** Number of failures in each row of the table, and the maximum milliseconds between two, in any project. */
const [failures, longestBetween] = [5, 60_000]
/** Number of runs of one project that are in flight in the row `beside`. */
const running = 3
/** Milliseconds for the first read of everything, which must end before new failures count. */
const firstLook = 60_000
/** Milliseconds for which the person is away before returning to what Now knew. */
const away = 90_000
/** Milliseconds without a key after which other screens pause. */
const rested = 11 * 60_000
/** Milliseconds between two keys of a watching person. */
const keyEvery = 20_000
const longest = 600_000
/** Minutes after which memory is measured: the first read fills the cache. */
const warm = 5

/** The rows of the table: seconds until each failed run was on the screen. */
type Row = 'opening' | 'returning' | 'later' | 'unattended' | 'beside'
type Hour = { first: number; last: number; most: number; core: number; minutes: number }

/** The rows, the service's refusals, and the cost of Now over a long time. */
export type OrganizationSample = {
  rows: Readonly<Record<Row, readonly number[]>>
  /** Share of the requests of the row `beside`, from 0 to 1, for the runs in flight and their trials. */
  progress: number
  refused: number
  asked: number
  hour: Hour
}

/**
 * Measures Now over an organization: the dashboard with `mcpdeck serve` at the contract's limits. All rows are measured
 * at the same time; each has its own service and home, and waits for the limits.
 * @param minutes how long memory is watched
 */
export async function measureOrganization(build: Build, minutes: number): Promise<OrganizationSample> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-bench-organization-'))
  try {
    const dataDir = join(folder, 'data')
    const ids = await prepare(dataDir)
    const copied = (name: string): string => {
      cpSync(dataDir, join(folder, name), { recursive: true })
      return join(folder, name)
    }
    const logOf = (name: string): string => join(folder, `${name}.jsonl`)
    const stageOf = (name: string): Stage => ({ build, dataDir: copied(name), log: logOf(name), ids })
    const busy = stageOf('beside')
    const runningIds = await leaveRunning(busy.dataDir, ids[3]!)
    const busyHour = stageOf('hour')
    await leaveRunning(busyHour.dataDir, ids[3]!)
    const [opening, returning, later, unattended, beside, hour] = await Promise.all([
      openAnew(stageOf('opening')),
      comeBack(stageOf('returning')),
      failLater(stageOf('later'), { quiet: firstLook, keys: true }),
      failLater(stageOf('unattended'), { quiet: rested, keys: false }),
      failLater(busy, { quiet: firstLook, keys: true }),
      watchMemory(busyHour, minutes),
    ])
    const rows = { opening, returning, later, unattended, beside }
    const requests = [...Object.keys(rows), 'hour'].flatMap(name => requestsIn(logOf(name)))
    const besideRuns = requestsIn(busy.log)
    const forThem = besideRuns.filter(({ path }) => runningIds.some(id => path.includes(id)))
    const refused = requests.filter(({ status }) => status === 429).length
    return { rows, progress: forThem.length / besideRuns.length, refused, asked: requests.length, hour }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Data of one row of the table. */
type Stage = { build: Build; dataDir: string; log: string; ids: readonly string[] }

/** Measures a suite that is red when Now opens in an empty home. */
async function openAnew(stage: Stage): Promise<number[]> {
  const times: number[] = []
  for (const index of openings) {
    const dataDir = `${stage.dataDir}-${index}`
    cpSync(stage.dataDir, dataDir, { recursive: true })
    await report(dataDir, stage.ids[index]!, 'Red')
    times.push(await watch({ ...stage, dataDir }, terminal => untilShown(terminal, 'Red suite', terminal.startedAt)))
    tell('opening', times)
  }
  return times
}

/**
 * Measures a suite that failed while Now was closed, in a home where Now knows the earlier states. The screen Now first
 * reads suites that were red before, so the projects are taken in this order: each keeps its position.
 */
async function comeBack(stage: Stage): Promise<number[]> {
  const home = createHome()
  const times: number[] = []
  try {
    await using served = await serve(stage)
    await show(stage, served, home, () => delay(firstLook))
    for (const [each, index] of openings.toReversed().entries()) {
      await delay(away)
      await report(stage.dataDir, stage.ids[index]!, `Back${each}x`)
      const look = async (terminal: Terminal): Promise<number> => {
        const took = await untilShown(terminal, `Back${each}x`, terminal.startedAt)
        await delay(firstLook / 2)
        return took
      }
      times.push(await show(stage, served, home, look))
      tell('returning', times)
    }
  } finally {
    removeHome(home)
  }
  return times
}

/** Measures suites that fail while Now is open. */
async function failLater(stage: Stage, { quiet, keys }: { quiet: number; keys: boolean }): Promise<number[]> {
  const random = randomNumbers(51)
  return await watch(stage, async terminal => {
    using presses = keys ? pressKeys(terminal) : undefined
    await delay(quiet)
    const times: number[] = []
    for (let each = 0; each < failures; each += 1) {
      await delay(random.next() * longestBetween)
      await report(stage.dataDir, random.pick(stage.ids), `Late${each}x`)
      times.push(await untilShown(terminal, `Late${each}x`, performance.now()))
      tell(presses ? 'with keys' : 'without a key', times)
    }
    return times
  })
}

/** Measures the memory in megabytes and the share of a core of Now with keys, beside runs in flight. */
async function watchMemory(stage: Stage, minutes: number): Promise<Hour> {
  return await watch(stage, async terminal => {
    using _presses = pressKeys(terminal)
    await delay(Math.min(warm, minutes / 2) * 60_000)
    const [from, cpu] = [performance.now(), cpuMilliseconds(terminal.pid)]
    const memory: number[] = []
    const until = terminal.startedAt + minutes * 60_000
    do {
      memory.push(residentMegabytes(terminal.pid))
      process.stderr.write(`memory: ${memory.at(-1)?.toFixed(0)} MB\n`)
      await delay(60_000)
    } while (performance.now() < until)
    const core = (cpuMilliseconds(terminal.pid) - cpu) / (performance.now() - from)
    return { first: memory[0]!, last: memory.at(-1)!, most: Math.max(...memory), core, minutes }
  })
}

async function untilShown(terminal: Terminal, text: string, from: number): Promise<number> {
  await terminal.waitFor(text, longest)
  return (performance.now() - from) / 1000
}

function pressKeys(terminal: Terminal): Disposable {
  let down = false
  const timer = setInterval(() => {
    down = !down
    terminal.press(down ? 'down' : 'up')
  }, keyEvery)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function tell(row: string, times: readonly number[]): void {
  process.stderr.write(`${row}, ${times.length}: ${times.at(-1)?.toFixed(1)} s\n`)
}

/**
 * Maximum growth of memory from the fifth minute to the end that counts as flat, in megabytes, and maximum share of a
 * core.
 */
const [flat, mostCore] = [10, 0.01]

export function organizationTable({ rows, hour, ...requests }: OrganizationSample): string {
  const row = (what: string, times: readonly number[], goal: readonly [number, number]): string[] => {
    const [middle, worst] = [median(times), quantile(times, 1)]
    const isMet = middle <= goal[0] && worst <= goal[1]
    return [what, `${number(middle)} s`, `${number(worst)} s`, `${goal[0]} / ${goal[1]} s`, isMet ? 'yes' : '**no**']
  }
  const grown = hour.last - hour.first
  return [
    table(
      ['a failed run is on screen', 'median', 'worst', 'goal', 'met'],
      [
        row('after Now is opened for the first time', rows.opening, [20, 60]),
        row('after Now is opened again, which knows how everything stood', rows.returning, [20, 60]),
        row('after it failed, with a key now and then', rows.later, [60, 180]),
        row(`the same after ${rested / 60_000} minutes without a key`, rows.unattended, [60, 180]),
        row(`the same beside ${running} runs in flight in one project`, rows.beside, [60, 180]),
      ],
    ),
    table(
      [`Now with keys beside ${running} runs`, 'measured', 'goal', 'met'],
      [
        [
          `memory from minute ${warm} to minute ${hour.minutes}`,
          `${number(hour.first)} → ${number(hour.last)} MB, most ${number(hour.most)}`,
          `+${flat} MB`,
          grown <= flat ? 'yes' : '**no**',
        ],
        ['of a core', percent(hour.core), percent(mostCore), hour.core <= mostCore ? 'yes' : '**no**'],
      ],
    ),
    `${failures} trials a row. Of ${requests.asked} requests ${requests.refused} were refused for their rate. ` +
      `Beside the runs in flight ${percent(requests.progress)} of the requests were for them.`,
  ].join('\n\n')
}

/** Creates projects with suites that another program reported as passed. @returns their ids in the order of the list */
async function prepare(dataDir: string): Promise<string[]> {
  const service = await createService({ dataDir, validateResponses: false })
  try {
    const ask = caller(service)
    for (let index = 1; index < projects; index += 1)
      await ask(contract.projects.create, {}, { name: `Team ${String(index).padStart(2, '0')}` })
    const { items } = await ask(contract.projects.list)
    for (const { id } of items)
      for (let index = 1; index <= suites; index += 1) await reportIn(ask, id, `Nightly ${index}`, true)
    return items.map(({ id }) => id)
  } finally {
    await service.close()
  }
}

function requestsIn(log: string): { status: number; path: string }[] {
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  return lines.map(line => JSON.parse(line) as { status: number; path: string })
}

/** Opens runs that another program reports in pieces. @returns ids of the runs and their suites */
async function leaveRunning(dataDir: string, projectId: string): Promise<string[]> {
  const service = await createService({ dataDir, validateResponses: false })
  try {
    const ask = caller(service)
    const ids: string[] = []
    for (let index = 1; index <= running; index += 1) {
      const started = await ask(contract.evalIngest.start, { projectId }, { suiteName: `Nightly ${index}` })
      ids.push(...[started['runId'], started['suiteId']].filter(id => typeof id === 'string'))
    }
    return ids
  } finally {
    await service.close()
  }
}

/** Reports a failure of another program's suite. */
async function report(dataDir: string, projectId: string, name: string): Promise<void> {
  const service = await createService({ dataDir, validateResponses: false })
  try {
    await reportIn(caller(service), projectId, `${name} suite`, false)
  } finally {
    await service.close()
  }
}

async function reportIn(ask: ReturnType<typeof caller>, projectId: string, suiteName: string, passed: boolean) {
  const results = [{ caseTitle: 'Answers', passed }]
  await ask(contract.evalIngest.report, { projectId }, { suiteName, results })
}

/** Opens Now on a served workspace, in an empty home. */
async function watch<T>(stage: Stage, look: (terminal: Terminal) => Promise<T>): Promise<T> {
  await using served = await serve(stage)
  const home = createHome()
  await using ends = new AsyncDisposableStack()
  ends.defer(() => removeHome(home))
  return await show(stage, served, home, look)
}

const serve = ({ build, dataDir, log }: Stage) => startServe(build, dataDir, ['--request-log', log])

type Served = Pick<Awaited<ReturnType<typeof serve>>, 'baseUrl' | 'key'>

async function show<T>({ build }: Stage, served: Served, home: string, look: (terminal: Terminal) => Promise<T>) {
  const env = { MCPDECK_BASE_URL: served.baseUrl, MCPDECK_API_KEY: served.key }
  const args = [join(build.dist, 'boot.js'), 'now']
  await using terminal = openTerminal({ command: process.execPath, args, home, env })
  const answer = await look(terminal)
  // The screen Now saves what it knows when the person leaves it.
  terminal.press('ctrl+c')
  await terminal.waitForExit()
  return answer
}
