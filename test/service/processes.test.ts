import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { isAbandoned, type Lease } from '../../src/service/core/lease.ts'
import { createService } from '../../src/service/workspace/service.ts'
import { createApi, open, temporaryDirectory, until, type Api } from './harness.ts'
import { start } from './start-child.ts'

const { runs, iterations, projects } = contract
const HOUR_MS = 3_600_000
type Launched = { projectId: string; runId: string; pid: number }

const placeOf = ({ projectId, runId }: Launched) => ({ projectId, runId })

async function killed(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Waits until the quick trial has passed and two slow ones are running. */
function untilBusy(api: Api, { projectId, runId }: Launched) {
  return until(
    () => api.call(iterations.list, { projectId, runId }),
    ({ items }) => items[0]?.result === 'passed' && items.filter(({ status }) => status === 'running').length === 2,
  )
}

async function expectSettled(api: Api, { projectId, runId, pid }: Launched) {
  const run = await api.call(runs.get, { projectId, runId })
  expect(run).toMatchObject({
    status: 'completed',
    result: null,
    decisionSummary: { decision: null, verdict: 'notEstablished' },
  })
  expect(run.completedAt).toEqual(expect.any(Number))
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items.map(({ status }) => status)).toEqual(['completed', 'failed', 'failed', 'failed'])
  expect(items[1]?.error).toContain(`The process that ran it (${pid} on `)
  const preview = await api.call(runs.rerunPreview, { projectId, runId })
  expect(preview).toMatchObject({ reasons: { execution_failed: 3 }, excluded: { passed: 1 }, selectedCaseCount: 1 })
}

describe('a run whose process is killed', () => {
  test('is settled when a process that shares the workspace next reads it', async () => {
    const dataDir = temporaryDirectory()
    const { api } = await open({ dataDir })
    const { child, next } = start('run', dataDir)
    const launched = await next<Launched>()
    await untilBusy(api, launched)
    expect(await api.call(runs.get, placeOf(launched))).toMatchObject({ status: 'running' })
    await killed(child)
    await expectSettled(api, launched)
  })

  test('is settled when the workspace is opened again', async () => {
    const dataDir = temporaryDirectory()
    const { child, next } = start('run', dataDir)
    const launched = await next<Launched>()
    const watching = await createService({ dataDir })
    await untilBusy(createApi(watching.fetch, watching.localKey), launched)
    await watching.close()
    await killed(child)
    const { api, store } = await open({ dataDir })
    expect(store.runs.status(launched.runId)).toBe('completed')
    await expectSettled(api, launched)
  })
})

test('a run is not ended because its lease ran out while its process was suspended', async () => {
  const dataDir = temporaryDirectory()
  const { api, store } = await open({ dataDir })
  const { child, next } = start('run', dataDir)
  const launched = await next<Launched>()
  await untilBusy(api, launched)
  child.kill('SIGSTOP')
  const [run] = store.runs.inFlight()
  store.write(() => store.runs.renew(launched.runId, run!.lease!.token, Date.now() - HOUR_MS))
  expect(await api.call(runs.get, placeOf(launched))).toMatchObject({ status: 'running' })
  await killed(child)
  await expectSettled(api, launched)
})

test('a lease ends with its process, whose id may be used again, and on another host with its time', async () => {
  const lease = fileURLToPath(new URL('../../src/service/core/lease.ts', import.meta.url))
  const script = `console.log(JSON.stringify(require(${JSON.stringify(lease)}).takeLease())); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const now = Date.now()
  const taken = { ...(JSON.parse(String(line)) as Lease), expiresAt: now - HOUR_MS }
  expect(isAbandoned(taken)).toBe(false)
  expect(isAbandoned({ ...taken, host: `not ${taken.host}` })).toBe(true)
  // Another process has the id now; the start of the first one may be unknown.
  if (process.platform === 'linux') expect(isAbandoned({ ...taken, token: `${taken.token}0` })).toBe(true)
  expect(isAbandoned({ ...taken, token: 'without a start' })).toBe(true)
  expect(isAbandoned({ ...taken, token: 'without a start', expiresAt: now - 60_000 })).toBe(false)
  await killed(child)
  expect(isAbandoned({ ...taken, expiresAt: now + HOUR_MS })).toBe(true)
})

test('a run can be cancelled from another process, and its own process stops it', async () => {
  const dataDir = temporaryDirectory()
  const { api } = await open({ dataDir })
  const { child, next } = start('run', dataDir)
  const launched = await next<Launched>()
  await untilBusy(api, launched)
  expect(await api.call(runs.cancel, placeOf(launched))).toMatchObject({ status: 'cancelled' })
  expect(await next()).toEqual({ settled: true })
  if (child.exitCode === null) await once(child, 'exit')
  expect(child.exitCode).toBe(0)
  const { items } = await api.call(iterations.list, placeOf(launched))
  expect(items.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'cancelled', 'cancelled'])
})

test('closing the workspace ends its own runs in progress, not those of another process', async () => {
  const dataDir = temporaryDirectory()
  const { child, next } = start('run', dataDir)
  const launched = await next<Launched>()
  const { api } = await open({ dataDir })
  const service = await createService({ dataDir, maxConcurrentRuns: 3 })
  const own = createApi(service.fetch, service.localKey)
  const source = await api.call(runs.get, placeOf(launched))
  const mine = await own.call(runs.create, { projectId: launched.projectId, body: { suiteId: source.suiteId } })
  await service.close()
  const ended = await api.call(runs.get, { projectId: launched.projectId, runId: mine.runId })
  expect(['completed', 'failed']).toContain(ended.status)
  expect(await api.call(runs.get, placeOf(launched))).toMatchObject({ status: 'running' })
  await killed(child)
})

test('processes that open a new workspace at once create one sandbox', async () => {
  const dataDir = temporaryDirectory()
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => start('open', dataDir).next<{ projects: object; suites: object; key: string }>()),
  )
  const { api } = await open({ dataDir })
  expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]?.key).toBe(api.key)
  expect((await api.call(projects.list)).items).toHaveLength(1)
})
