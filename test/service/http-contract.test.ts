import { expect, test } from 'vitest'
import { allEndpoints, API_PREFIX, contract } from '../../src/api/contract/contract.ts'
import { pathParameters } from '../../src/api/contract/endpoint.ts'
import { open, sandbox } from './harness.ts'

const { clients, hostCatalog, hosts, models, projects } = contract

test('exactly the deprecated paths of the contract announce it and name their successor', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  for (const endpoint of allEndpoints()) {
    const ids = Object.fromEntries(pathParameters(endpoint.path).map(name => [name, 'none']))
    const { headers } = await api.send(endpoint, { ...ids, projectId, ...(endpoint.body && { body: {} }) })
    const isFormer = /\/(hosts|scenarios?)(\/|$)/.test(endpoint.path)
    const said = { path: endpoint.path, deprecation: headers.get('deprecation'), link: headers.get('link') }
    if (!isFormer) expect(said).toEqual({ path: endpoint.path, deprecation: null, link: null })
    else
      expect(said).toMatchObject({
        deprecation: 'true',
        link: expect.stringMatching(
          /^<\/api\/v1\/projects\/\{projectId\}\/.*(clients|stud).*>; rel="successor-version"$/,
        ),
      })
  }
})

test('refusals of a deprecated path have the deprecation header too', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const missing = { projectId, hostId: 'hst_none' }
  const said = async (...call: Parameters<typeof api.send>) => {
    const { status, headers } = await api.send(...call)
    return [status, headers.get('deprecation')]
  }
  expect(await said(hosts.list, { projectId })).toEqual([200, 'true'])
  expect(await said(hosts.get, missing)).toEqual([404, 'true'])
  expect(await said(hosts.update, { ...missing, body: { unknown: 1 } })).toEqual([400, 'true'])
  expect(await said(hosts.list, { projectId }, { key: 'sk_wrong' })).toEqual([401, 'true'])
  expect(await said(clients.get, { projectId, clientId: 'hst_none' })).toEqual([404, null])
})

test('the two public catalogs are answered without a key, at one rate, but a wrong key is refused', async () => {
  const { api, fetch } = await open({ rateLimit: { perMinute: 1, burst: 2 } })
  const bare = (path: string) => fetch(new Request(`http://local.test${API_PREFIX}${path}`))
  expect((await bare(hostCatalog.get.path)).status).toBe(200)
  expect((await bare(models.list.path)).status).toBe(200)
  expect((await bare(models.list.path)).status).toBe(429)
  expect((await bare(projects.list.path)).status).toBe(401)
  expect(await api.refused(hostCatalog.get, {}, { key: 'sk_wrong' })).toMatchObject({ status: 401 })
})
