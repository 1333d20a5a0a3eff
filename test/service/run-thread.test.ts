import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { getPriority } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { OutputOf } from '../../src/api/contract/endpoint.ts'
import type { LogEntry } from '../../src/service/core/pipeline.ts'
import { descendantsOf, stillRunning } from '../journeys/processes.ts'
import { startHttpServer } from '../servers/http-server.ts'
import { guardedServer } from './guarded-server.ts'
import { echoCase, longCase, open, sandbox, temporaryDirectory, until, untilEnded, type Api } from './harness.ts'

const { runs, iterations, servers, suites, traffic } = contract

/** Every thread that is started during the test; ended threads have the thread id -1. */
function threadsOfTest(): Worker[] {
  const threads: Worker[] = []
  const note = (message: unknown) => void threads.push((message as { worker: Worker }).worker)
  subscribe('worker_threads', note)
  onTestFinished(() => void unsubscribe('worker_threads', note))
  return threads
}

const isOver = ({ threadId }: Worker) => threadId === -1

async function suiteOf(api: Api, tests: object[]) {
  const { projectId, serverId } = await sandbox(api)
  const body = { name: 'Own', model: 'none', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  return { projectId, serverId, suiteId }
}

async function launch(api: Api, { projectId, suiteId }: { projectId: string; suiteId: string }) {
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  return { projectId, runId }
}

const allTrials = async (api: Api, run: object) => (await api.call(iterations.list, { ...run, limit: 200 })).items

/** Waits until one trial has ended and others are running. */
const untilBusy = (api: Api, run: object) =>
  until(
    () => allTrials(api, run),
    items => items.some(({ result }) => result) && items.some(({ status }) => status === 'running'),
  )

/** Server programs and guardians below this process. */
const programs = () => descendantsOf(process.pid).filter(({ command }) => /everything|trap/.test(command))

/** The priorities of the programs that still run: a program may end between the list and the look. */
function prioritiesOf(started: readonly { pid: number }[]): number[] {
  return started.flatMap(({ pid }) => {
    try {
      return getPriority(pid)
    } catch {
      return []
    }
  })
}

async function expectPasses(api: Api, suite: { projectId: string; suiteId: string }) {
  const { projectId, runId } = await launch(api, suite)
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ status: 'completed', result: 'passed' })
}

test('a thread starts with a run, serves several, runs servers at low priority, and ends when idle', async () => {
  const threads = threadsOfTest()
  const { api, settle } = await open({ runsGiveWay: true, connections: { idleMs: 200 } })
  const suite = await suiteOf(api, [echoCase('one', 'a')])
  expect(threads).toHaveLength(0)
  await Promise.all([expectPasses(api, suite), expectPasses(api, suite)])
  const busy = await launch(api, await suiteOf(api, [echoCase('quick', 'a'), longCase('slow', 60)]))
  await untilBusy(api, busy)
  expect(threads).toHaveLength(1)
  const started = programs()
  expect(started).not.toEqual([])
  if (process.platform === 'linux')
    expect(new Set(prioritiesOf(started))).toEqual(new Set([Math.min(19, getPriority() + 5)]))
  await api.call(runs.cancel, busy)
  await settle()
  await until(
    () => threads.every(isOver) && programs().length === 0,
    over => over,
  )
  await expectPasses(api, suite)
  expect(threads).toHaveLength(2)
})

test('no thread is started for a workspace that executes runs in its own thread', async () => {
  const threads = threadsOfTest()
  const { api } = await open({ executeHere: true })
  await expectPasses(api, await suiteOf(api, [echoCase('one', 'a')]))
  expect(threads).toHaveLength(0)
})

test.each<[string, (thread: Worker) => unknown, string]>([
  ['is ended', thread => thread.terminate(), 'ended before the trial did'],
  // In practice a thread ends because of an exception that nothing catches.
  ['fails', thread => thread.postMessage(null, []), 'ended before the trial did: Cannot read prop'],
])('when the thread %s, its runs end with the reason and the next run works', async (_, end, why) => {
  const threads = threadsOfTest()
  const log: LogEntry[] = []
  const { api, settle, store } = await open({ trialConcurrency: 2, log: entry => void log.push(entry) })
  const suite = await suiteOf(api, [echoCase('quick', 'a'), longCase('slow', 60), longCase('slower', 60)])
  const [run, other] = [await launch(api, suite), await launch(api, suite)]
  await untilBusy(api, run)
  await untilBusy(api, other)
  const left = programs().map(({ pid }) => pid)
  expect(left.length).toBeGreaterThanOrEqual(2)
  await end(threads[0]!)
  await settle()
  for (const { projectId, runId } of [run, other]) {
    expect(await api.call(runs.get, { projectId, runId })).toMatchObject({
      status: 'completed',
      result: null,
      decisionSummary: { decision: null, verdict: 'notEstablished' },
    })
    const items = await allTrials(api, { projectId, runId })
    expect(items.map(({ trialClass }) => trialClass)).toEqual(['passed', 'execution_failed', 'execution_failed'])
    expect(items[1]?.error).toContain(`The thread that executed it ${why}`)
  }
  expect(store.runs.inFlight()).toEqual([])
  const failures = log.flatMap(entry => (entry.kind === 'failure' ? [String(entry.error)] : []))
  expect(failures).toHaveLength(2)
  expect(failures[0]).toContain(why)
  // The guardian notices that the thread is gone and ends its server programs.
  await until(
    () => stillRunning(left),
    running => running.length === 0,
  )
  await expectPasses(api, await suiteOf(api, [echoCase('one', 'a')]))
  expect(threads).toHaveLength(2)
})

test('a thread that is ended during its writes leaves no lock behind', async () => {
  const threads = threadsOfTest()
  const { api, settle } = await open({ trialConcurrency: 16, log() {} })
  const titles = Array.from({ length: 50 }, (_, index) => `m${index}`)
  const suite = await suiteOf(
    api,
    titles.map(title => ({ ...echoCase(title, title), runs: 4 })),
  )
  for (const passed of [1, 20, 60]) {
    const { projectId, runId } = await launch(api, suite)
    await until(
      () => api.call(runs.get, { projectId, runId }),
      ({ summary }) => Number(summary?.passed) > passed / 4,
    )
    await threads.at(-1)?.terminate()
    await settle()
    const items = await allTrials(api, { projectId, runId })
    const ended = items.filter(({ trialClass }) => /^(passed|execution_failed)$/.test(String(trialClass)))
    expect(ended).toHaveLength(200)
  }
  await expectPasses(api, suite)
})

test('closing the workspace during a run ends the run in the store, the thread and its server programs', async () => {
  const threads = threadsOfTest()
  const dataDir = temporaryDirectory()
  const service = await open({ dataDir, trialConcurrency: 2 })
  const { api } = service
  const suite = await suiteOf(api, [echoCase('quick', 'a'), longCase('slow', 60), longCase('slower', 60)])
  const run = await launch(api, suite)
  await untilBusy(api, run)
  await api.call(servers.tools, { projectId: suite.projectId, serverId: suite.serverId })
  const left = programs().map(({ pid }) => pid)
  await service.close()
  expect(threads.map(isOver)).toEqual([true])
  const { api: later } = await open({ dataDir })
  expect(await later.call(runs.get, run)).toMatchObject({ status: 'completed', result: null })
  const items = await allTrials(later, run)
  expect(items.map(({ result }) => result)).toEqual(['passed', null, null])
  expect(items[1]?.error).toContain(`The process that ran it (${process.pid} on `)
  await until(
    () => stillRunning(left),
    running => running.length === 0,
  )
})

test('closing the workspace while the thread starts waits for nothing else', async () => {
  const threads = threadsOfTest()
  const service = await open()
  const run = await launch(service.api, await suiteOf(service.api, [longCase('slow', 60)]))
  expect(run.runId).toMatch(/^run_/)
  const [thread] = threads
  const exited = once(thread!, 'exit')
  await service.close()
  await exited
  expect(programs()).toEqual([])
})

test('the workspace refreshes tokens and passes them to the thread', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const { url, state } = await guardedServer()
  const body = { name: 'everything-guarded', enabled: true, transportType: 'http', url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const tokens = { access_token: 'token-0', refresh_token: 'refresh-0', expires_in: 1 }
  await api.call(servers.importTokens, {
    projectId,
    serverId,
    body: { serverUrl: url, clientInformation: { clientId: 'mcpdeck' }, tokens },
  })
  const echo = echoCase('one', 'a')
  const steps = echo.steps.map(step => ({ ...step, serverName: 'everything-guarded' }))
  const suite = { name: 'Guarded', model: 'none', serverIds: [serverId], tests: [{ ...echo, steps, runs: 8 }] }
  const { suiteId } = await api.call(suites.create, { projectId, body: suite })
  await expectPasses(api, { projectId, suiteId })
  expect(state.refreshes).toEqual(['refresh-0'])
  expect(store.servers.get(projectId, serverId)?.tokens).toMatchObject({ accessToken: 'token-1' })
})

test('repeated looks at a run in flight read only its lease to find out whether its process is gone', async () => {
  const { api, store } = await open()
  const suite = await suiteOf(api, [longCase('long', 60)])
  const run = await launch(api, suite)
  const whole = vi.spyOn(store.runs, 'inFlight')
  const leases = vi.spyOn(store.runs, 'leasesInFlight')
  for (let look = 0; look < 5; look += 1) await api.call(runs.get, run)
  expect(whole).not.toHaveBeenCalled()
  expect(leases).toHaveBeenCalled()
  await api.call(runs.cancel, run)
})

/** Waits for a tool call of a run in the traffic, and for its answer. */
const untilAnswered = (listed: () => Promise<OutputOf<typeof traffic.list>['items']>) =>
  until(
    async () => {
      const items = await listed()
      const call = items.find(({ method, kind, origin }) => method === 'tools/call' && kind === 'request' && origin)
      return { call: call!, answer: items.find(({ answers }) => call && answers === call.id)! }
    },
    ({ answer }) => answer !== undefined,
  )

test('messages of runs appear while someone looks at the server, with their case', async () => {
  const { api, settle } = await open()
  const suite = await suiteOf(api, [echoCase('says one', 'a')])
  const { projectId, serverId } = suite
  const listed = async () => (await api.call(traffic.list, { projectId, serverId, limit: 200 })).items
  await expectPasses(api, suite)
  await settle()
  expect(await listed()).toEqual([])
  await expectPasses(api, suite)
  const { call, answer } = await untilAnswered(listed)
  expect(call).toMatchObject({ direction: 'sent', origin: { runNumber: 2, caseTitle: 'says one' } })
  expect(answer).toMatchObject({ kind: 'result', origin: call.origin })
  expect(answer.durationMs).toBeGreaterThan(0)
})

test('messages of a run over HTTP show their HTTP exchange, without secrets', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const { url } = await startHttpServer()
  const headers = { 'X-Team-Key': 'hunter2-and-more' }
  const body = { name: 'counting', enabled: true, transportType: 'http', url, headers }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const steps = [{ id: 'call', kind: 'toolCall', serverName: 'counting', toolName: 'count', arguments: {} }]
  const suite = { name: 'Own', model: 'none', serverIds: [serverId], tests: [{ title: 'counts', steps }] }
  const { suiteId } = await api.call(suites.create, { projectId, body: suite })
  const ids = { projectId, serverId }
  const listed = async () => (await api.call(traffic.list, { ...ids, limit: 200 })).items
  expect(await listed()).toEqual([])
  const run = await launch(api, { projectId, suiteId })
  await untilEnded(api, projectId, run.runId)
  const { call } = await untilAnswered(listed)
  // The line of the answer arrives with it, or a moment later.
  const { exchange } = await until(
    () => api.call(traffic.get, { ...ids, frameId: call.id }),
    frame => frame.exchange?.status !== null,
  )
  expect(exchange).toMatchObject({ method: 'POST', status: 200 })
  expect(JSON.stringify(exchange)).not.toContain('hunter2')
})
