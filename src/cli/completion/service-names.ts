import { createClient } from '../../api/client/client.ts'
import { createHttpFetch } from '../../api/client/transport/fetch.ts'
import { contract } from '../../api/contract/contract.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { StoredName } from '../../service/workspace/stored-names.ts'
import type { Settings } from '../config/settings.ts'
import { sharedBudget } from '../workspace/workspace.ts'

/** Names requested from a service. */
type Names = {
  list(kind: 'projects' | 'servers' | 'suites' | 'runs', most: number): Promise<StoredName[]>
  tools(server: string): Promise<StoredName[]>
}

/**
 * Requests names from a service, after other commands that are using its key. Reads only the first page of a list, and
 * stores nothing.
 * @throws ApiError
 */
export async function askService<T>(
  { target, project }: Settings,
  signal: AbortSignal,
  ask: (names: Names) => Promise<T>,
): Promise<T> {
  if (target.kind === 'local') throw new TypeError('a local workspace is no service')
  const http = createHttpFetch({ baseUrl: target.baseUrl })
  const budget = sharedBudget(target, () => undefined)
  budget.placeIs('mcpdeck completion')
  const { baseUrl, key, keySource } = target
  const retry = { attempts: 1 }
  const client = createClient({ fetch: http.fetch, baseUrl, key, keySource, budget, readOnly: true, retry })
  const options = { signal, priority: 'visible' } as const
  const meant = async () => ({
    projectId: meantProject(await client.items(contract.projects.list, {}, options), project),
  })
  const read = async (kind: 'projects' | 'servers' | 'suites') =>
    kind === 'projects' ? await client.projects.list({}, options) : await client[kind].list(await meant(), options)
  try {
    return await ask({
      async list(kind, most) {
        if (kind !== 'runs') return (await read(kind)).items.map(({ name }) => ({ name: name ?? '' }))
        return await latestRuns(await meant(), most)
      },
      async tools(wanted) {
        const at = await meant()
        const { items: servers } = await client.servers.list(at, options)
        const found = servers.find(({ id }) => id === wanted) ?? servers.find(({ name }) => name === wanted)
        if (!found) return []
        const { items } = await client.servers.tools({ ...at, serverId: found.id, body: {} }, options)
        return items.map(({ name, description }) => ({ name, ...(description && { says: description }) }))
      },
    })
  } finally {
    await http.close()
    budget.close()
  }

  /**
   * Returns the latest runs of the suite that ran last, then the last run of every other suite: the service lists the
   * runs of one suite at a time.
   */
  async function latestRuns(at: { projectId: string }, most: number): Promise<StoredName[]> {
    const { items: suites } = await client.suites.list(at, options)
    const latest = suites
      .flatMap(({ id, name, latestRun: run }) => (run?.id == null ? [] : [{ ...run, id: run.id, suiteId: id, name }]))
      .toSorted((a, b) => (toEpochMs(b.createdAt) ?? 0) - (toEpochMs(a.createdAt) ?? 0))
    const [first, ...others] = latest
    if (!first) return []
    const { items: runs } = await client.runs.list({ ...at, suiteId: first.suiteId, limit: most }, options)
    const listed = runs.map(({ id, runNumber, status, result }) => ({
      name: id,
      says: `${first.name}${runNumber == null ? '' : ` #${runNumber}`}, ${result ?? status}`,
    }))
    const ofOthers = others.map(({ id, name, status }) => ({ name: id, says: `${name}, ${status ?? 'its last run'}` }))
    return [...listed.slice(0, Math.max(1, most - ofOthers.length)), ...ofOthers].slice(0, most)
  }
}

/** @throws Error if it is uncertain which project is meant */
function meantProject(projects: readonly { id: string; name: string }[], wanted: string | undefined): string {
  const meant = projects.filter(({ id, name }) => wanted === undefined || id === wanted || name === wanted)
  if (meant.length !== 1) throw new Error('it is not certain which project is meant')
  return meant[0]!.id
}
