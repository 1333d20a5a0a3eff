import { expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../src/api/client/client.ts'
import { bodyOf, saveAtHome } from '../../src/domain/servers/unsaved.ts'
import { handOverServer } from '../../src/service/servers/handlers.ts'
import { openService } from '../harness.tsx'
import { guardedServer } from './guarded-server.ts'

/** Two workspaces: a temporary one whose server is signed in, and the one in which the server is saved. */
async function stage() {
  const [here, home] = [await openService(), await openService()]
  onTestFinished(async () => void (await Promise.all([here.close(), home.close()])))
  const { url, state } = await guardedServer()
  const projectId = await firstProject(here.client)
  const homeProject = await firstProject(home.client)
  const body = { name: 'guarded', enabled: true, transportType: 'http' as const, url }
  const server = { ...(await here.client.servers.create({ projectId, body })), projectId }
  const target = { projectId, serverId: server.id }
  const tokens = { access_token: 'token-0', refresh_token: 'refresh-0', expires_in: 3600 }
  await here.client.servers.importTokens({
    ...target,
    body: { serverUrl: url, clientInformation: { clientId: 'mcpdeck' }, tokens },
  })
  await here.client.servers.callTool({ ...target, body: { toolName: 'echo', parameters: { message: 'hi' } } })
  const savedSuites = new Map<string, string>()
  const save = (name: string) =>
    saveAtHome(
      {
        savedSuites,
        directory: undefined,
        atHome: work =>
          work(home.client, async (serverId, homeServerId) =>
            handOverServer(
              { store: here.service.store, serverId },
              { store: home.service.store, serverId: homeServerId },
            ),
          ),
      },
      { client: here.client, server },
      { projectId: homeProject, body: bodyOf(server, {}, name) },
    )
  return { here, home, state, projectId, homeProject, target, savedSuites, save }
}

async function firstProject(client: Client): Promise<string> {
  return (await client.projects.list()).items[0]!.id
}

const step = (serverName: string) => ({ id: 'call', kind: 'toolCall' as const, serverName, toolName: 'echo' })

test('a server that was tried is saved under another name with its suites, calls and sign-in', async () => {
  const { here, home, state, projectId, homeProject, target, savedSuites, save } = await stage()
  const suite = { name: 'guarded suite', serverIds: [target.serverId], model: 'none' }
  const made = await here.client.suites.create({
    projectId,
    body: { ...suite, tests: [{ title: 'echoes', steps: [step('guarded')] }] },
  })
  expect(await save('mine')).toEqual({ suites: 1, calls: 1, signedIn: true, left: [] })
  expect([...savedSuites.keys()]).toEqual([made.suiteId])
  const saved = (await home.client.servers.list({ projectId: homeProject })).items.find(({ name }) => name === 'mine')!
  const there = { projectId: homeProject, serverId: saved.id }
  expect((await home.client.calls.list(there)).items).toMatchObject([{ target: 'echo', input: { message: 'hi' } }])
  expect(await home.client.signIns.get(there)).toMatchObject({ signedIn: true, refreshable: true })
  const { items } = await home.client.suites.list({ projectId: homeProject })
  const suiteId = items.find(({ name }) => name === 'guarded suite')!.id
  expect(await home.client.suites.get({ projectId: homeProject, suiteId })).toMatchObject({
    environment: { servers: ['mine'] },
  })
  const cases = await home.client.cases.list({ projectId: homeProject, suiteId })
  expect(cases.items).toMatchObject([{ title: 'echoes', steps: [{ serverName: 'mine', toolName: 'echo' }] }])
  // A refresh token works for only one of the servers: the saved one.
  expect(await here.client.signIns.get(target)).toMatchObject({ signedIn: true, refreshable: false })
  const { tokens } = home.service.store.servers.find(saved.id)!
  home.service.store.servers.setTokens(saved.id, { ...tokens!, expiresAt: 0 })
  expect((await home.client.servers.tools(there)).items.length).toBeGreaterThan(0)
  expect(state.refreshes).toEqual(['refresh-0'])
})

test('a server that gets its tokens without a person is saved with its grant', async () => {
  const { here, home, homeProject, target, save } = await stage()
  const { store } = here.service
  const row = store.servers.find(target.serverId)!
  const grant = { grant: 'client-credentials' as const, clientId: 'job', clientSecret: 'its-secret', issuer: row.url! }
  store.write(() => store.servers.setGrant(row, grant, row.tokens))
  expect(await save('mine')).toMatchObject({ signedIn: true })
  expect(home.service.store.servers.findByName(homeProject, 'mine')).toMatchObject({ secrets: { grant } })
})

test('parts of a server that cannot be saved are named, and the rest is saved', async () => {
  const { here, home, projectId, homeProject, target, save } = await stage()
  const [other] = (await here.client.servers.list({ projectId })).items
  for (const [name, serverIds] of [
    ['both', [target.serverId, other!.id]],
    ['same', [target.serverId]],
  ] as const)
    await here.client.suites.create({
      projectId,
      body: { name, serverIds: [...serverIds], model: 'none', tests: [{ title: 'one', steps: [step('guarded')] }] },
    })
  expect(await save('mine')).toMatchObject({ suites: 1, left: [`The suite both: it also runs on ${other!.name}.`] })
  expect(await save('again')).toMatchObject({ suites: 1, signedIn: true })
  const { items } = await home.client.suites.list({ projectId: homeProject })
  expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['same', 'same 2']))
})
