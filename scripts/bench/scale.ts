import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { openTerminal, type Terminal } from '../../test/pty/terminal.ts'
import { recordFindings } from '../../test/many-findings.ts'
import { newId } from '../../src/service/core/ids.ts'
import type { Store } from '../../src/service/core/database/store.ts'
import { openStore } from '../../src/service/workspace/store.ts'
import { respond, settle, type Response } from './measure.ts'
import { residentMegabytes } from './process.ts'
import { startOn, type Build } from './program.ts'
import { number, table } from './report.ts'
import { median, quantile } from './statistics.ts'
import { prepareEchoes } from './workspaces.ts'

/** Number of records of each list in a workspace; `sessions` are trials of its latest runs. */
type Sizes = Record<ListName, number>
type ListName = 'runs' | 'sessions' | 'findings' | 'servers'

const LARGE: Sizes = { runs: 20_000, sessions: 10_000, findings: 5_000, servers: 2_000 }
const SMALL: Sizes = { runs: 20, sessions: 20, findings: 20, servers: 20 }
/** Maximum factor between a figure of the long list and that of the short list. */
const MOST = 1.3
const MINUTE = 60_000
/** Time between runs, so that the oldest of the long list is more than a year old. */
const APART_MS = 30 * MINUTE
/** Milliseconds of rest before memory is read: V8 frees some for seconds after its work. */
const REST_MS = 15_000
/** Number of keys down, and as many up, twice: some twenty seconds, in which the list is refreshed. */
const KEYS_A_WAY = 30

type Workspace = { dataDir: string; projectId: string; suiteId: string; sizes: Sizes }

/** Figures of one list at one size; times in milliseconds, memory in megabytes. */
export type ScaleSample = { start: number; loaded: number; keys: readonly Response[]; memory: number }
export type ScaleRun = Map<ListName, { large: ScaleSample[]; small: ScaleSample[] }>

/** Opens each list, or those with one of these names, at both sizes in turn. */
export async function measureScale(build: Build, rounds: number, names: readonly string[]): Promise<ScaleRun> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-bench-scale-'))
  try {
    const large = await prepare(join(folder, 'large'), LARGE)
    const small = await prepare(join(folder, 'small'), SMALL)
    const lists = LISTS.filter(name => names.length === 0 || names.includes(name))
    const run: ScaleRun = new Map(lists.map(name => [name, { large: [], small: [] }]))
    for (let round = 0; round < rounds; round += 1)
      for (const name of lists) {
        process.stderr.write(`round ${round + 1}: ${name}\n`)
        run.get(name)!.small.push(await sample(build, small, name))
        run.get(name)!.large.push(await sample(build, large, name))
      }
    return run
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const LISTS = Object.keys(LARGE) as ListName[]

/** Writes records as the service itself does, below a suite that really ran. */
async function prepare(dataDir: string, sizes: Sizes): Promise<Workspace> {
  const { projectId, suiteId } = await prepareEchoes(dataDir, 1)
  const store = openStore({ dataDir })
  try {
    store.write(() => {
      addRuns(store, { projectId, suiteId }, sizes)
      addServers(store, projectId, sizes.servers)
      recordFindings(store, projectId, sizes.findings)
    })
  } finally {
    store.close()
  }
  return { dataDir, projectId, suiteId, sizes }
}

/** Adds older runs below the one that ran, whose own trials are sessions too. */
function addRuns(store: Store, of: { projectId: string; suiteId: string }, sizes: Sizes): void {
  const [first] = store.runs.listBySuite(of.projectId, of.suiteId, 1)
  if (!first) throw new Error('the suite did not run')
  const cases = store.runs.cases(first.id)
  const trials = store.trials.list(first.id)
  for (let index = 1; index < sizes.runs; index += 1) {
    const at = first.createdAt - (sizes.runs - index) * APART_MS
    const run = { ...first, id: newId('run'), number: first.number + index }
    store.runs.insert({ ...run, createdAt: at, startedAt: at, completedAt: at + 2_000 }, cases)
    if (sizes.runs - index > sizes.sessions - trials.length) continue
    store.trials.insert([{ ...trials[0]!, id: newId('itr'), runId: run.id, startedAt: at }])
  }
}

function addServers(store: Store, projectId: string, count: number): void {
  const [first] = store.servers.list(projectId)
  if (!first) throw new Error('there is no server to copy')
  for (let index = 1; index < count; index += 1)
    store.servers.insert({ ...first, id: newId('srv'), name: `server ${String(index).padStart(4, '0')}` })
}

const placeOf = (name: ListName, { projectId, suiteId }: Workspace): string =>
  name === 'runs' ? `projects/${projectId}/runs?suiteId=${suiteId}&pane=runs` : `projects/${projectId}/${name}`

/** Matches the position and the count in the title of the list; a line that says how much was read is below it. */
const counted = /(\d+) of (\d+)/g

function countIn(terminal: Terminal, name: ListName): number {
  // The title of the suites comes before that of their runs.
  const found = [...terminal.screen().matchAll(counted)][name === 'runs' ? 1 : 0]
  return Number(found?.[2] ?? 0)
}

async function sample(build: Build, workspace: Workspace, name: ListName): Promise<ScaleSample> {
  const home = createHome()
  const { command, args, prepare: fill } = startOn(build, { ...workspace, cases: 1, place: placeOf(name, workspace) })
  fill(home)
  await using ends = new AsyncDisposableStack()
  ends.defer(() => removeHome(home))
  await using terminal = openTerminal({ command, args, home, cols: 120, rows: 40 })
  await terminal.waitFor(shown => countIn(shown, name) > 0, 60_000)
  const start = performance.now() - terminal.startedAt
  if (name === 'runs') await readRuns(terminal)
  await terminal.waitFor(shown => countIn(shown, name) >= workspace.sizes[name], 300_000)
  if (name === 'runs') terminal.press('home')
  const loaded = performance.now() - terminal.startedAt
  await settle(terminal)
  await delay(REST_MS)
  const memory = residentMegabytes(terminal.pid)
  const keys: Response[] = []
  for (const key of ['down', 'up', 'down', 'up'] as const)
    for (let index = 0; index < KEYS_A_WAY; index += 1) keys.push(await respond(terminal, () => terminal.press(key)))
  return { start, loaded, keys, memory }
}

/** Reads all older runs, which are read only on request, by asking for a date before the first one. */
async function readRuns(terminal: Terminal): Promise<void> {
  await settle(terminal)
  terminal.press('alt+g')
  await terminal.waitFor('Go to a date')
  terminal.type('9y')
  terminal.press('ctrl+s')
}

type Figure = readonly [title: string, unit: string, of: (samples: readonly ScaleSample[]) => number]

const FIGURES: readonly Figure[] = [
  ['first rows', ' ms', samples => median(samples.map(each => each.start))],
  ['key to paint, p50', ' ms', samples => median(keyTimes(samples))],
  ['key to paint, p95', ' ms', samples => quantile(keyTimes(samples), 0.95)],
  ['bytes a key', '', samples => median(samples.flatMap(each => each.keys.map(key => key.bytes)))],
  ['memory', ' MB', samples => median(samples.map(each => each.memory))],
]

function keyTimes(samples: readonly ScaleSample[]): number[] {
  return samples.flatMap(each => each.keys.map(key => key.first)).filter(time => !Number.isNaN(time))
}

/** Returns a row for each list: each figure of the long list, and its ratio to the same figure of the short list. */
export function scaleTable(run: ScaleRun): string {
  const rows = [...run].map(([name, { large, small }]) => {
    const cells = FIGURES.map(([, unit, of]) => {
      const ratio = of(large) / of(small)
      return `${number(of(large))}${unit}, ${ratio > MOST ? `**${ratio.toFixed(2)}×**` : `${ratio.toFixed(2)}×`}`
    })
    return [
      `${LARGE[name].toLocaleString('en')} ${name}`,
      ...cells,
      `${number(median(large.map(each => each.loaded)) / 1000)} s`,
    ]
  })
  return table(['', ...FIGURES.map(([title]) => title), 'all read'], rows)
}
