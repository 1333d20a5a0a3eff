import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { serve } from '../../src/cli/serve/serve.ts'
import { FAULT_KINDS } from '../../src/service/faults/kinds.ts'
import { sandbox, temporaryDirectory, type Api } from './harness.ts'
import { serveHere } from './serve-here.ts'

const { account, projects, runs, iterations, servers } = contract

/** The outcome for a caller: the status, or what happened to the answer. */
async function outcome(api: Api): Promise<string> {
  try {
    const response = await api.send(account.me)
    const text = await response.text()
    if (response.headers.get('content-type')?.startsWith('text/html')) return 'html'
    if (response.status === 429) return response.headers.has('retry-after') ? '429 with a time' : '429'
    if (response.status !== 200) return String(response.status)
    const body = JSON.parse(text) as { id: string }
    if (!body.id.startsWith('acc_')) return 'other'
    return 'injectedNovelty' in body ? 'newer' : 'ok'
  } catch {
    return 'broken'
  }
}

async function outcomes(api: Api, count: number): Promise<string[]> {
  const met: string[] = []
  for (let i = 0; i < count; i += 1) met.push(await outcome(api))
  return met
}

describe('injected faults', () => {
  test.each([
    ['500=1', '500'],
    ['502=1', '502'],
    ['503=1', '503'],
    ['504=1', '504'],
    ['html=1', 'html'],
    ['drop=1', 'broken'],
    ['truncate=1', 'broken'],
    ['fields=1', 'newer'],
    ['enums=1', 'ok'],
    ['latency=1', 'ok'],
    ['latency=60000:0', 'ok'],
  ])('of %s reach the client as %s', async (fault, wanted) => {
    const { api } = await serveHere({ faults: [fault] })
    expect(await outcome(api)).toBe(wanted)
  })

  test('refuse requests with and without a time to wait', async () => {
    const { api } = await serveHere({ faults: ['429=1'], rateLimit: 0 })
    expect(new Set(await outcomes(api, 20))).toEqual(new Set(['429', '429 with a time']))
  })

  test('delay an answer by the given latency', async () => {
    const { api } = await serveHere({ faults: ['latency=150'] })
    const begun = performance.now()
    expect(await outcome(api)).toBe('ok')
    expect(performance.now() - begun).toBeGreaterThanOrEqual(149)
  })

  test('are the same for the same seed', async () => {
    const faults = ['429=0.2,500=0.2', 'html=0.1', 'drop=0.2', 'truncate=0.2', 'fields=0.3', 'latency=1:0.5']
    const meet = async (seed: number) => outcomes((await serveHere({ faults, seed, rateLimit: 0 })).api, 40)
    const first = await meet(7)
    expect(new Set(first).size).toBeGreaterThan(4)
    expect(await meet(7)).toEqual(first)
    expect(await meet(8)).not.toEqual(first)
  })

  test.each(['flood=1', '429=2', '500=-1', '500=', '500', 'latency=0.5', 'latency=', 'latency=5:2', '=1'])(
    'cannot be given as "%s"',
    async fault => {
      const words = `"${fault}" is not a fault; use latency=MS`
      await expect(serve({ dataDir: temporaryDirectory(), faults: [fault] })).rejects.toThrow(words)
    },
  )

  test('are all named when an unknown kind is refused', async () => {
    const refused = serve({ dataDir: temporaryDirectory(), faults: ['x'] })
    for (const kind of FAULT_KINDS) await expect(refused).rejects.toThrow(kind)
  })
})

describe('answers of a newer deployment', () => {
  test('match the contract, with other fields and other values', async () => {
    const { api } = await serveHere({ faults: ['fields=1,enums=1'], rateLimit: 0 })
    const { projectId, suiteId, serverId } = await sandbox(api)
    const [project] = (await api.call(projects.list)).items
    expect(project).toMatchObject({ id: projectId, injectedNovelty: { nested: ['injectedNovelty'] } })
    const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
    const place = { projectId, runId }
    const run = await api.call(runs.get, place)
    expect(run).toMatchObject({ id: runId, status: 'injectedNovelty', injectedNovelty: expect.anything() })
    const page = await api.call(iterations.list, { ...place, limit: 2 })
    expect(page).toMatchObject({ injectedNovelty: expect.anything(), nextCursor: expect.any(String) })
    for (const item of page.items) expect(item).toMatchObject({ injectedNovelty: expect.anything() })
    expect((await api.call(runs.list, { projectId, suiteId })).items).toMatchObject([{ id: runId }])
    const report = await api.call(servers.doctor, { projectId, serverId })
    expect(report.status).toBe('injectedNovelty')
    const refused = await api.refused(runs.get, { projectId, runId: 'run_none' })
    expect(refused).toEqual(expect.not.objectContaining({ injectedNovelty: expect.anything() }))
  })

  test('have the same fields if only values differ', async () => {
    const { api } = await serveHere({ faults: ['enums=1'], rateLimit: 0 })
    const { projectId, suiteId } = await sandbox(api)
    const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
    const run = await api.call(runs.get, { projectId, runId })
    expect(run).not.toHaveProperty('injectedNovelty')
    expect(run.status).toBe('injectedNovelty')
  })
})
