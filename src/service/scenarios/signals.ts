import type { ActionableFindingEvidence } from '../../api/contract/insight-shapes.ts'
import { excerptOf } from '../insights/advice.ts'
import type { Sighting } from '../findings/records.ts'
import type { ScenarioRow } from './rows.ts'
import type { VisitorMessageRow, VisitorSessionRow } from './visitor-session-rows.ts'

export type SignalSession = { session: VisitorSessionRow; messages: VisitorMessageRow[] }

/** Milliseconds of inactivity after which a visitor who did not end the session counts as having left. */
export const LEFT_AFTER_MS = 30 * 60 * 1000

/** Highest number of stars that counts as negative feedback. */
const NEGATIVE_RATING = 2
/** Minimum share of words that two questions must have in common to count as one question asked twice. */
const SAME_QUESTION = 0.8
const MAX_EVIDENCE = 5

const KINDS = ['tool_error', 'answer_failed', 'abandonment', 'repeated_question', 'negative_feedback'] as const
export type SignalKind = (typeof KINDS)[number]

export type Signal = {
  kind: SignalKind
  subject: Sighting['subject']
  title: string
  /** Number of occurrences, and number of sessions with at least one. */
  count: number
  sessionCount: number
  evidence: ActionableFindingEvidence[]
}

/** A signal that the sessions of a window could have shown. If it was not seen, its finding counts as resolved. */
export type Coverage = { kind: SignalKind; subjectId: string }

type Hit = Pick<Signal, 'kind' | 'subject' | 'title'> & { evidence: ActionableFindingEvidence }

/** Derives signals from sessions. The same sessions give the same signals in the same order. */
export function mineSignals(scenario: ScenarioRow, sessions: readonly SignalSession[], now: number): Signal[] {
  const hits = sessions.flatMap(one => hitsOf(scenario, one, now))
  return [...Map.groupBy(hits, ({ kind, subject }) => `${kind}/${subject.id}`).values()]
    .flatMap(group => {
      const [first] = group
      if (!first) return []
      const { kind, subject, title } = first
      const sessionCount = new Set(group.map(({ evidence }) => evidence.sessionId)).size
      const evidence = group.slice(0, MAX_EVIDENCE).map(hit => hit.evidence)
      return [{ kind, subject, title, count: group.length, sessionCount, evidence }]
    })
    .toSorted(
      (a, b) =>
        b.sessionCount - a.sessionCount ||
        b.count - a.count ||
        KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
        (a.subject.id < b.subject.id ? -1 : 1),
    )
}

/**
 * Returns the signals that the sessions could have shown: those of called tools, of questions, of ended sessions and of
 * feedback.
 */
export function coverageOf(scenario: ScenarioRow, sessions: readonly SignalSession[], now: number): Coverage[] {
  const tools = sessions.flatMap(({ messages }) => messages.flatMap(message => toolSubject(message)?.id ?? []))
  const asked = sessions.some(({ messages }) => messages.some(({ role }) => role === 'user'))
  const over = sessions.some(({ session, messages }) => messages.length > 0 && isOver(session, now))
  const rated = sessions.some(({ session }) => session.rating !== null)
  const general: [SignalKind, boolean][] = [
    ['answer_failed', asked],
    ['repeated_question', asked],
    ['abandonment', over],
    ['negative_feedback', rated],
  ]
  return [
    ...[...new Set(tools)].map(subjectId => ({ kind: 'tool_error' as const, subjectId })),
    ...general.flatMap(([kind, looked]) => (looked ? { kind, subjectId: scenario.id } : [])),
  ]
}

/** Converts a signal to a sighting of a finding. The fingerprint is built from ids alone. */
export function toSighting({ kind, subject, title, evidence }: Signal): Sighting {
  return { fingerprint: `${kind}:${subject.kind}:${subject.id}`, dimension: kind, subject, title, evidence }
}

function hitsOf(scenario: ScenarioRow, { session, messages }: SignalSession, now: number): Hit[] {
  const sessionId = session.id
  const subject = { kind: 'scenario', id: scenario.id, label: scenario.name }
  const said = (text: string) => ({ sessionId, kind: 'transcript' as const, excerpt: excerptOf(text) })
  const hits: Hit[] = []
  for (const message of messages) {
    const tool = toolSubject(message)
    const { toolName, text, errorCode } = message
    if (tool && message.isError)
      hits.push({
        kind: 'tool_error',
        subject: tool,
        title: `The tool ${toolName} answers visitors with errors`,
        evidence: { sessionId, kind: 'tool_error', excerpt: excerptOf(text), toolName },
      })
    if (message.role === 'system')
      hits.push({
        kind: 'answer_failed',
        subject,
        title: 'Visitors got no answer',
        evidence: { ...said(text), ...(errorCode !== null && { errorCode }) },
      })
  }
  for (const text of repeatedQuestions(messages))
    hits.push({ kind: 'repeated_question', subject, title: 'Visitors ask the same again', evidence: said(text) })
  const unanswered = abandonedAt(session, messages, now)
  if (unanswered)
    hits.push({
      kind: 'abandonment',
      subject,
      title: 'Visitors leave after a failure',
      evidence: said(unanswered.text),
    })
  if (session.rating !== null && session.rating <= NEGATIVE_RATING)
    hits.push({
      kind: 'negative_feedback',
      subject,
      title: 'Visitors rate the scenario low',
      evidence: { sessionId, kind: 'feedback', excerpt: excerptOf(session.comment ?? `${session.rating} of 5`) },
    })
  return hits
}

/** Returns the subject of a call: its tool, which is identified by server and name; undefined for other messages. */
function toolSubject({ role, toolName, serverId }: VisitorMessageRow): Sighting['subject'] | undefined {
  if (role !== 'tool' || toolName === null || serverId === null) return undefined
  return { kind: 'tool', id: `${serverId}/${toolName}`, label: toolName }
}

/** Whether a session has ended, or its visitor counts as having left. */
export function isOver({ endedAt, lastActivityAt }: VisitorSessionRow, now: number): boolean {
  return endedAt !== null || now - lastActivityAt >= LEFT_AFTER_MS
}

/**
 * Returns the question after which a visitor gave up. That is the last one if nobody ended the session, it has been
 * inactive for too long, and the question got no answer or something failed.
 */
export function abandonedAt(
  session: VisitorSessionRow,
  messages: readonly VisitorMessageRow[],
  now: number,
): VisitorMessageRow | undefined {
  if (!isOver(session, now) || session.endedBy !== null) return undefined
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const turn = messages.slice(asked + 1)
  const failed = !turn.some(({ role }) => role === 'assistant') || turn.some(({ isError }) => isError)
  return failed ? messages[asked] : undefined
}

/** Returns the questions that the visitor had asked before in the same session in nearly the same words. */
function repeatedQuestions(messages: readonly VisitorMessageRow[]): string[] {
  const before: Set<string>[] = []
  return messages.flatMap(({ role, text }) => {
    const words = role === 'user' ? wordsOf(text) : new Set<string>()
    if (words.size === 0) return []
    const repeated = before.some(other => similarity(words, other) >= SAME_QUESTION)
    before.push(words)
    return repeated ? text : []
  })
}

function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  )
}

/** Returns the number of words that are in both sets divided by the number of words that are in at least one. */
function similarity(a: Set<string>, b: Set<string>): number {
  const both = [...a].filter(word => b.has(word)).length
  return both / (a.size + b.size - both)
}
