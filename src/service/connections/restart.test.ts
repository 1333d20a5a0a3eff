import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { descendantsOf } from '../../../test/journeys/processes.ts'
import { PATIENCE } from '../../../test/patience.ts'
import { small, stdioTarget } from '../../../test/servers/targets.ts'
import { createConnections, type Connections } from './engine.ts'
import { createServerRequests } from './server-requests.ts'
import type { ServerTarget } from './types.ts'

let directory: string
let built: string
let server: ServerTarget
let connections: Connections

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'restart-'))
  built = join(directory, 'built')
  writeFileSync(built, 'before')
  const { transport } = small('named')
  server = stdioTarget([...(transport.type === 'stdio' ? transport.args : []), built])
  connections = createConnections({
    deadlineMs: 10_000,
    requests: createServerRequests({ rootsOf: () => [], onChange: () => undefined }),
  })
})
afterEach(async () => {
  await connections.close()
  rmSync(directory, { recursive: true, force: true })
})

const pid = async (): Promise<number> => {
  const { content } = await connections.callTool(server, { toolName: 'pid' })
  return (JSON.parse(String(content[0]?.['text'])) as { pid: number }).pid
}
const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name)

const listed = async () => ({
  tools: names((await connections.listTools(server)).items),
  doctor: names((await connections.doctor(server)).tools),
  runs: names((await connections.exportSnapshot(server)).tools),
})

test('the doctor examines the same process that tools and calls use', async () => {
  const first = await pid()
  writeFileSync(built, 'after')
  expect((await listed()).doctor).toEqual(['before', 'pid'])
  expect(await pid()).toBe(first)
  expect(connections.live(server.id)).toMatchObject({ starts: 1 })
})

test('an examination can use a connection without extending its time', async () => {
  await pid()
  const { keptUntil } = connections.live(server.id)
  vi.setSystemTime(Date.now() + 1_000)
  onTestFinished(() => void vi.useRealTimers())
  expect(connections.live(server.id, { keepsConnection: false }).keptUntil).toBe(keptUntil)
  expect(connections.live(server.id).keptUntil).toBeGreaterThan(Number(keptUntil))
})

test('after a restart, tools, doctor, runs and calls use a new process', async () => {
  const first = await pid()
  await listed()
  writeFileSync(built, 'after')
  const restarted = await connections.restart(server)
  expect(restarted).toMatchObject({ starts: 2, startedAt: expect.any(Number) })
  expect(() => process.kill(first, 0)).toThrow('ESRCH')
  const after = ['after', 'pid']
  expect(await listed()).toEqual({ tools: after, doctor: after, runs: after })
  expect(await pid()).not.toBe(first)
  const { startedAt, starts } = restarted
  expect(connections.live(server.id)).toMatchObject({ startedAt, starts })
})

test('a snapshot has the server’s instructions, or says that there are none', async () => {
  const instructions = 'Built as before.\nAsk first. \u001b[2J'
  expect(await connections.exportSnapshot(server)).toMatchObject({ instructions })
  expect(await connections.exportSnapshot(small('healthy'))).toMatchObject({ instructions: null })
  await connections.listTools(server)
  expect(connections.live(server.id)).toMatchObject({ instructions })
})

test('parts that are missing in the answer to initialize are named', async () => {
  const report = await connections.doctor(small('no-version'))
  expect(report.checks.initialization.detail).toContain('not a valid result: serverInfo.version is missing')
})

test('a restart ends a hanging call, whose error names the restart', async () => {
  const hanging = small('silent-call')
  const ended = connections.callTool(hanging, { toolName: 'pid' }).catch((error: unknown) => error)
  await connections.listTools(hanging)
  await connections.restart(hanging)
  expect(await ended).toMatchObject({
    code: 'SERVER_UNREACHABLE',
    message: 'The server "under test" was restarted meanwhile.',
  })
  expect(connections.live(hanging.id).starts).toBe(2)
})

test('a server whose tool was called is kept until a person ends it, and others end by themselves', async () => {
  const requests = createServerRequests({ rootsOf: () => [], onChange: () => undefined })
  await using held = {
    connections: createConnections({ idleMs: 20, heldMs: Infinity, requests }),
    [Symbol.asyncDispose]: () => held.connections.close(),
  }
  const called = small('healthy')
  const process = await held.connections.callTool(called, { toolName: 'pid' })
  const listed = small('both')
  await held.connections.listTools(listed)
  const isRunning = (behaviour: string) =>
    descendantsOf(globalThis.process.pid).some(({ command }) => command.endsWith(` ${behaviour}`))
  await vi.waitUntil(() => !isRunning('both'), PATIENCE)
  expect((await held.connections.callTool(called, { toolName: 'pid' })).content).toEqual(process.content)
  expect(held.connections.live(called.id)).toMatchObject({ held: true, keptUntil: null, starts: 1, stateLost: null })
  expect(await held.connections.end(called)).toMatchObject({ held: false, startedAt: null, stateLost: null })
  expect(isRunning('healthy')).toBe(false)
})

test('if a server ends by itself after a call, the loss of its state is reported until it is restarted', async () => {
  process.kill(await pid(), 'SIGKILL')
  await vi.waitUntil(() => connections.live(server.id).startedAt == null, PATIENCE)
  await pid()
  expect(connections.live(server.id)).toMatchObject({
    starts: 2,
    stateLost: { start: 1, calls: 1, endedAt: expect.any(Number) },
  })
  expect(await connections.restart(server)).toMatchObject({ starts: 3, stateLost: null })
})

test('a restart fails if the program no longer starts, and leaves no old process', async () => {
  await pid()
  rmSync(built)
  await expect(connections.restart(server)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' })
  await expect(connections.listTools(server)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' })
  expect(connections.live(server.id)).toMatchObject({ starts: 1, startedAt: null })
})
