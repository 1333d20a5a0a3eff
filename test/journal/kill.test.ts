import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { type Client, createClient } from '../../src/api/client/client.ts'
import { isTerminalRunStatus } from '../../src/api/contract/runs.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import { type Hold, startHost, startHostOnFullDisk, startProxy, temporaryDirectory } from './processes.ts'
import { type KillPoint, resolveOnce, type Told, type WriterOptions } from './writer.ts'
import { until } from '../service/harness.ts'

const directory = temporaryDirectory()
const http = createHttpFetch()
let served: ReturnType<typeof startHost>
let proxy: Awaited<ReturnType<typeof startProxy>>
let keyFile: string
let client: Client
let projectId: string
let serverId: string

beforeAll(async () => {
  served = startHost('serve', { dataDir: join(directory.path, 'data') })
  const greeting = (await served.said<{ baseUrl: string; keyFile: string }>())!
  keyFile = greeting.keyFile
  proxy = await startProxy(greeting.baseUrl)
  const key = readFileSync(keyFile, 'utf8').trim()
  const budget = createBudget({ unlimited: true })
  client = createClient({ fetch: http.fetch, baseUrl: greeting.baseUrl, key, budget })
  projectId = (await client.projects.list()).items[0]!.id
  serverId = (await client.servers.list({ projectId })).items[0]!.id
})

afterAll(async () => {
  proxy.close()
  await http.close()
  served.child.kill('SIGTERM')
  await served.ended
  directory.remove()
})

/** A suite with one case that passes or fails, and a separate journal. */
async function scene(wanted = 'hello') {
  const name = randomUUID()
  const call = {
    id: 'a',
    kind: 'toolCall' as const,
    serverName: 'everything',
    toolName: 'echo',
    arguments: { message: 'hello' },
  }
  const check = { id: 'b', kind: 'assert' as const, assertion: { type: 'responseContains', needle: wanted } }
  const { suiteId } = await client.suites.create({
    projectId,
    body: { name, serverIds: [serverId], model: 'm', tests: [{ title: 'one', steps: [call, check] }] },
  })
  const writer: WriterOptions = { baseUrl: proxy.baseUrl, keyFile, file: join(directory.path, name, 'journal.sqlite') }
  const runs = async () => (await client.runs.list({ projectId, suiteId })).items
  const launch = { operation: 'createEvalRun', input: { projectId, body: { suiteId } } }
  return { suiteId, writer, runs, launch }
}

async function killAt(point: KillPoint | Exclude<Hold, 'nothing'>, options: WriterOptions): Promise<void> {
  const isHold = point === 'request' || point === 'answer'
  const held = isHold ? proxy.hold(point) : undefined
  const { child, ended } = startHost('write', options, isHold ? undefined : point)
  if (held) {
    await held
    child.kill('SIGKILL')
  }
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' })
  proxy.letThrough()
}

/** Starts the program again. This process can do so as well, because the writing process is gone. */
const resolveIn = (options: WriterOptions, mode: 'resolve' | 'send' = 'resolve') => resolveOnce(options, mode)

/** Does the same in a separate process, for starts at the same time. */
async function resolveApart(options: WriterOptions, mode: 'resolve' | 'send' = 'resolve'): Promise<Told> {
  const { said, ended } = startHost(mode, options)
  const told = await said<Told>()
  expect((await ended).code).toBe(0)
  return told!
}

describe('a launch whose process is killed', () => {
  test.each([
    ['before-journal', 0, undefined],
    ['journaled', 0, 'did not happen: it never left this machine'],
    ['sent', 0, 'may have happened: no run of the suite began then; the service may'],
    ['request', 0, 'may have happened: no run of the suite began then; the service may'],
    ['answer', 1, 'may have happened: run #1 began then'],
    ['answered', 1, 'may have happened: run #1 began then'],
    ['settled', 1, undefined],
  ] as const)('at "%s" leaves %i runs, and nothing is launched without consent', async (point, expected, words) => {
    const { writer, runs, launch } = await scene()
    await killAt(point, { ...writer, write: { ...launch, idempotencyKey: randomUUID() } })
    const told = await resolveIn(writer)
    expect(await runs()).toHaveLength(expected)
    expect(told).toHaveLength(words === undefined ? 0 : 1)
    if (words !== undefined)
      expect(told[0]!.sentence).toMatch(new RegExp(`^Create eval run “[^”]+” \\([-\\d ]*\\d\\d:\\d\\d\\) ${words}`))
    const isOffered = words !== undefined
    expect(await resolveIn(writer)).toHaveLength(isOffered ? 1 : 0)
    const sent = await resolveIn(writer, 'send')
    expect(sent.at(-1)?.sentence).toEqual(
      isOffered
        ? expect.stringMatching(expected === 1 ? /\) happened: run_/ : /\) was sent (again|now): run_/)
        : undefined,
    )
    expect(await resolveIn(writer)).toEqual([])
    expect(await runs()).toHaveLength(isOffered ? 1 : expected)
  })

  test('is launched once if two processes send it again', async () => {
    const { writer, runs, launch } = await scene()
    await killAt('request', { ...writer, write: { ...launch, idempotencyKey: randomUUID() } })
    await Promise.all([resolveApart(writer, 'send'), resolveApart(writer, 'send')])
    expect(await runs()).toHaveLength(1)
  })

  test('is launched once even if the process that sends it again is killed', async () => {
    const { writer, runs, launch } = await scene()
    await killAt('journaled', { ...writer, write: { ...launch, idempotencyKey: randomUUID() } })
    for (const hold of ['request', 'answer'] as const) {
      const held = proxy.hold(hold)
      const settling = startHost('send', writer)
      await held
      settling.child.kill('SIGKILL')
      await settling.ended
      proxy.letThrough()
    }
    expect((await resolveIn(writer, 'send')).map(({ finding }) => finding)).toEqual(['cannot-be-known', 'happened'])
    expect(await runs()).toHaveLength(1)
  })

  test('waits in the journal while the service is away', async () => {
    const { writer, runs, launch } = await scene()
    const dead = await startProxy(proxy.baseUrl)
    const away = { ...writer, baseUrl: dead.baseUrl }
    await killAt('journaled', { ...away, write: { ...launch, idempotencyKey: randomUUID() } })
    dead.close()
    expect(await resolveIn(away)).toMatchObject([
      {
        finding: 'unresolved',
        sentence: expect.stringContaining('is unresolved: Connection refused; the next start checks again.'),
      },
    ])
    expect(await runs()).toHaveLength(0)
  })
})

test('a write whose process is killed is settled by one of two processes that start at once', async () => {
  const { writer } = await scene()
  const input = { projectId, body: { description: randomUUID() } }
  await killAt('answer', { ...writer, write: { operation: 'updateProject', input } })
  const told = await Promise.all([resolveApart(writer), resolveApart(writer)])
  expect(told.flat()).toMatchObject([{ finding: 'happened' }])
})

test('a launch that cannot be recorded is refused and never sent', async () => {
  const { writer, runs, launch } = await scene()
  const refused = startHostOnFullDisk('write', { ...writer, write: { ...launch, idempotencyKey: randomUUID() } })
  expect(await refused.said()).toMatchObject({ error: { kind: 'refused', code: 'journal', sent: false } })
  await refused.ended
  expect(await runs()).toEqual([])
  expect(await resolveIn(writer)).toEqual([])
})

test('processes that write for the first time at the same time share one file', async () => {
  const { writer } = await scene()
  const names = Array.from({ length: 4 }, () => randomUUID())
  const hosts = names.map(name =>
    startHost('write', { ...writer, write: { operation: 'createProject', input: { body: { name } } } }),
  )
  const said = await Promise.all(hosts.map(host => host.said()))
  expect(said).toEqual(names.map(name => ({ value: expect.objectContaining({ name }) as object })))
  expect(await resolveIn(writer)).toEqual([])
})

describe('a rerun, which has no key, is never sent again', () => {
  test.each([
    ['before-journal', 0, undefined],
    ['journaled', 0, 'did-not-happen'],
    ['sent', 0, 'cannot-be-known'],
    ['request', 0, 'cannot-be-known'],
    ['answer', 1, 'cannot-be-known'],
    ['answered', 1, 'cannot-be-known'],
    ['settled', 1, undefined],
  ] as const)('if killed at "%s" with %i runs left', async (point, expected, finding) => {
    const { writer, runs, launch } = await scene('never said')
    const key = { ...writer, write: { ...launch, idempotencyKey: randomUUID() } }
    const first = startHost('write', key)
    expect(await first.said()).toHaveProperty('value.runId')
    await first.ended
    const [source] = await until(runs, ([run]) => run !== undefined && isTerminalRunStatus(run.status))
    const input = { projectId, runId: source!.id, body: { scope: 'failed_cases' } }
    await killAt(point, { ...writer, write: { operation: 'rerunEvalRun', input } })
    const told = await resolveIn(writer)
    expect(told.map(resolution => resolution.finding)).toEqual(finding === undefined ? [] : [finding])
    expect(await runs()).toHaveLength(1 + expected)
    expect(await resolveIn(writer)).toMatchObject(finding ? [{ finding }] : [])
    expect(await runs()).toHaveLength(1 + expected)
  })
})
