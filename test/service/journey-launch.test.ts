import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { Store } from '../../src/service/core/database/store.ts'
import { open } from './harness.ts'
import {
  environment,
  journey,
  organizationOf,
  plainJourney,
  runJourney,
  set,
  stage,
  untilOver,
} from './journey-cast.ts'

const { environments, journeyRuns } = contract

/** Number of launches that were counted. */
const launches = (store: Store, projectId: string) =>
  store.quotaUses.since(organizationOf(store, projectId), 'launch', 0).count

describe('launching a journey', () => {
  test('under one key happens once, takes one launch of the quota, and belongs to its body', async () => {
    const { api, store, settle } = await stage()
    const { projectId, journeyId } = await plainJourney(api)
    const headers = { 'Idempotency-Key': 'intent-1' }
    const first = await api.call(journeyRuns.launch, { projectId, journeyId }, { headers })
    expect(first.deduped).toBe(false)
    await untilOver(api, projectId, first.id)
    const again = await api.call(journeyRuns.launch, { projectId, journeyId }, { headers })
    expect(again).toEqual({ ...first, deduped: true })
    expect(launches(store, projectId)).toBe(1)
    const other = { projectId, journeyId, body: { waveId: 'another' } }
    expect(await api.refused(journeyRuns.launch, other, { headers })).toMatchObject({ status: 409 })
    const fresh = await api.call(journeyRuns.launch, { projectId, journeyId })
    expect(fresh.id).not.toBe(first.id)
    expect(launches(store, projectId)).toBe(2)
    await settle()
    const { items } = await api.call(journeyRuns.list, { projectId, journeyId })
    expect(items.map(({ id }) => id)).toEqual([fresh.id, first.id])
    expect(items[0]?.waveId).not.toBe(items[1]?.waveId)
  })

  test('beyond the quota is refused, but a repeated key does not count', async () => {
    const { api, store, settle } = await stage()
    const { projectId, journeyId } = await plainJourney(api)
    set(store, projectId, 'launchesPerDay', '1')
    const headers = { 'Idempotency-Key': 'only' }
    const first = await api.call(journeyRuns.launch, { projectId, journeyId }, { headers })
    const refusal = await api.refused(journeyRuns.launch, { projectId, journeyId })
    expect(refusal).toMatchObject({ status: 429, code: 'RATE_LIMITED', details: { limit: 'launchesPerDay' } })
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0)
    const again = await api.call(journeyRuns.launch, { projectId, journeyId }, { headers })
    expect(again).toMatchObject({ id: first.id, deduped: true })
    await settle()
    expect((await api.call(journeyRuns.list, { projectId, journeyId })).items).toHaveLength(1)
  })

  test('uses the environments of the launch or of the journey, or its clients if it names none', async () => {
    const { api } = await stage()
    const { projectId, journeyId } = await plainJourney(api)
    const other = await environment(api, 'other')
    const over = await runJourney(api, { projectId, journeyId }, { environmentIds: [other.id, other.id] })
    expect(over.targets).toMatchObject([{ targetId: other.id }])
    expect(over.summary).toMatchObject({ total: 1, succeeded: 1 })
    const pinned = await journey(api, { hostIds: [other.hostId] })
    const run = await runJourney(api, pinned)
    expect(run).toMatchObject({
      status: 'completed',
      targets: [{ hostId: other.hostId, targetId: other.hostId, modelId: 'other-model' }],
    })
  })

  test('that cannot run is refused before anything is written', async () => {
    const { api, store } = await stage()
    const { projectId, journeyId, environmentIds } = await plainJourney(api)
    const [environmentId = ''] = environmentIds
    await api.call(environments.archive, { projectId, environmentId, body: { expectedRevision: 1 } })
    const refused = (body?: object) => api.refused(journeyRuns.launch, { projectId, journeyId, ...(body && { body }) })
    expect(await refused()).toMatchObject({ status: 409, code: 'CONFLICT', details: { code: 'ENV_ARCHIVED' } })
    expect(await refused({ environmentIds: ['env_unknown'] })).toMatchObject({ status: 404 })
    expect(await refused({ environmentIds: [] })).toMatchObject({ status: 400 })
    expect(await refused({ waveId: 'w'.repeat(65) })).toMatchObject({ status: 400 })
    expect(await refused({ waveId: ' ' })).toMatchObject({ status: 400, details: { field: 'waveId' } })
    const aimless = await journey(api, {})
    expect(await api.refused(journeyRuns.launch, aimless)).toMatchObject({ status: 409 })
    expect(await api.refused(journeyRuns.launch, { projectId, journeyId: 'jny_unknown' })).toMatchObject({
      status: 404,
    })
    expect(store.journeyRuns.recent(projectId, 10)).toEqual([])
    expect(launches(store, projectId)).toBe(0)
  })

  test('without a model says how to configure one', async () => {
    const { api, store } = await open()
    const { projectId, journeyId } = await plainJourney(api)
    const refusal = await api.refused(journeyRuns.launch, { projectId, journeyId })
    expect(refusal).toMatchObject({ status: 422, code: 'FEATURE_NOT_SUPPORTED' })
    expect(refusal.message).toContain('MCPDECK_MODEL_BASE_URL')
    expect(store.journeyRuns.recent(projectId, 10)).toEqual([])
  })
})
