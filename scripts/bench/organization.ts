import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, removeHome } from '../../test/pty/home.ts'
import { openTerminal, type Terminal } from '../../test/pty/terminal.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { createService } from '../../src/service/workspace/service.ts'
import type { Build } from './program.ts'
import { number, table } from './report.ts'
import { startServe } from './serve.ts'
import { median, quantile } from './statistics.ts'
import { caller } from './workspaces.ts'

/** An organization that somebody is on call for. */
const [projects, suites] = [51, 20]
/** Projects in which a suite is red as Now is opened, one in each start; spread over the order that the list has. */
const openings = [0, 9, 17, 25, 33, 41, 50]
/** Failures that come one after the other while Now is open. */
const failures = 6
/** The first look everywhere, which has to end before new failures count, in milliseconds. */
const firstLook = 60_000
const longest = 300_000

/** Seconds until a failed run stood on the screen, and what the service refused. */
export type OrganizationSample = {
  opening: readonly number[]
  later: readonly number[]
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
    const later = await watch(build, dataDir, log, async terminal => {
      await new Promise(resolve => setTimeout(resolve, firstLook))
      const times: number[] = []
      for (let each = 0; each < failures; each += 1) {
        await report(dataDir, ids[(each * 13) % ids.length]!, `Late${each}x`)
        const from = performance.now()
        await terminal.waitFor(`Late${each}x`, longest)
        times.push((performance.now() - from) / 1000)
        process.stderr.write(`later, failure ${each + 1}: ${times.at(-1)?.toFixed(1)} s\n`)
      }
      return times
    })
    const requests = readFileSync(log, 'utf8').trim().split('\n')
    const refused = requests.filter(line => (JSON.parse(line) as { status: number }).status === 429).length
    return { opening, later, refused, asked: requests.length }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function organizationTable({ opening, later, refused, asked }: OrganizationSample): string {
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
      ],
    ),
    `Of ${asked} requests ${refused} were refused for their rate.`,
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
