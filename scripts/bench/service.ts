import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'undici'
import { API_PREFIX } from '../../src/api/contract/contract.ts'
import { plainHeaders } from '../../src/api/contract/message.ts'
import { createService } from '../../src/service/workspace/service.ts'
import type { Build } from './program.ts'
import { number, table } from './report.ts'
import { startServe } from './serve.ts'
import { median, quantile } from './statistics.ts'
import { iterations, prepareEchoes } from './workspaces.ts'

/** Number of cases of the measured suite, which runs each ten times: the trials of one run. */
const cases = 100
const trialsOfRun = cases * iterations
/** Number of requests for one figure: one after the other, and several at once. */
const [single, parallel, atOnce] = [200, 600, 16]
const launches = 40

/** Requests a path below the API and reads the whole answer. */
type Ask = (path: string, body?: object) => Promise<unknown>
type Door = AsyncDisposable & {
  name: string
  ask: Ask
  /** Drops connections that were idle while the service was measured in another way. */
  reconnect: () => void
}

/** Milliseconds of requests one after the other, and requests a second of several at once; NaN if not measured. */
export type ServiceSample = { times: readonly number[]; perSecond: number }
/** Samples by the way of reaching the service, then by the kind of request. */
export type ServiceSamples = Map<string, Map<string, ServiceSample[]>>

type Measured = {
  /** Note after the figures; empty for the full database. */
  note: string
  dataDir: string
  projectId: string
  suiteId: string
  runIds: readonly string[]
}

const DOORS = [openHere, openServed([]), openServed(['--rate-limit', '1000000', '--burst', '1000000'])]

/**
 * Measures the local workspace in this process, over loopback, and over loopback with request limits.
 * @param trials number in the full database, rounded to thousands
 */
export async function measureService(build: Build, rounds: number, trials: number): Promise<ServiceSamples> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-bench-service-'))
  const samples: ServiceSamples = new Map()
  try {
    const [full, fresh] = [join(folder, 'full'), join(folder, 'fresh')]
    const workspaces = [await prepareMany(full, Math.ceil(trials / trialsOfRun)), await prepareOne(fresh)]
    for (let round = 0; round < rounds; round += 1)
      for (const measured of workspaces) await measureRound(build, measured, samples)
    return samples
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Takes every figure in all ways of reaching the service in turn, so that a disturbance of the machine affects all of
 * them.
 */
async function measureRound(build: Build, measured: Measured, samples: ServiceSamples): Promise<void> {
  await using doors = new AsyncDisposableStack()
  const opened: (readonly [Door, Map<string, () => Promise<ServiceSample>>])[] = []
  for (const open of DOORS) {
    const door = doors.use(await open(measured.dataDir, build))
    opened.push([door, await figuresOf(door, measured)])
  }
  for (const what of opened[0]?.[1].keys() ?? [])
    for (const [{ name, reconnect }, figures] of opened) {
      reconnect()
      process.stderr.write(`${what}, ${name}\n`)
      const of = samples.get(name) ?? new Map<string, ServiceSample[]>()
      samples.set(name, of)
      const taken = await figures.get(what)?.()
      if (taken) of.set(what, [...(of.get(what) ?? []), taken])
    }
}

/**
 * Warms up one way of reaching the service (in process, over loopback, with limits); returns what measures each kind of
 * request there.
 */
async function figuresOf({ ask }: Door, { note, projectId, suiteId, runIds }: Measured) {
  const below = `/projects/${projectId}`
  let turn = 0
  // Another run each time, so that no page is cached by the previous request.
  const anyRun = () => `${below}/eval-runs/${runIds[(turn = (turn + 37) % runIds.length)]}`
  const run = () => ask(anyRun())
  const page = () => ask(`${anyRun()}/iterations?limit=50`)
  for (let i = 0; i < 50; i += 1) await Promise.all([run(), page()])
  const launch = async () => {
    const body = { suiteId, iterationOverride: iterations }
    const { runId } = (await ask(`${below}/eval-runs`, body)) as { runId: string }
    return `${below}/eval-runs/${runId}`
  }
  const figures: [string, () => Promise<ServiceSample>][] = [
    ['an ended run', () => sample(run)],
    ['a page of 50 trials', () => sample(page)],
    ['a new run of 1,000 trials', () => sampleLaunches(launch, ask)],
    ['a page of 50 trials while a run executes', () => sampleBeside(launch, ask, page)],
    ['the run that executes', () => sampleBeside(launch, ask, path => ask(path))],
  ]
  return new Map(figures.map(([what, take]) => [what + note, take]))
}

/** Cancels each run before the next one, because the number of runs in flight is limited. */
async function sampleLaunches(launch: () => Promise<string>, ask: Ask): Promise<ServiceSample> {
  const times: number[] = []
  for (let i = 0; i < launches; i += 1) {
    let path = ''
    times.push(
      await timed(async () => {
        path = await launch()
      }),
    )
    await ask(`${path}/cancel`, {})
  }
  return { times, perSecond: Number.NaN }
}

async function sample(send: () => Promise<unknown>): Promise<ServiceSample> {
  const times: number[] = []
  for (let i = 0; i < single; i += 1) times.push(await timed(send))
  let left = parallel
  const work = async () => {
    while (left-- > 0) await send()
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: atOnce }, work))
  return { times, perSecond: (parallel / (performance.now() - begun)) * 1000 }
}

/** Counts only requests while the run was in flight; launches another run until there are enough. */
async function sampleBeside(
  launch: () => Promise<string>,
  ask: Ask,
  send: (run: string) => Promise<unknown>,
): Promise<ServiceSample> {
  const times: number[] = []
  while (times.length < single) {
    const path = await launch()
    for (;;) {
      const latest: number[] = []
      for (let i = 0; i < 20; i += 1) latest.push(await timed(() => send(path)))
      const { status } = (await ask(path)) as { status: string }
      if (status !== 'running') break
      times.push(...latest)
      if (times.length >= single) await ask(`${path}/cancel`, {})
    }
  }
  return { times, perSecond: Number.NaN }
}

async function timed(send: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await send()
  return performance.now() - begun
}

async function openHere(dataDir: string): Promise<Door> {
  const service = await createService({ dataDir, validateResponses: false })
  const headers = plainHeaders({ authorization: `Bearer ${service.localKey}` })
  const { signal } = new AbortController()
  const ask: Ask = async (path, body) => {
    const url = `http://bench.invalid${API_PREFIX}${path}`
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : { method: 'GET', body: null }
    const response = await service.answer({ url, headers, signal, ...sent })
    return readAnswer(path, response.status, response.body ?? '')
  }
  return { name: 'in the process', ask, reconnect: () => {}, [Symbol.asyncDispose]: service.close }
}

function openServed(options: readonly string[]) {
  return async (dataDir: string, build: Build): Promise<Door> => {
    const limit = options.length > 0 ? options : ['--rate-limit', '0']
    const serving = await startServe(build, dataDir, limit)
    const connect = () => new Pool(new URL(serving.baseUrl).origin, { connections: atOnce })
    let pool = connect()
    const headers = { authorization: `Bearer ${serving.key}` }
    const ask: Ask = async (path, body) => {
      const request = { path: `${API_PREFIX}${path}`, headers, method: body ? 'POST' : 'GET' } as const
      const response = await pool.request({ ...request, body: body ? JSON.stringify(body) : null })
      return readAnswer(path, response.statusCode, await response.body.text())
    }
    const reconnect = () => {
      void pool.destroy()
      pool = connect()
    }
    const close = async () => {
      await pool.destroy()
      await serving[Symbol.asyncDispose]()
    }
    const name = options.length > 0 ? 'over loopback, requests counted' : 'over loopback'
    return { name, ask, reconnect, [Symbol.asyncDispose]: close }
  }
}

function readAnswer(path: string, status: number, body: string): unknown {
  const answer: unknown = JSON.parse(body)
  // A cancelled run may have ended just before.
  if (status >= 300 && status !== 409) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`)
  return answer
}

/** Creates a workspace that contains nothing but one run. */
async function prepareOne(dataDir: string): Promise<Measured> {
  const { projectId, suiteId } = await prepareEchoes(dataDir, cases)
  const database = new DatabaseSync(join(dataDir, 'mcpdeck.sqlite'))
  const runIds = database.prepare('SELECT id FROM run').all()
  database.close()
  const note = ', database with one run'
  return { note, dataDir, projectId, suiteId, runIds: runIds.map(row => String(row['id'])) }
}

/** Creates a workspace whose suite really ran, with that run and its trials copied this many times. */
async function prepareMany(dataDir: string, runs: number): Promise<Measured> {
  const { projectId, suiteId } = await prepareEchoes(dataDir, cases)
  const database = new DatabaseSync(join(dataDir, 'mcpdeck.sqlite'))
  // Ids start with their time, so the ids of one run are adjacent.
  const copyOf = (id: string) => `substr(${id}, 1, 4) || printf('%05d', :copy) || substr(${id}, 5)`
  const copied = {
    run: { id: copyOf('id'), number: 'number + :copy' },
    runCase: { runId: copyOf('runId') },
    trial: { id: copyOf('id'), runId: copyOf('runId') },
    trialOutcome: { trialId: copyOf('trialId') },
  }
  try {
    database.exec('CREATE TEMP TABLE first AS SELECT id FROM run')
    database.exec('CREATE TEMP TABLE firstTrial AS SELECT id FROM trial')
    database.exec('BEGIN')
    for (const [name, changes] of Object.entries(copied)) {
      const [key = ''] = Object.keys(changes)
      const columns = database
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(name)
        .map(each => String(each['name']))
      const values = columns.map(column => (changes as Record<string, string>)[column] ?? column)
      const of = name.startsWith('trial') ? 'firstTrial' : 'first'
      const copy = database.prepare(
        `INSERT INTO ${name} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${name}
         WHERE ${key} IN (SELECT id FROM ${of})`,
      )
      for (let n = 1; n < runs; n += 1) copy.run({ copy: n })
    }
    database.exec('COMMIT')
    const runIds = database.prepare('SELECT id FROM run').all()
    return { note: '', dataDir, projectId, suiteId, runIds: runIds.map(row => String(row['id'])) }
  } finally {
    database.close()
  }
}

/**
 * Returns the figures as a Markdown table: a row for each kind of request, a column for each way of reaching the
 * service.
 */
export function serviceTable(samples: ServiceSamples): string {
  const questions = [...new Set([...samples.values()].flatMap(of => [...of.keys()]))]
  const rows = questions.map(what => [what, ...[...samples.values()].map(of => cellOf(of.get(what) ?? []))])
  return table(['asked for', ...samples.keys()], rows)
}

/** Returns median and 99th percentile of single requests, and requests a second of many at once if measured. */
function cellOf(all: readonly ServiceSample[]): string {
  if (all.length === 0) return '–'
  const times = [0.5, 0.99].map(share => number(median(all.map(each => quantile(each.times, share)))))
  const perSecond = number(median(all.map(each => each.perSecond)))
  return `${times.join(' / ')} ms${perSecond === '–' ? '' : `, ${perSecond}/s`}`
}
