import type { Client } from '../../api/client/client.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import { contract } from '../../api/contract/contract.ts'
import type { SuiteFile } from './suite-file.ts'
import { readPlan, readSuite } from './suite-store.ts'
import { sendSync } from './sync-send.ts'

type InProject = { client: Client; projectId: string }

/** Suites saved in another workspace by their id here, as JSON; and why others were not saved, as sentences. */
export type SavedElsewhere = { saved: ReadonlyMap<string, string>; left: readonly string[] }

/**
 * Creates the suites of a server in a project of another workspace, where the server may have another name. All of them
 * are new there. A suite that cannot be created is left out.
 * @throws ApiError if the suites here, or the names there, cannot be read
 */
export async function saveSuitesElsewhere(
  from: InProject & { serverName: string },
  to: InProject & { serverName: string },
): Promise<SavedElsewhere> {
  const suites = await from.client.items(contract.suites.list, { projectId: from.projectId })
  const taken = new Set((await to.client.items(contract.suites.list, { projectId: to.projectId })).map(nameOf))
  const saved = new Map<string, string>()
  const left: string[] = []
  for (const suite of suites) {
    const file = await readSuite(from.client, from.projectId, suite.id)
    if (!file.suite.servers?.includes(from.serverName)) continue
    const name = freeName(file.suite.name, taken)
    const problem = hindrance(file, from.serverName) ?? (await create(to, named(file, name, from, to)))
    if (problem !== undefined) left.push(`The suite ${file.suite.name}: ${problem}`)
    else {
      taken.add(name)
      saved.set(suite.id, JSON.stringify(file))
    }
  }
  return { saved, left }
}

/** Returns why a suite makes no sense in a project with only this server. */
function hindrance({ suite }: SuiteFile, serverName: string): string | undefined {
  const { servers = [], clients = [], environments = [] } = suite
  const others = [...servers, ...clients.flatMap(each => each.servers ?? [])].filter(name => name !== serverName)
  if (others.length > 0) return `it also runs on ${[...new Set(others)].join(', ')}.`
  return environments.length > 0 ? `it runs in ${environments.join(', ')}.` : undefined
}

/** Creates a suite, and returns why it was not created completely. */
async function create({ client, projectId }: InProject, file: SuiteFile): Promise<string | undefined> {
  try {
    const read = await readPlan(client, projectId, file, { asNew: true, duplicates: 'block' })
    if ('obstacle' in read) return read.obstacle
    const { outcomes } = await sendSync(client, projectId, read.plan, read.names, { prune: false })
    const failed = outcomes.filter(({ kind }) => kind === 'failed')
    const [first] = failed
    return first && `${failed.length} of its cases, such as ${first.form.title}: ${first.message ?? first.code}`
  } catch (error) {
    return failureSentence(error)
  }
}

/** Returns the file with its new names, and without the ids of the other workspace. */
function named(
  { suite: { id: _id, ...suite }, cases }: SuiteFile,
  name: string,
  from: { serverName: string },
  to: { serverName: string },
): SuiteFile {
  const moved = (server: string): string => (server === from.serverName ? to.serverName : server)
  return {
    suite: {
      ...suite,
      name,
      servers: suite.servers?.map(moved),
      clients: suite.clients?.map(each => ({ ...each, ...(each.servers && { servers: each.servers.map(moved) }) })),
    },
    cases: cases.map(({ id: _caseId, ...form }) => ({
      ...form,
      steps: form.steps.map(step => ({ ...step, ...(step.serverName && { serverName: moved(step.serverName) }) })),
    })),
  }
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`
  return free
}

function nameOf({ id, name }: { id: string; name?: string | null }): string {
  return name ?? id
}
