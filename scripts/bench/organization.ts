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
import { median, quantile } from './statistics.ts'
import { caller } from './workspaces.ts'

/** An organization that somebody is on call for. */
const [projects, suites] = [51, 20]
/** Projects in which a suite is red as Now is opened, one in each start: every fourth in the list's order. */
const openings = Array.from({ length: 13 }, (_, index) => 1 + index * 4)
/** Failures that come while Now is open, each within so many milliseconds of the one before, in any project. */
const [failures, longestBetween] = [6, 60_000]
/** Runs of one project in flight meanwhile, the second time. */
const running = 3
/** The first look everywhere, which has to end before new failures count, in milliseconds. */
const firstLook = 60_000
const longest = 300_000

/** Seconds until a failed run stood on the screen, and what the service refused. */
export type OrganizationSample = {
  opening: readonly number[]
  later: readonly number[]
  beside: readonly number[]
  /** Requests for those runs and their trials among all of that time, from 0 to 1. */
  progress: number
  refused: number
  asked: number
}

/** Measures Now over an organization, by the dashboard over `mcpdeck serve` at the contract's limits. */
export async function measureOrganization(build: Build): Promise<OrganizationSample> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-bench-organization-'))
  try {
    const dataDir = join(folder, 'data')
    const ids = await prepare(dataDir)
    const opening: number[] = []
    const log = join(folder, 'requests.jsonl')
    for (const index of openings) {
      const copy = join(folder, `opening-${index}`)
      cpSync(dataDir, copy, { recursive: true })
      await report(copy, ids[index]!, 'Red')
      opening.push(
        await watch(build, copy, log, async terminal => {
          await terminal.waitFor('Red suite', longest)
          return (performance.now() - terminal.startedAt) / 1000
        }),
      )
      process.stderr.write(`opening, project ${index}: ${opening.at(-1)?.toFixed(1)} s\n`)
    }
    const busy = join(folder, 'busy')
    cpSync(dataDir, busy, { recursive: true })
    const runningIds = await leaveRunning(busy, ids[3]!)
    const busyLog = join(folder, 'busy.jsonl')
    const [later, beside] = [await failLater(dataDir, log), await failLater(busy, busyLog)]
    const besideRuns = requestsIn(busyLog)
    const forThem = besideRuns.filter(({ path }) => runningIds.some(id => path.includes(id)))
    const requests = [...requestsIn(log), ...besideRuns]
    const refused = requests.filter(({ status }) => status === 429).length
    const progress = forThem.length / besideRuns.length
    return { opening, later, beside, progress, refused, asked: requests.length }

    async function failLater(data: string, noted: string): Promise<number[]> {
      const random = randomNumbers(51)
      return await watch(build, data, noted, async terminal => {
        await delay(firstLook)
        const times: number[] = []
        for (let each = 0; each < failures; each += 1) {
          await delay(random.next() * longestBetween)
          await report(data, random.pick(ids), `Late${each}x`)
          const from = performance.now()
          await terminal.waitFor(`Late${each}x`, longest)
          times.push((performance.now() - from) / 1000)
          process.stderr.write(`later, failure ${each + 1}: ${times.at(-1)?.toFixed(1)} s\n`)
        }
        return times
      })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function organizationTable({ opening, later, beside, ...requests }: OrganizationSample): string {
  const row = (what: string, times: readonly number[], goal: readonly [number, number]): string[] => {
    const [middle, worst] = [median(times), quantile(times, 1)]
    const isMet = middle <= goal[0] && worst <= goal[1]
    return [what, `${number(middle)} s`, `${number(worst)} s`, `${goal[0]} / ${goal[1]} s`, isMet ? 'yes' : '**no**']
  }
  return [
    table(
      ['a failed run is on screen', 'median', 'worst', 'goal', 'met'],
      [
        row(`after Now is opened, ${opening.length} starts`, opening, [20, 60]),
        row(`after it failed, ${later.length} failures`, later, [60, 180]),
        row(`the same beside ${running} runs in flight in one project`, beside, [60, 180]),
      ],
    ),
    `Of ${requests.asked} requests ${requests.refused} were refused for their rate. ` +
      `Beside the runs in flight ${percent(requests.progress)} of the requests were for them.`,
  ].join('\n\n')
}

/** Projects with suites that another program reported as passed. @returns their ids in the order of the list */
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

/** A suite of another program fails. */
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

/** Opens Now on a served workspace, in a home that knows nothing. */
async function watch<T>(build: Build, dataDir: string, log: string, look: (terminal: Terminal) => Promise<T>) {
  await using served = await startServe(build, dataDir, ['--request-log', log])
  const home = createHome()
  await using ends = new AsyncDisposableStack()
  ends.defer(() => removeHome(home))
  const env = { MCPDECK_BASE_URL: served.baseUrl, MCPDECK_API_KEY: served.key }
  const args = [join(build.dist, 'boot.js'), 'now']
  await using terminal = openTerminal({ command: process.execPath, args, home, env })
  return await look(terminal)
}
