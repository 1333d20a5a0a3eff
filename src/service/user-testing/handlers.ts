import { parseStored } from '../../lib/json.ts'
import type { TranscriptMessage, UserTestingSession, Scenario } from '../../api/contract/user-testing.ts'
import { utcDay } from '../../lib/times.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import type { Store } from '../core/database/store.ts'
import { ServiceError } from '../core/errors.ts'
import { requireRow } from '../core/database/table.ts'
import { pageOf, pageSize } from '../core/list-page.ts'
import { oneLine } from '../core/one-line.ts'
import { insightsEnvelopeOf, windowEnvelope } from '../findings/envelopes.ts'
import { createGeneration, type InsightsSubject } from '../findings/generation.ts'
import { scopeOf, requireFinding, setDismissed, toScenarioFinding, type WaveSubjects } from '../findings/records.ts'
import type { FindingScope } from '../findings/rows.ts'
import { metricsOf, signalsOf, usageOf } from '../scenarios/measures.ts'
import {
  publishScenario,
  rebindScenario,
  removeMember,
  rotateLink,
  setGuestExecution,
  toScenario,
  toUserTestingScenario,
  unpublishScenario,
  updateScenario,
  upsertMember,
} from '../scenarios/records.ts'
import { toSighting } from '../scenarios/signals.ts'
import { VISIT_PREFIX } from '../scenarios/visit-http.ts'
import type { VisitorMessageRow, VisitorSessionSummary } from '../scenarios/visitor-session-rows.ts'
import { mineDue, type Mined } from '../scenarios/windows.ts'
import { chatSessionIdOf } from '../sessions/eval-sessions.ts'
type ScenarioCall = { project: ProjectRow; params: { scenarioId: string } }

/**
 * Handles publishing and access. Only the hash of a link is stored, so only publishing and rotating return the link.
 */
export function userTestingHandlers({ store, visits, visitOrigin }: ServiceContext): Handlers['userTesting'] {
  const named = ({ project, params }: ScenarioCall) => store.scenarios.require(project.id, params.scenarioId)
  const linkOf = (secret: string) => `${visitOrigin()}${VISIT_PREFIX}${secret}`
  /** A change that narrows access also ends answers in progress. */
  const change = <T>(work: () => T): T => {
    const reply = store.write(work)
    visits.abortEnded()
    return reply
  }
  const publish: Handlers['userTesting']['publish'] = ({ project, params, body = {} }): Scenario =>
    store.write(() => {
      const environment = store.environments.require(project.id, params.environmentId)
      const published = publishScenario(store, environment, body)
      return 'secret' in published
        ? { ...toScenario(published.row), link: linkOf(published.secret), created: true }
        : { ...toScenario(published.row), created: false, overridesIgnored: published.ignored }
    })
  return {
    publish,
    publishPut: publish,
    unpublish: ({ project, params }) =>
      change(() => {
        const { id: environmentId } = store.environments.require(project.id, params.environmentId)
        const row = store.scenarios.findByEnvironment(environmentId)
        if (!row) return { environmentId, deleted: false }
        unpublishScenario(store, row)
        return { environmentId, deleted: true, id: row.id }
      }),
    get: call => {
      const row = named(call)
      const { id: scenarioId, projectId, environmentId } = row
      const insights = insightsEnvelopeOf(store, { kind: 'user_testing_window', projectId, scenarioId })
      return { ...toUserTestingScenario(row), environmentId, ...(insights && { insights }) }
    },
    update: call => change(() => toUserTestingScenario(updateScenario(store, named(call), call.body))),
    rebind: call =>
      store.write(() => {
        const row = named(call)
        const environment = store.environments.require(call.project.id, call.body.environmentId)
        return toScenario(rebindScenario(store, row, environment))
      }),
    rotateLink: call =>
      store.write(() => {
        const { row, secret } = rotateLink(store, named(call))
        return { id: row.id, projectId: row.projectId, rotated: true, link: linkOf(secret) }
      }),
    // The contract has no field for the invitation, which is not sent by mail here. The reply allows further fields, so
    // it includes the invitation.
    upsertMember: call =>
      store.write(() => {
        const row = named(call)
        const { id: memberId, email, invitation } = upsertMember(store, row, call.body)
        return { ...toUserTestingScenario(row), invitation: { memberId, email, code: invitation } }
      }),
    removeMember: call =>
      change(() => {
        const row = named(call)
        const { memberIdOrEmail } = call.params
        removeMember(store, row, memberIdOrEmail)
        return { scenarioId: row.id, projectId: row.projectId, removed: memberIdOrEmail }
      }),
    setGuestExecution: call => store.write(() => setGuestExecution(store, named(call), call.body)),
  }
}

export function userTestingFindingHandlers(context: ServiceContext): Handlers['userTestingFindings'] {
  const { store } = context
  const dismissal = (dismissed: boolean) => (call: ScenarioCall & { params: { findingId: string } }) =>
    store.write(() => {
      const scope = findingScopeOf(store, call)
      const row = requireFinding(store, scope, call.params.findingId)
      setDismissed(store, row, dismissed)
      return { id: row.id, scenarioId: scope.scope, projectId: call.project.id, dismissed }
    })
  return {
    list(call) {
      const scope = findingScopeOf(store, call)
      if (call.query.cursor === undefined) mineDue(context, scope.scope)
      return store.read(() => {
        const list = `findings/${scope.scope}`
        const rows = store.findings.list(scope)
        return pageOf(store.cursors, { list, rows, query: call.query }, row => toScenarioFinding(store, row))
      })
    },
    dismiss: dismissal(true),
    undismiss: dismissal(false),
  }
}

function findingScopeOf(store: Store, { project, params }: ScenarioCall): FindingScope {
  const { id: scenarioId } = store.scenarios.require(project.id, params.scenarioId)
  return scopeOf(project.id, { kind: 'user-testing', scenarioId })
}

export function userTestingInsightHandlers(context: ServiceContext): Handlers['userTestingInsights'] {
  const { store } = context
  const generation = createGeneration(context, 'window-insights', scenarioWindows)
  const scenarioOf = ({ project, params }: ScenarioCall) => store.scenarios.require(project.id, params.scenarioId)
  const subjectOf = (call: ScenarioCall, windowId: string): InsightsSubject => ({
    scope: scopeOf(call.project.id, { kind: 'user-testing', scenarioId: scenarioOf(call).id }),
    waveId: windowId,
  })
  return {
    metrics: call => metricsOf(context, scenarioOf(call), call.query),
    usage: call => usageOf(context, scenarioOf(call)),
    signals: call => signalsOf(context, scenarioOf(call)),
    get(call) {
      const { windowId } = call.params
      const subject = subjectOf(call, windowId)
      const row = generation.get(subject)
      if (!row) throw new ServiceError('NOT_FOUND', `No insights were requested for the window ${windowId}.`)
      return { windowId, ...windowEnvelope(store, subject.scope, windowId, row) }
    },
    request(call) {
      const { id: scenarioId } = scenarioOf(call)
      mineDue(context, scenarioId)
      const window = store.visitorSessions.windows.latest(scenarioId)
      if (!window)
        throw new ServiceError(
          'CONFLICT',
          'The scenario has no sessions to analyze yet. Share its link, and request insights after the first visit.',
        )
      const { organizationId } = call.caller
      generation.request(subjectOf(call, window.id), { organizationId, force: call.body?.force ?? false })
      return { scenarioId, projectId: call.project.id, windowId: window.id, status: 'pending' }
    },
    cancel(call) {
      const { windowId } = call.body
      const subject = subjectOf(call, windowId)
      if (!generation.get(subject))
        throw new ServiceError('NOT_FOUND', `No insights were requested for the window ${windowId}.`)
      // If the generation has ended, this changes nothing (contract: harmless against a finished one).
      generation.cancel(subject)
      return { scenarioId: subject.scope.scope, projectId: call.project.id, windowId, canceled: true }
    },
  }
}

/** The days of a scenario as windows. Their scope is the scenario's id. */
const scenarioWindows: WaveSubjects = {
  has: (store, { projectId, scope }, windowId) =>
    store.scenarios.get(projectId, scope) !== undefined &&
    store.visitorSessions.windows.get(scope, windowId) !== undefined,
  // Sessions can be analyzed at any time, and again with `force`, so nothing is in flight.
  inFlight: () => false,
  facts(store, { projectId, scope }, windowId) {
    const scenario = store.scenarios.get(projectId, scope)
    const window = scenario && store.visitorSessions.windows.get(scope, windowId)
    if (!window) return undefined
    const { startAt, endAt } = window
    const { sessionCount, signals } = parseStored(window.signals) as Mined
    const sessions = store.visitorSessions.startedBetween(scope, startAt, endAt)
    return {
      what: `the sessions of visitors with "${scenario.name}" from ${utcDay(startAt)}`,
      total: sessions.length,
      analyzed: sessionCount,
      feedbackCount: sessions.filter(({ feedbackCount }) => feedbackCount > 0).length,
      affected: new Map(signals.map(signal => [toSighting(signal).fingerprint, signal.sessionCount])),
    }
  },
}

const SESSIONS_A_PAGE = 50
const MESSAGES_A_PAGE = 100

export function userTestingSessionHandlers({ store }: ServiceContext): Handlers['userTestingSessions'] {
  /** Returns a page of a list. One row more than the page has shows whether there is a next page. */
  const pageOf = <T>(list: string, found: T[], size: number, position: (row: T) => number) => {
    const shown = found.slice(0, size)
    const last = shown.at(-1)
    const more = found.length > size && last !== undefined
    return { shown, ...(more && { nextCursor: store.cursors.write(list, position(last)) }) }
  }
  return {
    list: ({ project, params, query }) =>
      store.read(() => {
        const { id } = store.scenarios.require(project.id, params.scenarioId)
        const list = `visitor-sessions/${id}`
        const before = query.cursor === undefined ? undefined : store.cursors.read(list, query.cursor)
        const size = pageSize(query, SESSIONS_A_PAGE)
        const found = store.visitorSessions.page(id, before, size + 1)
        const { shown, ...next } = pageOf(list, found, size, ({ number }) => number)
        return { items: shown.map(toUserTestingSession), ...next }
      }),
    get: ({ project, params, query }) =>
      store.read(() => {
        const scenario = store.scenarios.require(project.id, params.scenarioId)
        const session = requireRow(
          store.visitorSessions.summary(scenario.id, params.sessionId),
          `session ${params.sessionId} in this scenario`,
        )
        const list = `visitor-messages/${session.id}`
        const after = query.cursor === undefined ? -1 : store.cursors.read(list, query.cursor)
        const size = pageSize(query, MESSAGES_A_PAGE)
        const found = store.visitorSessions.messages.page(session.id, after, size + 1)
        const { shown, ...next } = pageOf(list, found, size, ({ position }) => position)
        const { id, scenarioId, modelId, startedAt, lastActivityAt, messageCount } = session
        return {
          id,
          scenarioId,
          chatSessionId: chatSessionIdOf(id),
          modelId,
          startedAt,
          lastActivityAt,
          messageCount,
          messages: shown.map(toTranscriptMessage),
          ...next,
        }
      }),
  }
}

function toUserTestingSession(row: VisitorSessionSummary): UserTestingSession {
  const { id, messageCount, preview, modelId, toolCallCount, authInterrupted, startedAt, lastActivityAt } = row
  const { displayName, authType, recency, deviceKind, language } = row
  return {
    id,
    chatSessionId: chatSessionIdOf(id),
    messageCount,
    preview: oneLine(preview ?? ''),
    ...(modelId !== null && { modelId }),
    toolCallCount,
    authInterrupted,
    visitor: known({ displayName, authType, recency, deviceKind, language }),
    feedback: { rating: row.rating, comment: row.comment, count: row.feedbackCount },
    startedAt,
    lastActivityAt,
  }
}

/** Returns the facts about a visitor that are known. */
function known<T extends object>(facts: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}

/** Converts a message without arguments and results. Of a call it shows only the tool and whether it succeeded. */
function toTranscriptMessage({ role, text, toolName, isError, createdAt }: VisitorMessageRow): TranscriptMessage {
  if (role !== 'tool') return { role, text, createdAt }
  return { role, text: isError ? 'The tool answered with an error.' : 'The tool answered.', toolName, createdAt }
}
