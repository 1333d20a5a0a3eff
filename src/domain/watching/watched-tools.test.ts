import { expect, onTestFinished, test } from 'vitest'
import { openService } from '../../../test/harness.tsx'
import { startHttpServer, type HttpServer } from '../../../test/servers/http-server.ts'
import { createWatchedTools } from './watched-tools.ts'
import { PATIENCE } from '../../../test/patience.ts'

const never = new AbortController().signal

/** Watches a server over HTTP, and examines it once. */
async function watched() {
  const { client, close } = await openService()
  onTestFinished(close)
  const old = await startHttpServer()
  onTestFinished(() => old.close())
  const projectId = (await client.projects.list()).items[0]!.id
  const body = { name: 'far', enabled: true, transportType: 'http' as const, url: old.url }
  const { id } = await client.servers.create({ projectId, body })
  const tools = createWatchedTools(client, { projectId, servers: [{ id, name: 'far', isProgram: false }] }, undefined)
  expect(await tools.look(never)).toMatchObject([{ changes: [], mayBeOld: false }])
  return { tools, old }
}

test('a server over HTTP that someone restarts after the save is waited for until it answers again', async () => {
  const { tools, old } = await watched()
  const looked = tools.look(never)
  const lists = () => old.seen.filter(({ method }) => method === 'tools/list').length
  // The server still answers when the check begins, then is unreachable, and returns with the same tools.
  await expect.poll(lists, { ...PATIENCE, interval: 5 }).toBeGreaterThan(1)
  await old.close()
  const fresh: HttpServer = await startHttpServer({}, Number(new URL(old.url).port))
  onTestFinished(() => fresh.close())
  expect(await looked).toMatchObject([{ changes: [] }])
  expect(fresh.seen.map(({ method }) => method)).toContain('tools/list')
})

test('a server that answers all the time is tested as it is, and this is reported', async () => {
  const { tools } = await watched()
  expect(await tools.look(never)).toMatchObject([{ changes: [], mayBeOld: true }])
})

test('a server that stays away is not waited for once the watch ends', async () => {
  const { tools, old } = await watched()
  await old.close()
  const stop = new AbortController()
  const looked = tools.look(stop.signal)
  stop.abort()
  expect(await looked).toMatchObject([{ error: { code: 'SERVER_UNREACHABLE' } }])
})

test('a list that a server never lets read is not reported at each save', async () => {
  const servers = { reconnect: async () => ({ tools: [], prompts: [], unread: { prompts: 'No.' } }) }
  const watching = { projectId: 'p1', servers: [{ id: 's1', name: 'near', isProgram: true }] }
  const tools = createWatchedTools({ servers } as never, watching, undefined)
  await tools.look(never)
  expect(await tools.look(never)).toMatchObject([{ changes: [] }])
})
