import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { guardedServer } from './guarded-server.ts'
import { open, sandbox } from './harness.ts'

const { servers } = contract

test('imported tokens are sent along and refreshed before they end, once for all', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const { url, state } = await guardedServer()
  const body = { name: 'guarded', enabled: true, transportType: 'http', url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const target = { projectId, serverId }
  expect(await api.refused(servers.tools, target)).toMatchObject({ status: 401, code: 'OAUTH_REQUIRED' })

  const importTokens = (expires_in: number) =>
    api.call(servers.importTokens, {
      ...target,
      body: {
        serverUrl: url,
        clientInformation: { clientId: 'mcpdeck' },
        tokens: { access_token: 'token-0', refresh_token: 'refresh-0', expires_in },
      },
    })
  await importTokens(3600)
  expect((await api.call(servers.tools, target)).items.length).toBeGreaterThan(0)
  expect(state.refreshes).toEqual([])

  await importTokens(1)
  const answers = await Promise.all(Array.from({ length: 4 }, () => api.send(servers.tools, target)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(state.refreshes).toEqual(['refresh-0'])
  expect(store.servers.get(projectId, serverId)?.tokens).toMatchObject({
    accessToken: 'token-1',
    refreshToken: 'refresh-1',
    client: { clientId: 'mcpdeck' },
  })
})
