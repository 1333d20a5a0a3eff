import { createAdaptorServer } from '@hono/node-server'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { API_PREFIX, contract } from '../../src/api/contract/contract.ts'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { helpKeys } from '../../src/app/shell/app-keys.ts'
import { panesKeys, tabsKeys } from '../../src/components/component-keys.ts'
import { listKeys } from '../../src/components/list/list-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { serversKeys } from '../../src/screens/servers/bindings.ts'
import { open, sandbox, type Api } from '../service/harness.ts'
import { wordsOf } from '../pty/terminal.ts'
import { visit, type Visitor } from './visitor.ts'

const SMALL_SERVER = fileURLToPath(new URL('../servers/stdio-server.mjs', import.meta.url))
/** Long enough to see the screen alive meanwhile, short enough for a test. */
const SERVER_PATIENCE_MS = 6_000

/** Listens on loopback until the test ends. */
async function listen(answer: Api['fetch']): Promise<string> {
  const server = createAdaptorServer({ fetch: answer, overrideGlobalObjects: false }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${API_PREFIX}`
}

/** An address where nothing listens any more. */
async function deserted(): Promise<string> {
  const server = createAdaptorServer({ fetch: () => new Response() }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}${API_PREFIX}`
}

/** The local service, reachable for a dashboard; `spoil` answers instead of it where it wants to. */
async function reachable(spoil: (path: string) => Response | undefined = () => undefined) {
  // A server that cannot be reached is an answer of status 5xx, which these tests are about.
  const { api } = await open({ log: () => {}, connections: { deadlineMs: SERVER_PATIENCE_MS } })
  const baseUrl = await listen(async request => spoil(new URL(request.url).pathname) ?? api.fetch(request))
  return { api, env: { MCPDECK_BASE_URL: baseUrl, MCPDECK_API_KEY: api.key } }
}

/** The lines of the pane at the left, so that a sentence wrapped in it is one beside what its neighbour says. */
function firstPane(screen: string): string {
  return screen.replaceAll(/^(│[^│]*)│.*$/gm, '$1')
}

/** The frame lives: help opens and closes, the other screens open. */
async function expectAlive(person: Visitor): Promise<void> {
  person.press(appKeys.bindings.help)
  await person.see('What works here')
  person.press(helpKeys.bindings.close)
  await person.seeGone('What works here')
  person.go(4)
  await person.see('[4 Runs]')
  person.go(2)
  await person.see('[2 Projects]')
}

describe('a service that cannot be used says why in its pane', () => {
  const html = () => new Response('<!doctype html><h1>Sign in</h1>', { headers: { 'content-type': 'text/html' } })
  test.each<[string, () => Promise<string>, string, string]>([
    [
      'a wrong key',
      async () => (await reachable()).env.MCPDECK_BASE_URL,
      'Key not accepted',
      'The service does not accept this key: it is missing, wrong or revoked.',
    ],
    [
      'an address where nothing listens',
      deserted,
      'Connection refused',
      'Nothing listens at the address of the service.',
    ],
    [
      'an address that answers web pages',
      () => listen(async () => html()),
      'A web page instead of the service',
      'An HTML page came back: from a proxy, a login page or a wrong address.',
    ],
    [
      'answers off the contract',
      () => listen(async () => Response.json({ items: [{ id: 7 }] })),
      'Unexpected answer',
      'The answer does not match the contract',
    ],
  ])('%s', async (_, address, title, sentence) => {
    const env = { MCPDECK_BASE_URL: await address(), MCPDECK_API_KEY: 'sk_wrong' }
    await using person = visit({ env })
    await person.see(`✗ ${title}`)
    expect(wordsOf(firstPane(person.terminal.screen()))).toContain(sentence)
    expect(person.terminal.screen()).toContain('▌Projects')
    await expectAlive(person)
    await person.see(`✗ ${title}`)
    person.press(appKeys.bindings.quit)
    expect(await person.terminal.waitForExit()).toMatchObject({ code: 0 })
  })

  test('one pane off the contract leaves the others alone', async () => {
    const { env } = await reachable(path =>
      path.endsWith('/capabilities') ? Response.json({ can: 'everything' }) : undefined,
    )
    await using person = visit({ env })
    await person.see('✗ Unexpected answer')
    await person.see('▌Sandbox')
    expect(person.words()).toContain('The answer does not match the contract: ')
    person.press(projectsKeys.bindings.open)
    await person.see('▌everything')
  })
})

describe('a server that cannot be used says why in its pane', () => {
  /** Saves a server that comes first in the list, and opens the dashboard on it. */
  async function openServer(api: Api, env: Record<string, string>, command: string, args: string[]) {
    const { projectId } = await sandbox(api)
    const body = { name: 'under-test', enabled: true, transportType: 'stdio', command, args }
    const { id } = await api.call(contract.servers.create, { projectId, body })
    const person = visit({ env, args: [`projects/${projectId}/servers/${id}`] })
    await person.see('▌under-test')
    person.press(serversKeys.bindings.open)
    await person.see('▌under-test ─')
    return person
  }

  /** The server beside it can be examined. */
  async function expectNeighbour(person: Visitor): Promise<void> {
    person.press(panesKeys.bindings.previous)
    await person.see('▌Servers')
    person.press(listKeys.bindings.first)
    await person.see('▌everything')
    person.press(serversKeys.bindings.doctor)
    await person.see(/▌everything .*✓ ready/)
  }

  test('its command does not exist', async () => {
    const { api, env } = await reachable()
    await using person = await openServer(api, env, '/nonexistent/mcp-server', [])
    person.press(serversKeys.bindings.doctor)
    await person.see('✗ error')
    expect(person.words()).toContain('It cannot be used now: see the failed step')
    expect(person.words()).toContain('/nonexistent/mcp-server')
    person.press(tabsKeys.bindings.next)
    await person.see('✗ MCP server unreachable')
    expect(person.words()).toContain('The service works, but the MCP server')
    await expectNeighbour(person)
  })

  test('it never answers', async () => {
    const { api, env } = await reachable()
    await using person = await openServer(api, env, process.execPath, [SMALL_SERVER, 'silent'])
    person.press(tabsKeys.bindings.next)
    await person.see('[Doctor]')
    person.press(tabsKeys.bindings.next)
    await person.see('Connecting to the server and listing its tools…')
    person.press(appKeys.bindings.help)
    await person.see('What works here')
    person.press(helpKeys.bindings.close)
    await person.see('✗ MCP server silent')
    expect(person.words()).toContain('The service reached the MCP server, which did not answer in time.')
    await expectNeighbour(person)
  })
})
