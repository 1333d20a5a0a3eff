import type { ParsedInputOf } from '../../api/contract/endpoint.ts'
import type {
  ScenarioMetrics,
  ScenarioSignals,
  ScenarioUsage,
  userTestingInsights,
} from '../../api/contract/user-testing.ts'
import { ServiceError } from '../core/errors.ts'
import type { ScenarioRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { VisitorMessageRow, VisitorSessionSummary } from './visitor-session-rows.ts'
import { whyEnded } from './access.ts'
import { abandonedAt } from './signals.ts'
import { latestWindow, mineDue } from './windows.ts'

type Context = { store: Store; now: () => number }
type MetricsQuery = ParsedInputOf<(typeof userTestingInsights)['metrics']>['query']
type Measured = { session: VisitorSessionSummary; messages: VisitorMessageRow[] }

/** Maximum number of sessions that are measured. `scan.truncated` says if older ones are left out. */
const SCANNED_SESSIONS = 500

/**
 * Returns volumes and rates of a scenario's newest sessions. All visitors in this workspace are real.
 * @throws ServiceError `NOT_FOUND` without any session, and for synthetic visitors
 */
export function metricsOf(
  { store, now }: Context,
  scenario: ScenarioRow,
  { population }: MetricsQuery,
): ScenarioMetrics {
  if (population === 'synthetic')
    throw new ServiceError('NOT_FOUND', 'The scenario had no synthetic visitors; only people open its link here.')
  return store.read(() => {
    const { measured, scan } = scanned(store, scenario)
    const rated = measured.flatMap(({ session }) => session.rating ?? [])
    const withFeedback = measured.filter(({ session }) => session.feedbackCount > 0)
    const answered = measured.filter(({ messages }) => messages.some(({ role }) => role === 'assistant'))
    const left = measured.filter(({ session, messages }) => abandonedAt(session, messages, now()))
    const calls = measured.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
    const answers = measured.flatMap(({ messages }) => messages.filter(({ role }) => role === 'assistant'))
    const { length: sessions } = measured
    return {
      scan,
      population: population ?? 'all',
      sessions,
      liveSessions: measured.filter(({ session }) => !whyEnded(store, session, now())).length,
      messages: measured.reduce((sum, { messages }) => sum + messages.length, 0),
      answers: answers.length,
      failedAnswers: measured.flatMap(({ messages }) => messages.filter(({ role }) => role === 'system')).length,
      answeredSessions: answered.length,
      abandonedSessions: left.length,
      abandonmentRate: rate(left.length, sessions),
      endedByVisitor: measured.filter(({ session }) => session.endedBy === 'visitor').length,
      completionRate: rate(measured.filter(({ session }) => session.endedBy === 'visitor').length, sessions),
      toolCalls: calls.length,
      toolErrors: calls.filter(({ isError }) => isError).length,
      toolErrorRate: rate(calls.filter(({ isError }) => isError).length, calls.length),
      averageAnswerMs: average(answers.flatMap(({ durationMs }) => durationMs ?? [])),
      tokens: tokensOf(measured),
      feedback: {
        sessions: withFeedback.length,
        rate: rate(withFeedback.length, sessions),
        averageRating: average(rated),
      },
      cohorts: {
        authType: counts(measured.map(({ session }) => session.authType)),
        recency: counts(measured.map(({ session }) => session.recency ?? 'unknown')),
        deviceKind: counts(measured.map(({ session }) => session.deviceKind ?? 'unknown')),
      },
      firstSessionAt: Math.min(...measured.map(({ session }) => session.startedAt)),
      lastActivityAt: Math.max(...measured.map(({ session }) => session.lastActivityAt)),
    }
  })
}

function tokensOf(group: readonly Measured[]): number {
  return sum(group.flatMap(({ messages }) => messages.flatMap(({ tokens }) => tokens ?? [])))
}

/** Returns models, tools and servers that visitors used. @throws ServiceError `NOT_FOUND` before any session */
export function usageOf({ store }: Context, scenario: ScenarioRow): ScenarioUsage {
  return store.read(() => {
    const { measured, scan } = scanned(store, scenario)
    const calls = measured.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
    const byModel = Map.groupBy(
      measured.filter(({ session }) => session.modelId !== null),
      ({ session }) => session.modelId,
    )
    const byTool = Map.groupBy(calls, ({ serverId, toolName }) => `${serverId}/${toolName}`)
    const byServer = Map.groupBy(calls, ({ serverId }) => serverId)
    return {
      scan,
      models: [...byModel].map(([modelId, group]) => {
        const answers = group.flatMap(({ messages }) => messages.filter(({ role }) => role === 'assistant'))
        return { modelId, sessions: group.length, answers: answers.length, tokens: tokensOf(group) }
      }),
      tools: [...byTool.values()].flatMap(group => (group[0] ? toolUse(group[0], group) : [])),
      servers: [...byServer.values()].flatMap(group => {
        const { serverId = null, serverName = null } = group[0] ?? {}
        return { serverId, serverName, ...callUse(group) }
      }),
    }
  })
}

/** Returns the signals of the newest window, analyzed up to now. @throws ServiceError `NOT_FOUND` before any session */
export function signalsOf({ store, now }: Context, scenario: ScenarioRow): ScenarioSignals {
  mineDue({ store, now }, scenario.id)
  const window = latestWindow(store, scenario.id)
  if (!window) throw nobodyYet()
  const { id: windowId, startAt, endAt, minedAt, sessionCount, messageCount, signals } = window
  return { windowId, windowStartAt: startAt, windowEndAt: endAt, minedAt, sessionCount, messageCount, signals }
}

function scanned(store: Store, scenario: ScenarioRow) {
  const sessions = store.visitorSessions.page(scenario.id, undefined, SCANNED_SESSIONS)
  if (sessions.length === 0) throw nobodyYet()
  const total = store.visitorSessions.count(scenario.id)
  const measured: Measured[] = sessions.map(session => ({
    session,
    messages: store.visitorSessions.messages.all(session.id),
  }))
  const scan = { sessions: sessions.length, totalSessions: total, truncated: total > sessions.length }
  return { measured, scan }
}

function nobodyYet(): ServiceError {
  return new ServiceError('NOT_FOUND', 'No visitor has opened a session of this scenario yet.')
}

function toolUse({ serverId, serverName, toolName }: VisitorMessageRow, calls: VisitorMessageRow[]) {
  return { serverId, serverName, toolName, ...callUse(calls) }
}

function callUse(calls: readonly VisitorMessageRow[]) {
  return {
    calls: calls.length,
    errors: calls.filter(({ isError }) => isError).length,
    sessions: new Set(calls.map(({ sessionId }) => sessionId)).size,
    averageMs: average(calls.flatMap(({ durationMs }) => durationMs ?? [])),
  }
}

function counts(values: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, value => value)].map(([value, all]) => [value, all.length]))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : sum(values) / values.length
}
