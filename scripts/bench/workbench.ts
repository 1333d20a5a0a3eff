import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { descendantsOf } from '../../test/journeys/processes.ts'
import { createHome, minimalEnv, removeHome } from '../../test/pty/home.ts'
import { openTerminal } from '../../test/pty/terminal.ts'
import { respond, settle, type Response } from './measure.ts'
import { residentMegabytes } from './process.ts'
import { number, table } from './report.ts'
import { median, quantile } from './statistics.ts'
import { SERVER, type Workbench } from './workbench-peers.ts'

/** One start of a workbench and one call from the shell; times in milliseconds. */
export type WorkbenchSample = {
  firstTool: number
  keys: readonly Response[]
  /** Resident memory of the program and everything it started, including its server, in megabytes. */
  memory: number
  call: number
  /** On a saved server; NaN if the program saves none. */
  savedCall: number
}
/**
 * `own` is the server's own time from its start to its first answer, in milliseconds; `ownSaved` the same for the saved
 * server, which starts from fewer files.
 */
export type WorkbenchRun = { own: number[]; ownSaved: number[]; samples: Map<string, WorkbenchSample[]> }

/** Maximum milliseconds from saving a watched server's file to the failing case with its cause. */
const MOST_AFTER_SAVE = 2000
/** Maximum milliseconds that a call may take longer than the server itself. */
const MOST_MORE = 150
/** Milliseconds of rest before memory is read or a call begins. */
const REST_MS = 500

/** Measures the programs in turn; the first start of each, which fills caches, does not count. */
export async function measureWorkbenches(programs: readonly Workbench[], rounds: number): Promise<WorkbenchRun> {
  const homes = new Map(programs.map(program => [program, createHome()]))
  const run: WorkbenchRun = { own: [], ownSaved: [], samples: new Map(programs.map(({ name }) => [name, []])) }
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const own = await bareCall(SERVER)
      const ownSaved = await bareCall(programs.find(({ saved }) => saved)?.saved ?? SERVER)
      if (round > 0) {
        run.own.push(own)
        run.ownSaved.push(ownSaved)
      }
      for (const [program, home] of homes) {
        process.stderr.write(`round ${round}: ${program.name}\n`)
        const taken = await sample(program, home)
        if (round > 0) run.samples.get(program.name)?.push(taken)
      }
    }
    return run
  } finally {
    for (const home of homes.values()) removeHome(home)
  }
}

async function sample(program: Workbench, home: string): Promise<WorkbenchSample> {
  const { command, call, savedCall } = program
  return {
    ...(await sampleScreen(program, home)),
    call: await timedCall(command, call, home),
    savedCall: savedCall ? await timedCall(command, savedCall, home) : Number.NaN,
  }
}

async function sampleScreen({ command, screen, toTools, toList }: Workbench, home: string) {
  await using terminal = openTerminal({ command, args: screen, home, cols: 120, rows: 40 })
  await toTools(terminal)
  const firstTool = performance.now() - terminal.startedAt
  await toList?.(terminal)
  await settle(terminal)
  await delay(REST_MS)
  const all = [terminal.pid, ...descendantsOf(terminal.pid).map(({ pid }) => pid)]
  const memory = all.reduce((sum, pid) => sum + residentMegabytes(pid), 0)
  const keys: Response[] = []
  for (const key of ['down', 'up', 'down', 'up'] as const)
    for (let i = 0; i < 10; i += 1) keys.push(await respond(terminal, () => terminal.press(key)))
  return { firstTool, memory, keys }
}

/** Returns the milliseconds until a call from the shell has ended. @throws if it failed */
async function timedCall(command: string, args: readonly string[], home: string): Promise<number> {
  // Processes of the previous start are still ending.
  await delay(REST_MS)
  const started = performance.now()
  const child = spawn(command, args, { env: minimalEnv(home), stdio: ['ignore', 'pipe', 'ignore'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>])
  if (code !== 0 || !output.includes('Echo: hi'))
    throw new Error(`${command} ${args.join(' ')} ended with ${code} and printed ${output}`)
  return performance.now() - started
}

/** Returns the milliseconds from starting the server to its answer to a call, using only the protocol. */
async function bareCall([command = '', ...args]: readonly string[]): Promise<number> {
  const started = performance.now()
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'bench', version: '0' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
  for await (const line of createInterface({ input: server.stdout })) {
    const { id } = JSON.parse(line) as { id?: number }
    if (id === 1) {
      send({ method: 'notifications/initialized' })
      send({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: { message: 'hi' } } })
    } else if (id === 2) break
  }
  const took = performance.now() - started
  server.kill('SIGKILL')
  return took
}

type Figure = readonly [title: string, unit: string, of: (samples: readonly WorkbenchSample[]) => number]

const FIGURES: readonly Figure[] = [
  ['start to first tool', ' ms', samples => median(samples.map(each => each.firstTool))],
  ['key to paint, p50', ' ms', samples => median(keyTimes(samples))],
  ['key to paint, p95', ' ms', samples => quantile(keyTimes(samples), 0.95)],
  ['bytes a key', '', samples => median(samples.flatMap(each => each.keys.map(key => key.bytes)))],
  ['memory with the server', ' MB', samples => median(samples.map(each => each.memory))],
  ['one call from the shell', ' ms', samples => median(samples.map(each => each.call))],
]

function keyTimes(samples: readonly WorkbenchSample[]): number[] {
  return samples.flatMap(each => each.keys.map(key => key.first)).filter(time => !Number.isNaN(time))
}

const savedOf = (samples: readonly WorkbenchSample[]) => median(samples.map(each => each.savedCall))

/** Returns a row for each program, and below it whether the first one is ahead of the peers and meets its goal. */
export function workbenchTable(
  { own, ownSaved, samples, saves }: WorkbenchRun & { saves: readonly number[] },
  ours: string,
  peers: readonly Workbench[],
): string {
  const head = ['', ...FIGURES.map(([title]) => title), 'on a saved server']
  const rows = [...samples].map(([name, taken]) => [
    name,
    ...FIGURES.map(([, unit, of]) => `${number(of(taken))}${unit}`),
    Number.isNaN(savedOf(taken)) ? '–' : `${number(savedOf(taken))} ms`,
  ])
  const mine = samples.get(ours) ?? []
  const within = (what: string, bare: number, took: number) =>
    [
      `${what}: ≤ the server’s own start and call (${number(bare)} ms) + ${MOST_MORE} ms`,
      `+ ${number(took - bare)} ms`,
      took - bare <= MOST_MORE,
    ] as const
  // The slowest counts, since a person who saved a file waits for it.
  const slowest = Math.max(...saves)
  const goals = [
    within('one call from the shell', median(own), median(mine.map(each => each.call))),
    within('one call of a saved server', median(ownSaved), savedOf(mine)),
    [
      `a watched server’s file saved: ≤ ${MOST_AFTER_SAVE} ms until the failing case with its cause`,
      `${number(median(saves))} ms, at most ${number(slowest)} ms`,
      slowest <= MOST_AFTER_SAVE,
    ] as const,
    ...peers.map(({ name }) => {
      const theirs = samples.get(name) ?? []
      const ratios = FIGURES.map(([title, , of]) => [title, of(theirs) / of(mine)] as const)
      const figure = ratios.map(([title, ratio]) => `its ${title} ${number(ratio)}×`).join(', ')
      return [`beside ${name}: ahead of it`, figure, ratios.every(([, ratio]) => ratio >= 1)] as const
    }),
  ]
  const judged = goals.map(([goal, figure, met]) => [goal, figure, met ? 'yes' : '**no**'])
  return `${table(head, rows)}\n\n${table(['goal', 'ours', 'met'], judged)}`
}
