import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { answering } from '../../../test/answering.ts'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { startOAuthServer, visit } from '../../../test/servers/oauth-server.ts'
import { createSignIns } from '../../cli/sign-in/sign-ins.ts'
import { confirmKeys, fieldKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { resultKeys, serversKeys, toolsKeys } from './bindings.ts'
import { signInText } from './overview.tsx'
import { serversRoute } from './route.ts'

const keys = serversKeys.bindings

let testService: TestService
let projectId: string
let app: TestApp
let opened: string[]
let obstacle: string | undefined

beforeAll(async () => {
  testService = await openService()
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterAll(() => testService.close())
afterEach(() => app.close())

async function openGuarded(more: { clientId?: string; clientSecret?: string } = {}, over = testService) {
  const server = await startOAuthServer()
  opened = []
  obstacle = undefined
  const body = {
    name: `guarded ${server.url}`,
    enabled: true,
    transportType: 'http' as const,
    url: server.url,
    ...more,
  }
  const { id: serverId } = await over.client.servers.create({ projectId, body })
  const { store } = over.service
  app = await openApp({
    testService: over,
    place: serversRoute.to({ projectId, pane: 'detail', serverId, tab: 'overview' }),
    openBrowser: async url => {
      opened.push(url)
      return obstacle
    },
    access: {
      signIns: createSignIns(),
      storedReaches: {
        async of(id) {
          const { secrets, options } = store.servers.find(id)!
          const { clientId } = options
          return typeof clientId === 'string' ? { client: { clientId, clientSecret: secrets.clientSecret } } : {}
        },
      },
    },
  })
  await app.see(/Signed in +no[;t]/)
  return { server, serverId }
}

async function agree(): Promise<void> {
  await app.see('Sign in to "guarded')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
}

test('a sign-in opens the browser after naming its host, shows its expiry, and can be signed out', async () => {
  const { server, serverId } = await openGuarded()
  await app.press(keys.signIn)
  const asked = await app.see('Open 127.0.0.1:')
  const { host } = new URL(server.authority)
  expect(asked).toContain(`You sign in at ${host}`)
  expect(asked).toContain('is another host than the server’s')
  expect(asked).toContain('It asks for: tools.')
  expect(opened).toEqual([])
  expect(server.state.clients.size).toBe(0)
  await agree()
  expect(await app.see('Waiting for you to sign in')).not.toContain('code_challenge')
  expect(opened).toHaveLength(1)
  await fetch((await visit(opened[0]!)).back)
  await app.see('Signed in to guarded')
  expect(
    await app.see(/Signed in +until (?:[\d-]+ )?\d\d:\d\d; the next token is[^]*fetched[^]*automatically/),
  ).not.toContain('Waiting')
  const body = { toolName: 'whoami', parameters: {} }
  await testService.client.servers.callTool({ projectId, serverId, body })
  expect(server.state.calls).toBe(1)
  await app.press(keys.signOut)
  await app.see('Sign out of "guarded')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('Signed out of guarded')
  await app.see(/Signed in +no/)
  await expect(testService.client.servers.tools({ projectId, serverId })).rejects.toMatchObject({
    code: 'OAUTH_REQUIRED',
  })
})

test('nothing is registered or opened without a yes', async () => {
  const { server } = await openGuarded()
  await app.press(keys.signIn)
  await app.see('Open 127.0.0.1:')
  await app.press('enter')
  await app.see(frame => !frame.includes('Sign in to "guarded'))
  expect(opened).toEqual([])
  expect(server.state.clients.size).toBe(0)
})

test('without a browser the link is copied and shown, and the address from another one can be pasted', async () => {
  await openGuarded()
  obstacle = 'This is a remote session without a browser.'
  await app.press(keys.signIn)
  await agree()
  expect(await app.see('code_challenge')).toContain('Waiting for you to sign in')
  const [link = ''] = app.copied
  expect(link).toBe(opened[0])
  await app.paste('http://elsewhere.example/')
  await app.press(fieldKeys.bindings.submit)
  await app.see('Paste the address that begins with')
  await app.press(fieldKeys.bindings.clear)
  const { back } = await visit(link)
  await app.paste(back)
  expect(await app.see('****')).not.toContain(new URL(back).searchParams.get('code'))
  await app.press(fieldKeys.bindings.submit)
  await app.see(/Signed in +until/)
})

test('Esc ends the wait, and the callback is closed', async () => {
  const { server } = await openGuarded()
  await app.press(keys.signIn)
  await agree()
  await app.see('Waiting for you to sign in')
  await app.press('escape')
  await app.see('was cancelled; nothing was imported')
  const { back } = await visit(opened[0]!)
  await expect(fetch(back)).rejects.toThrow('fetch failed')
  expect(server.state.redeemed).toEqual([])
})

test('each failure is explained in its own sentence', async () => {
  const { server } = await openGuarded()
  await app.press(keys.signIn)
  await agree()
  await app.see('Waiting for you to sign in')
  const { back } = await visit(opened[0]!)
  const swapped = new URL(back)
  swapped.searchParams.set('state', 'swapped')
  await fetch(swapped)
  expect(await app.see('Refused an answer from another sign-in')).toContain('Waiting for you to sign in')
  await fetch(back)
  await app.see(/Signed in +until/)
  await app.press(keys.signOut)
  await app.see('Sign out of "guarded')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see(/Signed in +no/)
  server.oddities.answers['/.well-known/oauth-authorization-server'] = () => new Response('', { status: 404 })
  await app.press(keys.signIn)
  await app.see('has no OAuth metadata')
})

test('if clients cannot be registered automatically, the person enters one', async () => {
  const { server } = await openGuarded()
  server.oddities.answers['/register'] = () => Response.json({ error: 'access_denied' }, { status: 403 })
  server.state.clients.set('by-hand', {})
  await app.press(keys.signIn)
  await agree()
  await app.see('does not register mcpdeck (HTTP 403')
  await app.type('by-hand')
  await app.press(formKeys.bindings.send)
  await app.see('Waiting for you to sign in')
  await fetch((await visit(opened[0]!)).back)
  await app.see(/Signed in +until/)
})

test('a client that is saved with the server is used', async () => {
  const { server, serverId } = await openGuarded({ clientId: 'saved', clientSecret: 'saved-secret' })
  server.state.clients.set('saved', {})
  await app.press(keys.signIn)
  await agree()
  await app.see('Waiting for you to sign in')
  await fetch((await visit(opened[0]!)).back)
  await app.see(/Signed in +until/)
  expect([...server.state.clients.keys()]).toEqual(['saved'])
  expect(testService.service.store.servers.find(serverId)!.tokens?.client).toEqual({
    clientId: 'saved',
    clientSecret: 'saved-secret',
  })
})

test('a hosted service stores the tokens, and never returns them', async () => {
  const hosted = await openService({ wrap: answering({ '/capabilities': { evalVocabulary: { versions: ['1'] } } }) })
  onTestFinished(() => hosted.close())
  const own = projectId
  projectId = (await hosted.client.projects.list()).items[0]!.id
  onTestFinished(() => void (projectId = own))
  const { server, serverId } = await openGuarded({}, hosted)
  await app.see(/Signed in +not returned by this service/)
  await app.press(keys.signIn)
  await agree()
  await app.see('Waiting for you to sign in')
  await fetch((await visit(opened[0]!)).back)
  await app.see(/Signed in to guarded .*, until (?:[\d-]+ )?\d\d:\d\d/)
  const body = { toolName: 'whoami', parameters: {} }
  await hosted.client.servers.callTool({ projectId, serverId, body })
  expect(server.state.calls).toBe(1)
  await app.press(keys.signOut)
  await app.see('Sign out of "guarded')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see(/local workspace/)
})

test('an expiry in the past is shown as expired', () => {
  const ended = { signedIn: true, expiresAt: 1000, refreshable: false }
  expect(signInText(ended, 2000, 'I')).toEqual([expect.stringMatching(/no: its token expired .*; I signs in/), 'warn'])
  expect(signInText({ ...ended, refreshable: true }, 2000, 'I')[0]).toContain('the next call fetches another')
  expect(signInText({ ...ended, refreshable: true, grant: 'enterprise' }, 0, 'I')[0]).toContain(
    'by its grant, enterprise',
  )
  expect(signInText({ ...ended, expiresAt: null }, 2000, 'I')[0]).toBe('yes, until the server refuses it')
})

test('a call that needs more scopes leads to the sign-in that requests them', async () => {
  const { server } = await openGuarded()
  await app.press(keys.signIn)
  await agree()
  await app.see('Waiting for you to sign in')
  await fetch((await visit(opened[0]!)).back)
  await app.see('Signed in to guarded')
  app.router.replace({ tab: 'tools' })
  await app.see('▌whoami')
  await app.press(toolsKeys.bindings.call)
  await app.see('Call whoami')
  const challenge = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="read write"' }
  server.oddities.answers['mcp /mcp'] = () => new Response('', { status: 403, headers: challenge })
  await app.press(formKeys.bindings.send)
  await app.see('HTTP 403, insufficient_scope')
  server.oddities.answers = {}
  await app.press(resultKeys.bindings.signIn)
  await app.see('It asks for: read write.')
  await agree()
  await app.see('Waiting for you to sign in')
  expect(new URL(opened[1]!).searchParams.get('scope')).toBe('read write')
})
