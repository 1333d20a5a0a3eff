import { describe, expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { remediationId } from '../../src/service/insights/advice.ts'
import { advice, isForAdvice, record, set, sighting, type Adviser } from './graded-waves.ts'
import { open, until } from './harness.ts'
import { scriptedModel } from './scripted-model.ts'
import { helper, published, served, visitor } from './visits.ts'
import { untilAsked } from './wave-stage.ts'

const { userTesting, userTestingFindings, userTestingInsights } = contract

describe('findings of a scenario', () => {
  test('come from the sessions of visitors, and are dismissed by either of their ids', async () => {
    const model = await scriptedModel(asked => {
      if (asked.prompts.at(-1) !== 'break it' || asked.results.length > 0) return helper(asked)
      return { calls: [{ name: 'get-sum', args: { a: 'x' } }] }
    })
    const { api } = await served({ models: { ...model.settings, model: 'helper' } })
    const { target, link } = await published(api, { mode: 'anyone_with_link' })
    expect(await api.call(userTestingFindings.list, target)).toEqual({ items: [] })
    const session = await visitor(fetch, link).enter()
    expect((await session.say('break it')).status).toBe(200)
    const { items } = await api.call(userTestingFindings.list, target)
    const { windowId } = await api.call(userTestingInsights.signals, target)
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^fnd_/),
        fingerprint: expect.stringMatching(/^tool_error:tool:srv_.*\/get-sum$/),
        remediationId: expect.stringMatching(/^rf_[0-9a-f]{16}$/),
        title: 'The tool get-sum answers visitors with errors',
        dimension: 'tool_error',
        subject: { kind: 'tool', id: expect.stringMatching(/\/get-sum$/), label: 'get-sum' },
        status: 'new',
        occurrenceCount: 1,
        lastSeenWindowId: windowId,
        firstSeenAt: expect.any(Number),
        lastSeenAt: expect.any(Number),
        resolvedAt: null,
        dismissedAt: null,
        updatedAt: expect.any(Number),
        evidence: [expect.objectContaining({ kind: 'tool_error', toolName: 'get-sum' })],
        evidenceCount: 1,
      },
    ])
    const { id, fingerprint } = items[0] as { id: string; fingerprint: string }
    const dismissed = { id, ...target, dismissed: true }
    const byProblem = { ...target, findingId: remediationId(fingerprint) }
    expect(await api.call(userTestingFindings.dismiss, byProblem)).toEqual(dismissed)
    expect(await api.call(userTestingFindings.dismiss, { ...target, findingId: id })).toEqual(dismissed)
    expect((await api.call(userTestingFindings.list, target)).items).toMatchObject([
      { id, status: 'new', dismissedAt: expect.any(Number) },
    ])
    expect(await api.call(userTestingFindings.undismiss, { ...target, findingId: id })).toEqual({
      ...dismissed,
      dismissed: false,
    })
    expect((await api.call(userTestingFindings.list, target)).items).toMatchObject([{ dismissedAt: null }])
    const unknown = { ...target, findingId: 'fnd_none' }
    expect(await api.refused(userTestingFindings.dismiss, unknown)).toMatchObject({ status: 404 })
  })

  test('belong to one scenario, and are deleted with it', async () => {
    const { api, store } = await open()
    const { target, projectId, environmentId, scenarioId } = await published(api, { mode: 'anyone_with_link' })
    const of = (id: string) => ({ projectId, source: { kind: 'user-testing', scenarioId: id } as const })
    record(store, { ...of(scenarioId), waveId: 'win_1', at: 1 }, [sighting('a')])
    record(store, { ...of('scn_other'), waveId: 'win_1', at: 1 }, [sighting('b')])
    const { items } = await api.call(userTestingFindings.list, target)
    expect(items).toMatchObject([{ fingerprint: 'a' }])
    const foreign = store.findings.list({ projectId, scope: 'scn_other' })[0]!
    const place = { ...target, findingId: foreign.id }
    expect(await api.refused(userTestingFindings.dismiss, place)).toMatchObject({ status: 404 })
    set(store, 'gate.user-testing', 'off')
    expect(await api.call(userTestingFindings.list, target)).toEqual({ items: [] })
    const own = { ...target, findingId: (items[0] as { id: string }).id }
    expect(await api.refused(userTestingFindings.dismiss, own)).toMatchObject({ status: 403 })
    set(store, 'gate.user-testing', 'on')
    await api.call(userTesting.unpublish, { projectId, environmentId })
    expect(await api.refused(userTestingFindings.list, target)).toMatchObject({ status: 404 })
  })
})

describe('insights of a time window', () => {
  /** A published scenario behind a real socket, whose visitors can make a tool fail. */
  async function study(adviser: Adviser = advice) {
    const answer = { adviser }
    const model = await scriptedModel(asked => {
      if (isForAdvice(asked)) return answer.adviser(asked)
      if (asked.prompts.at(-1) !== 'break it' || asked.results.length > 0) return helper(asked)
      return { calls: [{ name: 'get-sum', args: { a: 'x' } }] }
    })
    const { api } = await served({ models: { ...model.settings, model: 'helper' } })
    const { target, link } = await published(api, { mode: 'anyone_with_link' })
    const visit = async (text: string) => {
      const session = await visitor(fetch, link).enter()
      expect((await session.say(text)).status).toBe(200)
      return session
    }
    const untilRead = (windowId: string) =>
      until(
        () => api.call(userTestingInsights.get, { ...target, windowId }),
        read => read['status'] !== 'pending',
      )
    return { api, target, visit, model, answer, untilRead }
  }

  test('wait for a visitor, then report what visitors experienced, on the scenario too', async () => {
    const { api, target, visit, untilRead } = await study()
    const unmined = await api.refused(userTestingInsights.request, target)
    expect(unmined).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(unmined.message).toContain('after the first visit')
    expect((await api.call(userTesting.get, target)).insights ?? null).toBeNull()
    await visit('hello')
    await (await visit('break it')).rate({ rating: 1, comment: 'It broke.' })
    const requested = await api.call(userTestingInsights.request, target)
    const { windowId } = requested
    expect(requested).toEqual({ ...target, windowId: expect.stringMatching(/^win_/), status: 'pending' })
    const read = await untilRead(windowId)
    const startAt = (read['scope'] as { windowStartAt: number }).windowStartAt
    expect(read).toMatchObject({
      windowId,
      schemaVersion: 1,
      scope: {
        kind: 'user_testing_window',
        id: windowId,
        scenarioId: target.scenarioId,
        windowEndAt: startAt + 24 * 60 * 60 * 1000,
      },
      status: 'completed',
      summary: 'Problems: 2.',
      coverage: { unit: 'sessions', analyzed: 2, total: 2, feedbackCount: 1, lowConfidence: true },
      error: null,
    })
    const findings = read['findings'] as { title: string; affected: object; evidence: object[] }[]
    expect(findings.map(({ title, affected }) => [title, affected])).toEqual(
      expect.arrayContaining([
        ['The tool get-sum answers visitors with errors', { count: 1, total: 2, unit: 'sessions' }],
        ['Visitors rate the scenario low', { count: 1, total: 2, unit: 'sessions' }],
      ]),
    )
    expect(read).not.toHaveProperty('runHealth')
    const { windowId: _window, ...envelope } = read
    expect((await api.call(userTesting.get, target)).insights).toEqual(envelope)
    const tool = (read['findings'] as { id: string; category: string }[]).find(
      ({ category }) => category === 'tool_runtime',
    )!
    await api.call(userTestingFindings.dismiss, { ...target, findingId: tool.id })
    expect((await untilRead(windowId))['findings']).toMatchObject([{ title: 'Visitors rate the scenario low' }])
  })

  test('are requested once, again only by force, and cancelled while pending; finished ones stay', async () => {
    const { api, target, visit, model, answer, untilRead } = await study(() => 'silence')
    await visit('break it')
    const pending = await api.call(userTestingInsights.request, target)
    const { windowId } = pending
    const window = { ...target, body: { windowId } }
    await untilAsked(model)
    expect(await api.call(userTestingInsights.request, target)).toEqual(pending)
    const canceled = { ...target, windowId, canceled: true }
    expect(await api.call(userTestingInsights.cancel, window)).toEqual(canceled)
    await untilAsked(model, 0)
    expect(await untilRead(windowId)).toMatchObject({ status: 'failed', error: { code: 'CANCELED' } })
    expect(await api.call(userTestingInsights.cancel, window)).toEqual(canceled)
    answer.adviser = advice
    await api.call(userTestingInsights.request, target)
    expect(await untilRead(windowId)).toMatchObject({ status: 'completed' })
    expect(await api.call(userTestingInsights.cancel, window)).toEqual(canceled)
    expect(await untilRead(windowId)).toMatchObject({ status: 'completed', summary: 'Problems: 1.' })
    expect(await api.refused(userTestingInsights.request, target)).toMatchObject({ status: 409 })
    await api.call(userTestingInsights.request, { ...target, body: { force: true } })
    expect(await untilRead(windowId)).toMatchObject({ status: 'completed' })
  })

  test('are not found for unknown scenarios and windows, and for windows that nobody requested', async () => {
    const { api, target, visit } = await study()
    await visit('hello')
    const { windowId } = await api.call(userTestingInsights.signals, target)
    const place = { ...target, windowId: windowId! }
    expect(await api.refused(userTestingInsights.get, place)).toMatchObject({ status: 404 })
    const own = { ...target, body: { windowId } }
    expect(await api.refused(userTestingInsights.cancel, own)).toMatchObject({ status: 404 })
    const foreign = { ...place, scenarioId: 'scn_none' }
    expect(await api.refused(userTestingInsights.get, foreign)).toMatchObject({ status: 404 })
    const nowhere = { ...target, scenarioId: 'scn_none' }
    expect(await api.refused(userTestingInsights.request, nowhere)).toMatchObject({ status: 404 })
    expect((await api.call(userTesting.get, target)).insights).toMatchObject({ status: 'not_requested' })
  })
})
