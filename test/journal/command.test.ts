import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { type Client, createClient } from '../../src/api/client/client.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import type { OpenWrite } from '../../src/api/client/read-back/open-write.ts'
import { openHome } from '../cli/program.ts'
import { lossyLine } from '../pty/lossy-line.ts'
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

test('a launch that was never sent stays in the list until it is sent again or dismissed', async () => {
  const home = await openHome()
  try {
    const projectId = (await client.projects.list()).items[0]!.id
    const suite = (await client.suites.list({ projectId })).items[0]!
    const file = join(home.home, '.local/state/mcpdeck/journal.sqlite')
    const runs = async () => (await client.runs.list({ projectId, suiteId: suite.id })).items
    const env = { MCPDECK_BASE_URL: greeting.baseUrl, MCPDECK_API_KEY: key }
    const journal = (...args: string[]) => home.run(['journal', ...args], { env })
    for (let count = 0; count < 2; count += 1) {
      const write = {
        operation: 'createEvalRun',
        input: { projectId, body: { suiteId: suite.id, notes: String(count) } },
        idempotencyKey: randomUUID(),
      }
      await startHost('write', { ...greeting, file, write }, 'journaled').ended
    }
    const listed = await journal('--json')
    expect(listed.code).toBe(0)
    const { items } = JSON.parse(listed.stdout) as { items: OpenWrite[] }
    expect(items).toHaveLength(2)
    expect(items[0]).toMatchObject({
      operation: 'createEvalRun',
      target: suite.name,
      place: { projectId },
      risk: 'spend',
      sent: false,
      readBack: { finding: 'did-not-happen', because: 'it never left this machine' },
      choices: ['send', 'dismiss'],
    })
    const [first, second] = items.map(({ id }) => String(id)) as [string, string]
    const table = (await journal()).stdout
    expect(table).toMatch(/^ID +TIME +OPERATION +TARGET +STATE +CHOICES\n/)
    expect(table).toContain('did not happen: it never left this machine')
    expect(await runs()).toEqual([])

    expect((await journal('send', first)).code).toBe(2)
    expect(await runs()).toEqual([])
    const sent = await journal('send', first, '--yes')
    expect(sent).toMatchObject({ code: 0 })
    expect(sent.stderr).toMatch(/was sent now: run_/)
    expect(await runs()).toHaveLength(1)
    expect(await journal('dismiss', second)).toMatchObject({ code: 0 })
    expect(await runs()).toHaveLength(1)
    expect((await journal()).stderr).toContain('No write is in doubt.')
    expect((await journal('send', second, '--yes')).code).toBe(2)
  } finally {
    await home.close()
  }
})

describe('a change of access whose answer is lost', () => {
  /** A published scenario, and commands over a connection that loses the given requests. */
  async function begin(name: string) {
    const home = await openHome()
    const line = await lossyLine(greeting.baseUrl)
    onTestFinished(async () => {
      await home.close()
      await line.close()
    })
    const projectId = (await client.projects.list()).items[0]!.id
    const host = await client.clients.create({ projectId, body: { name, config: { modelId: 'm', serverIds: [] } } })
    const { id: environmentId } = await client.environments.create({ projectId, body: { name, hostId: host.id } })
    await client.userTesting.publish({ projectId, environmentId, body: { mode: 'invited_only' } })
    const env = { MCPDECK_BASE_URL: line.url, MCPDECK_API_KEY: key }
    return { line, run: (...args: string[]) => home.run(args, { env }) }
  }

  test('is settled if reading back shows the change, and no line says otherwise', async () => {
    const { line, run } = await begin('Desk')
    line.loseNext(/^DELETE /, 'unanswered', 3)
    const { code, stderr } = await run('unpublish', 'Desk', '--yes')
    expect(stderr).toContain('The answer was lost, and what was read back shows that it happened.')
    expect(stderr).not.toContain('may have happened')
    expect(code).toBe(0)
  })

  test('is reported as open with what can be done, and a removed member is named', async () => {
    const { line, run } = await begin('Study')
    line.loseNext(/^POST \S+rotate-link /, 'unanswered')
    const lost = await run('rotate', 'Study', '--yes')
    expect(lost).toMatchObject({ code: 3, stdout: '' })
    // There is one instruction, the one for this change.
    expect(lost.stderr).toMatch(/Connection lost: [^]* Rotate again: /)
    expect(lost.stderr).not.toContain('repeat it only if')
    const again = await run('rotate', 'Study', '--yes')
    expect(again).toMatchObject({ code: 3, stdout: '' })
    expect(again.stderr).toContain('Nothing was sent: add --new to send another one.')
    const removed = await run('remove-member', 'Study', 'ada@example.org', '--yes')
    expect(removed.stderr).toContain('ada@example.org is not a member: removed before, or never one.')
    expect(removed.stderr).not.toContain('Look at the list')
  })
})
