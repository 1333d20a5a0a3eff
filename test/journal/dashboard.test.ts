import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { type Client, createClient } from '../../src/api/client/client.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal } from '../pty/terminal.ts'
import { startHost, temporaryDirectory } from './processes.ts'

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

test('a launch that was killed is told by a read-only start and offered by the next one', async () => {
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
    await terminal.waitFor(/Create eval run “.*” \(.*\) did not happen: no run of the suite began then\./)
    expect(await runs()).toEqual([])
    terminal.type('1')
    await terminal.waitFor(/Create eval run “.*” \(.*\) did not happen/)
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
