import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { insightsEnvelopeOf } from '../../src/service/findings/envelopes.ts'
import { advice, isForAdvice, set } from './graded-waves.ts'
import { open, temporaryDirectory } from './harness.ts'
import { environment, journey, json } from './journey-cast.ts'
import { failedWave, findingsOf, slices, stage, untilAsked, untilGenerated } from './wave-stage.ts'

const { journeyFindings, journeyRuns, waveInsights } = contract

describe('insights of a wave', () => {
  test('are generated on request, from what the wave measured and the advice of the model', async () => {
    const { api, store } = await stage()
    const { wave, journeyId, runId, first, second } = await failedWave(api)
    expect(await api.refused(waveInsights.get, wave)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await api.call(waveInsights.request, wave)).toEqual({ ...wave, status: 'pending' })
    const done = await untilGenerated(api, wave)
    expect(done).toEqual({
      waveId: wave.waveId,
      status: 'completed',
      insights: expect.any(Object),
      discovery: expect.toSatisfy((value: unknown) => value === null || typeof value === 'object'),
      errorCode: null,
      errorMessage: null,
      updatedAt: expect.any(Number),
    })
    const [finding] = await findingsOf(api, wave)
    const health = { subjectKind: 'environment', attempted: 3, succeeded: 3, failed: 0, rateLimited: 0 }
    expect(done.insights).toEqual({
      summary: 'Problems: 1.',
      coverage: { unit: 'sessions', analyzed: 6, total: 6, gradedCount: 6, truncated: false, lowConfidence: false },
      findings: [
        {
          id: expect.stringMatching(/^rf_[0-9a-f]{16}$/),
          signalFingerprint: finding!.fingerprint,
          title: 'The goal of "Sums" is not reached',
          category: 'workflow',
          attribution: 'agent_or_prompt',
          actionTarget: 'agent_configuration',
          actionability: 'investigate',
          severity: 'high',
          confidence: 'medium',
          observed: '6 of 6 sessions; journey: Sums. Occurrences so far: 1 (new).',
          rootCause: 'Why: The goal of "Sums" is not reached',
          recommendation: 'Mend it: The goal of "Sums" is not reached',
          acceptanceCriteria: ['It works.'],
          affected: { count: 6, total: 6, unit: 'sessions' },
          evidence: expect.arrayContaining([
            { sessionId: expect.stringMatching(/^ses_/), kind: 'judge', excerpt: 'as the transcript says' },
          ]),
        },
      ],
      runHealth: {
        targets: [
          { ...health, subjectId: first.id, subjectLabel: 'first' },
          { ...health, subjectId: second.id, subjectLabel: 'second' },
        ],
      },
      omittedFindings: 0,
      omittedEvidence: expect.any(Number),
    })
    expect(slices(store)).toBe(1)
    expect(finding).toMatchObject({ subject: { id: journeyId } })
    const { insights } = await api.call(journeyRuns.get, { projectId: wave.projectId, runId })
    expect(insights).toMatchObject({
      schemaVersion: 1,
      scope: { kind: 'swarm_wave', id: 'w1', runId },
      status: 'completed',
      error: null,
      generatedAt: expect.any(Number),
      summary: 'Problems: 1.',
      coverage: { analyzed: 6 },
      findings: [{ title: 'The goal of "Sums" is not reached' }],
      runHealth: { targets: [{ attempted: 3 }, { attempted: 3 }] },
      truncation: { omittedFindings: 0, contractTruncated: false },
    })
  })

  test('are made once: a repeat joins a pending one, and a completed one needs force and more quota', async () => {
    const { api, store, model, answer } = await stage({ adviser: () => 'silence' })
    const { wave } = await failedWave(api)
    const pending = await api.call(waveInsights.request, wave)
    await untilAsked(model)
    expect(await api.call(waveInsights.request, wave)).toEqual(pending)
    expect(await api.call(waveInsights.request, { ...wave, body: { force: true } })).toEqual(pending)
    expect(await api.call(waveInsights.get, wave)).toMatchObject({ status: 'pending', insights: null })
    expect([model.waiting, slices(store)]).toEqual([1, 1])
    await api.call(waveInsights.cancel, wave)
    answer.adviser = advice
    await api.call(waveInsights.request, wave)
    await untilGenerated(api, wave)
    expect(slices(store)).toBe(2)
    const refusal = await api.refused(waveInsights.request, { ...wave, body: { force: false } })
    expect(refusal).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(refusal.message).toContain('force: true')
    expect(slices(store)).toBe(2)
    answer.adviser = () => json({ summary: 'Second look.', advice: [] })
    await api.call(waveInsights.request, { ...wave, body: { force: true } })
    expect(await untilGenerated(api, wave)).toMatchObject({ insights: { summary: 'Second look.' } })
    expect(slices(store)).toBe(3)
  })

  test('of a wave without failures say that there were none, and no model is asked', async () => {
    const { api, model } = await stage({ score: 1, adviser: () => ({ status: 500 }) })
    const { wave } = await failedWave(api, { sessionsPerTarget: 1 })
    await api.call(waveInsights.request, wave)
    expect(await untilGenerated(api, wave)).toMatchObject({
      status: 'completed',
      insights: {
        summary: expect.stringContaining('No failure was observed in the wave w1'),
        findings: [],
        coverage: { analyzed: 2, total: 2, lowConfidence: true },
      },
    })
    expect(model.asked.filter(isForAdvice)).toEqual([])
  })

  test('wait for the end of the wave, and say if there was nothing to analyze', async () => {
    const { api, store, model } = await stage({ assistant: () => 'silence' })
    const { id } = await environment(api, 'one')
    const place = await journey(api, { environmentIds: [id], sessionsPerTarget: 2 })
    const { projectId } = place
    const wave = { projectId, waveId: 'w1' }
    const { id: runId } = await api.call(journeyRuns.launch, { ...place, body: { waveId: 'w1' } })
    await untilAsked(model, 2)
    const refusal = await api.refused(waveInsights.request, wave)
    expect(refusal).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(refusal.message).toContain('still running')
    expect(slices(store)).toBe(0)
    await api.call(journeyRuns.cancel, { projectId, runId })
    await api.call(waveInsights.request, wave)
    expect(await untilGenerated(api, wave)).toMatchObject({
      status: 'completed',
      insights: {
        summary: expect.stringContaining('none of its 2 sessions got far enough'),
        coverage: { analyzed: 0, total: 2, truncated: true, lowConfidence: true },
        findings: [],
        runHealth: { targets: [{ attempted: 2, succeeded: 0, failed: 2, rateLimited: 0 }] },
      },
    })
    expect(model.asked.filter(isForAdvice)).toEqual([])
  })

  test('leave out findings that are dismissed, when requested and afterwards', async () => {
    const { api, model } = await stage()
    const { wave } = await failedWave(api)
    await api.call(waveInsights.request, wave)
    expect(await untilGenerated(api, wave)).toMatchObject({ insights: { findings: [{ severity: 'high' }] } })
    const [finding] = await findingsOf(api, wave)
    const place = { projectId: wave.projectId, findingId: finding!.id }
    await api.call(journeyFindings.dismiss, place)
    expect(await untilGenerated(api, wave)).toMatchObject({ insights: { findings: [] } })
    const asked = model.asked.filter(isForAdvice).length
    await api.call(waveInsights.request, { ...wave, body: { force: true } })
    expect(await untilGenerated(api, wave)).toMatchObject({ insights: { findings: [] } })
    expect(model.asked.filter(isForAdvice)).toHaveLength(asked)
  })

  test('are not found for an unknown wave, and cannot be cancelled unless pending', async () => {
    const { api } = await stage()
    const { wave } = await failedWave(api, { sessionsPerTarget: 1 })
    const unknown = { ...wave, waveId: 'nope' }
    for (const endpoint of [waveInsights.get, waveInsights.request, waveInsights.cancel])
      expect(await api.refused(endpoint, unknown)).toMatchObject({ status: 404 })
    const other = await api.call(contract.projects.create, { body: { name: 'Other' } })
    const foreign = { ...wave, projectId: other.id }
    expect(await api.refused(waveInsights.request, foreign)).toMatchObject({ status: 404 })
    expect(await api.refused(waveInsights.cancel, wave)).toMatchObject({ status: 409, code: 'CONFLICT' })
    await api.call(waveInsights.request, wave)
    await untilGenerated(api, wave)
    expect(await api.refused(waveInsights.cancel, wave)).toMatchObject({ status: 409 })
    const strict = await api.refused(waveInsights.request, { ...wave, body: { forced: true } })
    expect(strict).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

describe('cancelling insights', () => {
  test('closes the request to the model, with or without the gate, and the generation fails', async () => {
    const { api, store, model, settle } = await stage({ adviser: () => 'silence' })
    const { wave, runId } = await failedWave(api)
    await api.call(waveInsights.request, wave)
    await untilAsked(model)
    set(store, 'gate.swarms', 'off')
    expect(await api.call(waveInsights.cancel, wave)).toEqual({ ...wave, canceled: true })
    await untilAsked(model, 0)
    await settle()
    set(store, 'gate.swarms', 'on')
    expect(await api.call(waveInsights.get, wave)).toMatchObject({
      status: 'failed',
      insights: null,
      errorCode: 'CANCELED',
    })
    expect(insightsEnvelopeOf(store, { kind: 'swarm_wave', runId, ...wave })).toMatchObject({
      status: 'failed',
      retryable: true,
      error: { code: 'CANCELED' },
      findings: [],
    })
    expect(await api.refused(waveInsights.cancel, wave)).toMatchObject({ status: 409 })
  })

  test('of a second generation restores the first one, and its late end changes nothing', async () => {
    const { api, store, model, answer, settle } = await stage()
    const { wave } = await failedWave(api)
    await api.call(waveInsights.request, wave)
    const first = await untilGenerated(api, wave)
    answer.adviser = () => 'silence'
    await api.call(waveInsights.request, { ...wave, body: { force: true } })
    await untilAsked(model)
    expect(await api.call(waveInsights.get, wave)).toMatchObject({ status: 'pending', insights: null })
    const generation = store.insights.get({ projectId: wave.projectId, scope: 'swarm' }, wave.waveId)!
    await api.call(waveInsights.cancel, wave)
    await settle()
    const failed = { status: 'failed', errorCode: 'LATE', errorMessage: 'late', retryable: true } as const
    const late = { ...failed, updatedAt: Date.now() }
    expect(store.write(() => store.insights.end(generation.id, late))).toBe(false)
    const again = await api.call(waveInsights.get, wave)
    expect(again).toMatchObject({ status: 'completed', insights: first.insights })
  })
})

describe('insights are refused', () => {
  test('without a model, before anything is counted', async () => {
    const dataDir = temporaryDirectory()
    const staged = await stage({ dataDir })
    const { wave } = await failedWave(staged.api, { sessionsPerTarget: 1 })
    const { api, store } = await open({ dataDir })
    const refusal = await api.refused(waveInsights.request, wave)
    expect(refusal).toMatchObject({ status: 422, code: 'FEATURE_NOT_SUPPORTED' })
    expect(refusal.message).toContain('MCPDECK_MODEL_BASE_URL')
    expect(slices(store)).toBe(0)
    expect(await api.refused(waveInsights.get, wave)).toMatchObject({ status: 404 })
  })

  test('beyond the limits of a day and a minute, naming the limit', async () => {
    const { api, store, settle } = await stage()
    const { wave } = await failedWave(api, { sessionsPerTarget: 1 })
    set(store, 'insightsPerDay', '1')
    await api.call(waveInsights.request, wave)
    await settle()
    const first = await api.call(waveInsights.get, wave)
    const refusal = await api.refused(waveInsights.request, { ...wave, body: { force: true } })
    expect(refusal).toMatchObject({ status: 429, code: 'RATE_LIMITED', details: { limit: 'insightsPerDay' } })
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await api.call(waveInsights.get, wave)).toEqual(first)
    set(store, 'insightsPerDay', '50')
    set(store, 'insightsPerMinute', '1')
    const brake = await api.refused(waveInsights.request, { ...wave, body: { force: true } })
    expect(brake).toMatchObject({ status: 429, details: { limit: 'insightsPerMinute' } })
    expect(Number(brake.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  test('while the feature is off', async () => {
    const { api, store } = await stage()
    const { wave } = await failedWave(api, { sessionsPerTarget: 1 })
    set(store, 'gate.swarms', 'off')
    for (const endpoint of [waveInsights.request, waveInsights.get])
      expect(await api.refused(endpoint, wave)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(slices(store)).toBe(0)
  })
})
