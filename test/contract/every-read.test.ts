import { expect, test } from 'vitest'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import { insertSamples } from '../../src/service/samples/insert-samples.ts'
import { open, sandbox, untilEnded, type Api } from '../service/harness.ts'

type Ids = Record<string, string>
type Fields = Record<string, unknown>

/** Paths with ids that another path lists, with the name of the id field. */
const LISTED_AT: Readonly<Record<string, readonly [path: string, field: string]>> = {
  '/projects/{projectId}/eval-runs': ['/projects/{projectId}/eval-suites/{suiteId}/runs', 'id'],
  '/projects/{projectId}/journey-runs': ['/projects/{projectId}/journeys/{journeyId}/runs', 'id'],
  '/projects/{projectId}/waves': ['/projects/{projectId}/journeys/{journeyId}/runs', 'waveId'],
  '/projects/{projectId}/user-testing/scenarios': ['/projects/{projectId}/scenarios', 'id'],
}

/** Maximum number of ids to try from one list. */
const IDS_TRIED = 6

/**
 * Reads that this machine does not have, or whose data exists only after a request; the latter have tests of their own.
 */
const UNREADABLE = [
  'getPluginVersion',
  'listHarnessBuiltinTools',
  'getSandboxImage',
  'listSandboxImageBuilds',
  'getServerConnection',
  'getWaveInsights',
  'getUserTestingWindowInsights',
]

const isRead = ({ method }: AnyEndpoint) => method === 'GET'

/** Finds the ids for a path by reading the lists that contain them, as a caller does. */
function finder(api: Api) {
  const lists = new Map<string, Promise<Fields[]>>()
  const itemsOf = async (path: string, ids: Ids): Promise<Fields[]> => {
    const endpoint = allEndpoints().find(each => isRead(each) && each.path === path)
    if (!endpoint) return []
    const response = await api.send(endpoint, ids)
    const body: unknown = await response.json()
    return Array.isArray(body) ? (body as Fields[]) : ((body as { items?: Fields[] }).items ?? [])
  }
  const idsFor = async (path: string): Promise<Ids[]> => {
    const parameter = pathParameters(path).at(-1)
    if (parameter === undefined) return [{}]
    const collection = path.slice(0, path.lastIndexOf(`/{${parameter}}`))
    const [listPath, field] = LISTED_AT[collection] ?? [collection, 'id']
    const found: Ids[] = []
    for (const ids of await idsFor(listPath)) {
      const key = `${listPath} ${JSON.stringify(ids)}`
      if (!lists.has(key)) lists.set(key, itemsOf(listPath, ids))
      for (const item of (await lists.get(key)!).slice(0, IDS_TRIED))
        if (typeof item[field] === 'string') found.push({ ...ids, [parameter]: item[field] })
    }
    return found
  }
  return idsFor
}

test('every published read that a workspace with samples can answer has the published shape', async () => {
  const service = await open()
  const { api } = service
  insertSamples(service.store, Date.now())
  const { projectId, suiteId } = await sandbox(api)
  const { runId } = await api.call(contract.runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const idsFor = finder(api)
  const unread: string[] = []
  for (const endpoint of allEndpoints().filter(each => isRead(each) && !each.local)) {
    const isAnswered = async (ids: Ids) => (await api.send(endpoint, { ...ids, projectId })).ok
    let answered = false
    for (const ids of await idsFor(endpoint.path)) answered ||= await isAnswered(ids)
    if (!answered) unread.push(endpoint.operation)
  }
  expect(unread).toEqual(UNREADABLE)
})
