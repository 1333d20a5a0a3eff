import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { insightsEnvelopeOf } from '../../src/service/findings/envelopes.ts'
import { advice, isForDiscovery } from './graded-waves.ts'
import { temporaryDirectory, until } from './harness.ts'
import { json } from './journey-cast.ts'
import { KEY, soon } from './model-runs.ts'
import { startServe } from './start-child.ts'
import { failedWave, stage, untilAsked, untilGenerated } from './wave-stage.ts'

const { journeyRuns, waveInsights } = contract

describe('insights failures', () => {
  test.each([
    [{ status: 401, message: 'bad key' }, 'FORBIDDEN', false],
    [{ status: 429, headers: soon }, 'RATE_LIMITED', true],
    [{ text: 'no JSON at all' }, 'INTERNAL_ERROR', true],
  ] as const)('of the model (%o) are reported as %s', async (given, code, retryable) => {
    const { api, store, answer } = await stage({ adviser: () => given })
    const { wave, runId } = await failedWave(api, { sessionsPerTarget: 1 })
    await api.call(waveInsights.request, wave)
    const ended = await untilGenerated(api, wave)
    expect(ended).toMatchObject({ status: 'failed', errorCode: code, insights: null })
    expect(ended.errorMessage).not.toContain(KEY)
    const envelope = insightsEnvelopeOf(store, { kind: 'swarm_wave', runId, ...wave })
    expect(envelope).toMatchObject({ status: 'failed', retryable, reasonCode: code, error: { code } })
    answer.adviser = advice
    await api.call(waveInsights.request, wave)
    expect(await untilGenerated(api, wave)).toMatchObject({ status: 'completed', errorCode: null })
  })

  test('of the process leave nothing pending', async () => {
    const dataDir = temporaryDirectory()
    const { api, model, models } = await stage({ adviser: () => 'silence', dataDir })
    const { wave } = await failedWave(api, { sessionsPerTarget: 1 })
    const { child, api: remote } = await startServe(dataDir, { models, rateLimit: 0 })
    await remote.call(waveInsights.request, wave)
    await untilAsked(model)
    expect(await api.call(waveInsights.get, wave)).toMatchObject({ status: 'pending' })
    child.kill('SIGKILL')
    const ended = await untilGenerated(api, wave)
    expect(ended).toMatchObject({ status: 'failed', errorCode: 'INTERNAL_ERROR' })
    expect(ended.errorMessage).toContain('ended')
  })

  test('insights that another process generates can be cancelled here', async () => {
    const dataDir = temporaryDirectory()
    const { api, model, models } = await stage({ adviser: () => 'silence', dataDir })
    const { wave } = await failedWave(api, { sessionsPerTarget: 1 })
    const { api: remote } = await startServe(dataDir, { models, rateLimit: 0 })
    await remote.call(waveInsights.request, wave)
    await untilAsked(model)
    await api.call(waveInsights.cancel, wave)
    await untilAsked(model, 0)
    expect(await remote.call(waveInsights.get, wave)).toMatchObject({ errorCode: 'CANCELED' })
  })
})

describe('the discovery lane', () => {
  test('comes after the directed one, with sessions that can be opened', async () => {
    const told = {
      title: 'People\u001b[2J ask for totals',
      detail: 'Mail ada@example.org about it.',
      sessions: [2, 2, 1, 99],
    }
    const unfounded = { title: 'Unfounded', detail: 'No session shows it.', sessions: [0, 77] }
    const { api, model, settle } = await stage({ discoverer: () => json({ observations: [unfounded, told] }) })
    const { wave, runId } = await failedWave(api)
    await api.call(waveInsights.request, wave)
    await settle()
    const done = await api.call(waveInsights.get, wave)
    const { projectId } = wave
    const sessions = (await api.call(journeyRuns.sessions, { projectId, runId })).items.map(({ id }) => id)
    expect(done).toMatchObject({ status: 'completed', insights: { summary: 'Problems: 1.' } })
    expect(done.discovery).toEqual({
      observations: [
        {
          title: 'People [2J ask for totals',
          detail: 'Mail (e-mail) about it.',
          sessionIds: [expect.toBeOneOf(sessions), expect.toBeOneOf(sessions)],
        },
      ],
      coverage: { unit: 'sessions', analyzed: 6, total: 6, truncated: false },
    })
    const asked = model.asked.find(isForDiscovery)!
    const shown = JSON.parse(asked.prompts[0]!) as { knownProblems: string[]; sessions: object[] }
    expect(shown.knownProblems).toEqual(['The goal of "Sums" is not reached'])
    expect(shown.sessions).toHaveLength(6)
    expect(JSON.stringify(shown.sessions[0])).toContain('Add 2 and 3')
  })

  test('is not waited for, and its failure does not affect the directed one', async () => {
    let fails = false
    const { api, model } = await stage({ discoverer: () => (fails ? { status: 400 } : 'silence') })
    const { wave } = await failedWave(api, { sessionsPerTarget: 1 })
    await api.call(waveInsights.request, wave)
    const whole = { status: 'completed', insights: { summary: 'Problems: 1.' }, discovery: null }
    expect(await untilGenerated(api, wave)).toMatchObject(whole)
    await untilAsked(model)
    expect(await api.refused(waveInsights.cancel, wave)).toMatchObject({ status: 409 })
    fails = true
    await api.call(waveInsights.request, { ...wave, body: { force: true } })
    await until(
      () => model.asked.filter(isForDiscovery).length,
      count => count === 2,
    )
    expect(await untilGenerated(api, wave)).toMatchObject(whole)
  })
})
