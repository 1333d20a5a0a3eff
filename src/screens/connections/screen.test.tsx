import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Fetch } from '../../api/client/transport/fetch.ts'
import { connectionsKey, createConnections } from '../../domain/connections/connections.ts'
import { storedInMemory } from '../../lib/files/profile-store.ts'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { startHttpServer } from '../../../test/servers/http-server.ts'
import { guardedServer } from '../../../test/service/guarded-server.ts'
import { confirmKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { serversKeys } from '../servers/bindings.ts'
import { serversRoute } from '../servers/route.ts'
import { connectionsKeys } from './bindings.ts'
import { connectionsRoute } from './route.ts'

const keys = connectionsKeys.bindings
const LINK = 'https://hosted.example/connect/secret-of-the-link'
let app: TestApp
let projectId: string
let opened: string[]
afterEach(() => app.close())

async function open(options: { wrap?: (fetch: Fetch) => Fetch; route?: typeof serversRoute } = {}): Promise<void> {
  const { wrap, route = connectionsRoute } = options
  const testService = await openService(wrap && { wrap })
  onTestFinished(() => testService.close())
  opened = []
  app = await openApp({
    testService,
    hosted: { openBrowser: async url => void opened.push(url) },
    place: async client => {
      projectId = (await client.projects.list()).items[0]!.id
      return route.to({ projectId })
    },
  })
}

/** Makes the service ask the person to sign in on its own page. */
const withLink = (fetch: Fetch): Fetch => {
  return async request => {
    const response = await fetch(request)
    if (request.method !== 'POST' || !request.url.endsWith('/server-connections')) return response
    if (response.status !== 201) return response
    return { ...response, body: JSON.stringify({ ...JSON.parse(response.body as string), handoffUrl: LINK }) }
  }
}

async function connect(url: string): Promise<void> {
  await app.press(keys.add)
  await app.see('Connect a server')
  await app.type(url)
  await app.press(formKeys.bindings.send)
}

describe('a request to connect a server by its address', () => {
  test('is followed until the server is saved, and one key then leads to the server', async () => {
    const server = await startHttpServer()
    onTestFinished(() => server.close())
    await open()
    await app.see('No connection requests.')
    await connect(server.url)
    await app.see('connected')
    await app.see(`The connection to ${new URL(server.url).host}: connected`)
    await app.see('0 of 5 slots used')
    await app.press(keys.again)
    await app.see(/Address +\(required\)/)
    await app.press(formKeys.bindings.cancel)
    await app.press(keys.server)
    await app.see(`▌${new URL(server.url).host}`)
    expect(app.router.current().screen).toBe('servers')
  })

  test('does not offer the next pane while that pane would be hidden and empty', async () => {
    await open()
    await app.see('No connection requests.')
    await app.resize({ width: 80, height: 24 })
    await app.see(frame => /n connect a server {2}(?!Tab)/.test(frame))
    await app.resize({ width: 120, height: 40 })
    await app.see(/No request is chosen[^]*Tab next pane/)
  })

  test('also starts on the Servers screen, and an invalid address is not sent', async () => {
    const server = await startHttpServer()
    onTestFinished(() => server.close())
    await open({ route: serversRoute })
    await app.see('▌everything')
    await app.press(serversKeys.bindings.connect)
    await app.see('Connect a server')
    await app.type('nowhere')
    await app.press(formKeys.bindings.send)
    await app.see('An address begins with http:// or https://.')
    for (let at = 0; at < 'nowhere'.length; at += 1) await app.press('backspace')
    await app.type(server.url)
    await app.press(formKeys.bindings.send)
    await app.see('connected')
    expect(app.router.current().screen).toBe('connections')
  })

  test('that waits for a sign-in can have its link opened, copied and shown, and can be cancelled', async () => {
    const { url } = await guardedServer()
    await open({ wrap: withLink })
    await connect(url)
    await app.see('waiting for sign-in')
    await app.see('1 of 5 slots used')
    expect(app.frame()).not.toContain(LINK)
    await app.press(keys.signIn)
    await app.see('Opened the sign-in link')
    expect(opened).toEqual([LINK])
    await app.press(keys.copyLink)
    await app.see('Copied the sign-in link: anyone who holds it can finish the request.')
    expect(app.copied).toEqual([LINK])
    await app.press(keys.showLink)
    await app.see(LINK)
    await app.press('escape')
    await app.press(keys.putAway)
    await app.see('It is open; cancel it first.')
    await app.press(keys.cancel)
    await app.see('Cancel the connection to')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see(': cancelled.')
    await app.see('0 of 5 slots used')
    await app.press(keys.signIn)
    await app.see('It has ended, and its link no longer works.')
    await app.press(keys.putAway)
    await app.see('No connection requests.')
  })

  test('that matches several saved servers is restarted with the chosen one', async () => {
    const server = await startHttpServer()
    onTestFinished(() => server.close())
    await open()
    const url = `${server.url}?key=secret`
    for (const name of ['one', 'two'])
      await app.client.servers.create({ projectId, body: { name, enabled: true, transportType: 'http', url } })
    await connect(url)
    await app.see(/Candidate +one/)
    expect(app.frame()).not.toContain('secret')
    await app.press(keys.again)
    await app.see(/Server +none {2}\(required\)/)
    await app.press('tab')
    await app.see('Several saved servers have this address.')
    await app.press('down', 'down', formKeys.bindings.send)
    await app.see(/Server +two/)
  })

  test('without a free slot lists the requests that the refusal names, so that one can be cancelled', async () => {
    const { url } = await guardedServer()
    await open()
    for (let at = 0; at < 5; at += 1)
      await app.client.connections.create({ body: { url, projectId, reauthorize: true } })
    await app.see('No connection requests.')
    await connect(`${url}/another`)
    await app.see('Too many open connection requests')
    await app.press(formKeys.bindings.cancel)
    await app.see('Discard what you filled in?')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see(frame => !frame.includes('Connect a server'))
    await app.see('5 of 5 slots used')
    await app.press(keys.cancel)
    await app.see('Cancel the connection to')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see('4 of 5 slots used')
  })
})

test('a connection request is stored without its link and without secrets of its address', () => {
  const stored = storedInMemory(connectionsKey)
  const connections = createConnections(stored)
  connections.note({ id: 'scr_1', address: 'https://mcp.example/mcp' })
  connections.keepSecrets('scr_1', { url: 'https://mcp.example/mcp?key=secret', link: LINK })
  expect(JSON.stringify(connectionsKey.write(stored.get()))).not.toMatch(/secret/)
  expect(connectionsKey.read({ requests: [...stored.get(), { id: 3 }] })).toEqual(stored.get())
})
