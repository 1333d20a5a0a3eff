import { createAdaptorServer } from '@hono/node-server'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { API_PREFIX, contract } from '../../src/api/contract/contract.ts'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { helpKeys } from '../../src/app/shell/app-keys.ts'
import { panesKeys, tabsKeys } from '../../src/components/component-keys.ts'
import { listKeys } from '../../src/components/list/list-keys.ts'
import { serversKeys } from '../../src/screens/servers/bindings.ts'
import { wordsOf } from '../pty/terminal.ts'
import { open, sandbox, type Ending } from '../service/harness.ts'
import { visit, type Visitor } from './visitor.ts'

const SMALL_SERVER = fileURLToPath(new URL('../servers/stdio-server.mjs', import.meta.url))
/** Long enough to see that the screen still responds, short enough for a test. */
const SERVER_PATIENCE_MS = 6_000

/** Serves the local workspace for a dashboard. */
async function reachable(ending: Ending) {
  // A server that cannot be reached is answered with status 5xx, which these tests are about.
  const { api } = await open({ log: () => {}, connections: { deadlineMs: SERVER_PATIENCE_MS } }, ending)
  const server = createAdaptorServer({ fetch: api.fetch, overrideGlobalObjects: false }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ending.onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${API_PREFIX}`
  return { api, env: { MCPDECK_BASE_URL: baseUrl, MCPDECK_API_KEY: api.key } }
}

/** Returns the lines of the left pane, so that a sentence wrapped in it is not mixed with the text of its neighbour. */
function firstPane(screen: string): string {
  return screen.replaceAll(/^(│[^│]*)│.*$/gm, '$1')
}

/** Checks that the frame responds: help opens and closes, and the other screens open. */
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

test.concurrent('a key that is not accepted is reported in the pane, and the frame works', async ending => {
  const { env } = await reachable(ending)
  await using person = visit({ env: { ...env, MCPDECK_API_KEY: 'sk_wrong' } })
  await person.see('✗ Key not accepted')
  expect(wordsOf(firstPane(person.terminal.screen()))).toContain(
    'The service does not accept this key: it is missing, wrong or revoked.',
  )
  expect(person.terminal.screen()).toContain('▌Projects')
  await expectAlive(person)
  await person.see('✗ Key not accepted')
  person.press(appKeys.bindings.quit)
  expect(await person.terminal.waitForExit()).toMatchObject({ code: 0 })
})

test.concurrent('a server that never answers is reported, and another can be examined', async ending => {
  const { api, env } = await reachable(ending)
  const { projectId } = await sandbox(api)
  const { id } = await api.call(contract.servers.create, {
    projectId,
    body: {
      name: 'under-test',
      enabled: true,
      transportType: 'stdio',
      command: process.execPath,
      args: [SMALL_SERVER, 'silent'],
    },
  })
  await using person = visit({ env, args: [`projects/${projectId}/servers/${id}`] })
  await person.see('▌under-test')
  person.press(serversKeys.bindings.open)
  await person.see('▌under-test ─')
  person.press(tabsKeys.bindings.next)
  await person.see('[Doctor]')
  person.press(tabsKeys.bindings.next)
  await person.see('Connecting to the server and listing its tools…')
  person.press(appKeys.bindings.help)
  await person.see('What works here')
  person.press(helpKeys.bindings.close)
  await person.see('✗ MCP server silent')
  expect(person.words()).toContain('The MCP server was reached and did not answer in time.')
  person.press(panesKeys.bindings.previous)
  await person.see('▌Servers')
  person.press(listKeys.bindings.first)
  await person.see('▌everything')
  person.press(serversKeys.bindings.doctor)
  await person.see(/▌everything .*✓ ready/)
})
