import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { type Client, createClient } from '../../src/api/client/client.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal } from '../pty/terminal.ts'
import { makeOlder, startHost, startProxy, temporaryDirectory } from './processes.ts'

const directory = temporaryDirectory()
const http = createHttpFetch()
let served: ReturnType<typeof startHost>
let greeting: { baseUrl: string; keyFile: string }
let key: string
let client: Client

beforeAll(async () => {
  served = startHost('serve', { dataDir: join(directory.path, 'data') })
  greeting = (await served.said<typeof greeting>())!
  key = readFileSync(greeting.keyFile, 'utf8').trim()
  const budget = createBudget({ unlimited: true })
  client = createClient({ fetch: http.fetch, baseUrl: greeting.baseUrl, key, budget })
})

afterAll(async () => {
  await http.close()
  served.child.kill('SIGTERM')
  await served.ended
  directory.remove()
})

test('a launch whose process was killed is reported by a read-only start and offered by the next one', async () => {
  const home = createHome()
  try {
    const projectId = (await client.projects.list()).items[0]!.id
    const suiteId = (await client.suites.list({ projectId })).items[0]!.id
    const file = join(home, '.local/state/mcpdeck/journal.sqlite')
    const write = { operation: 'createEvalRun', input: { projectId, body: { suiteId } }, idempotencyKey: randomUUID() }
    const killed = startHost('write', { ...greeting, file, write }, 'sent')
    expect((await killed.ended).signal).toBe('SIGKILL')
    const runs = async () => (await client.runs.list({ projectId, suiteId })).items
    const env = { MCPDECK_BASE_URL: greeting.baseUrl, MCPDECK_API_KEY: key }

    const args = [join(import.meta.dirname, '../../dist/boot.js'), '--read-only']
    await using reader = openTerminal({ command: process.execPath, args, home, env })
    await reader.waitFor(/Create eval run \(.*\) is unresolved; a start without read-only settles it\./)
    reader.type('q')
    await reader.waitForExit()
    expect(await runs()).toEqual([])

    await using terminal = openTerminal({ home, env })
    await terminal.waitFor(/Create eval run “.*” \(.*\) may have happened: no run of the suite began then/)
    expect(await runs()).toEqual([])
    terminal.type('1')
    await terminal.waitFor('R decides about it')
    terminal.type('R')
    await terminal.waitFor('What about Create eval run')
    terminal.type('\x1b[B')
    await terminal.waitFor('▌ (o) send it again')
    terminal.type('\r\r')
    await terminal.waitFor(/was sent again: run_/)
    expect(await runs()).toHaveLength(1)
    terminal.type('q')
    expect(await terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
  } finally {
    removeHome(home)
  }
})

test('a write that the service may still carry out is checked again until it no longer can', async () => {
  const home = createHome()
  try {
    const projectId = (await client.projects.list()).items[0]!.id
    const [server] = (await client.servers.list({ projectId })).items
    const step = { id: 's', kind: 'toolCall', serverName: 'everything', toolName: 'echo', arguments: { message: 'm' } }
    const suite = { name: 'Late', serverIds: [server!.id], model: 'm', tests: [{ title: 'one', steps: [step] }] }
    const { suiteId } = await client.suites.create({ projectId, body: suite as never })
    const file = join(home, '.local/state/mcpdeck/journal.sqlite')
    const input = { projectId, body: { suiteId } }
    const write = { operation: 'createEvalRun', input, idempotencyKey: randomUUID() }
    await startHost('write', { ...greeting, file, write }, 'sent').ended
    const env = { MCPDECK_BASE_URL: greeting.baseUrl, MCPDECK_API_KEY: key }
    await using terminal = openTerminal({ home, env })
    await terminal.waitFor(/may have happened: no run of the suite began then/)
    makeOlder(file, 11 * 60_000)
    await terminal.waitFor(/did not happen: no run of the suite began then/, 60_000)
    terminal.type('q')
    await terminal.waitForExit()
  } finally {
    removeHome(home)
  }
})

test('unsent writes of a bulk action whose terminal ended are reported, and sent if asked for', async () => {
  const home = createHome()
  const proxy = await startProxy(greeting.baseUrl)
  try {
    const projectId = (await client.projects.list()).items[0]!.id
    const tests = ['one', 'two', 'three', 'four'].map(message => ({
      title: `Says ${message}`,
      steps: [{ id: 's', kind: 'toolCall', serverName: 'everything', toolName: 'echo', arguments: { message } }],
    }))
    const serverIds = (await client.servers.list({ projectId })).items.map(({ id }) => id)
    const body = { name: 'Bulk', serverIds, model: 'none', tests }
    const { suiteId } = await client.suites.create({ projectId, body: body as never })
    const left = async () => (await client.cases.list({ projectId, suiteId })).items.map(({ title }) => title)
    const env = { MCPDECK_BASE_URL: proxy.baseUrl, MCPDECK_API_KEY: key }
    const place = `projects/${projectId}/runs?suiteId=${suiteId}&pane=runs&middle=cases`
    const args = [join(import.meta.dirname, '../../dist/boot.js'), place]

    const dying = openTerminal({ command: process.execPath, args, home, env })
    await dying.waitFor('▌Says one')
    dying.type(' \x1b[B \x1b[B \x1b[B ')
    await dying.waitFor('4 marked')
    dying.type('D')
    await dying.waitFor('Type “delete”')
    dying.type('delete\r')
    await dying.waitFor('Delete 4 cases')
    const held = proxy.hold('answer', 1)
    dying.type('\x1b[B\r')
    await held
    dying.kill('SIGKILL')
    await dying.waitForExit()
    proxy.letThrough()
    const before = await left()
    expect(before).toHaveLength(2)

    await using terminal = openTerminal({ home, env })
    await terminal.waitFor(/Delete eval case, 4 at once \(.*\) broke off: 1 of 4 done, 1 in doubt, 2 never left/)
    expect(await left()).toEqual(before)
    terminal.type('1')
    await terminal.waitFor(/2 of 4 done, 2 never left/)
    terminal.type('R')
    await terminal.waitFor('What about Delete eval case, 4 at once')
    terminal.type('\x1b[B')
    await terminal.waitFor('▌ (o) send what never left')
    terminal.type('\r\r')
    await terminal.waitFor(/Delete eval case, 4 at once \(.*\): 2 sent now\./)
    expect(await left()).toEqual([])
    terminal.type('q')
    expect(await terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
  } finally {
    proxy.close()
    removeHome(home)
  }
})
