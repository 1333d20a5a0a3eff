import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import { recordFindings } from '../many-findings.ts'
import { echoCase, open, sandbox, temporaryDirectory } from './harness.ts'
import { PATIENCE } from '../patience.ts'

type Opened = Awaited<ReturnType<typeof open>> & Awaited<ReturnType<typeof sandbox>>

const LISTS: readonly [name: string, list: AnyEndpoint, add: (program: Opened) => unknown][] = [
  [
    'servers',
    contract.servers.list,
    ({ api, projectId }) =>
      api.call(contract.servers.create, {
        projectId,
        body: { name: 'further', enabled: true, transportType: 'stdio', command: 'further' },
      }),
  ],
  ['findings', contract.journeyFindings.list, ({ store, projectId }) => recordFindings(store, projectId, 1)],
  [
    'sessions',
    contract.sessions.list,
    async ({ api, projectId, serverId, settle }) => {
      const body = {
        name: 'suite',
        model: 'none',
        provider: 'none',
        serverIds: [serverId],
        tests: [echoCase('a', 'a')],
      }
      const { suiteId } = await api.call(contract.suites.create, { projectId, body })
      await api.call(contract.runs.create, { projectId, body: { suiteId } })
      await settle()
    },
  ],
]

test.each(LISTS)('the state of %s changes once another program has stored more of them', async (_, list, add) => {
  const dataDir = temporaryDirectory()
  const screen = await open({ dataDir })
  const other = await open({ dataDir })
  const place = await sandbox(other.api)
  const read = async () => ({
    state: screen.stateOf(list),
    items: ((await screen.api.call(list, { projectId: place.projectId })) as { items: unknown[] }).items,
  })
  // A read must store nothing, otherwise the list would be read again without end.
  await expect
    .poll(async () => [await read(), await read()], PATIENCE)
    .toSatisfy(([one, next]) => one.state === next.state)
  const before = await read()
  expect(before.state).toBeDefined()
  await add({ ...other, ...place })
  const after = await read()
  expect(after.items).toHaveLength(before.items.length + 1)
  expect(after.state).not.toBe(before.state)
})

test('a list that depends on more than stored records has no state, and neither has a closed workspace', async () => {
  const service = await open()
  expect(service.stateOf(contract.runs.get)).toBeUndefined()
  expect(service.stateOf(contract.servers.list)).toBeDefined()
  await service.close()
  expect(service.stateOf(contract.servers.list)).toBeUndefined()
})
