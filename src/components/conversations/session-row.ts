import type { JourneyRunSession } from '../../api/contract/journey-runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { Shows } from '../../domain/findings/shows.ts'
import { goalScoreOf, type GoalScore } from '../../domain/findings/waves.ts'
import { UNCONFIRMED } from '../../domain/swarms/waves.ts'
import { UNKNOWN } from '../../lib/format.ts'
import type { Look, Symbols, Tone } from '../../tui/theme/theme.ts'
import type { Column } from '../list/columns.ts'
import { freshness, countColumn, lookCell, measureColumn, nameColumn, noteColumn } from '../collection/plain-parts.ts'

/** Returns how the state of a journey run, or of one of its sessions, is shown. */
export function outcomeLook(outcome: string | undefined): Look {
  if (outcome === 'completed' || outcome === 'succeeded') return { symbol: 'ok', tone: 'ok', word: outcome }
  if (outcome === 'failed') return { symbol: 'error', tone: 'error', word: outcome }
  if (outcome === 'partial') return { symbol: 'warn', tone: 'warn', word: outcome }
  // A run may have missed its goal or its criteria, so neither word would fit both.
  if (outcome === 'missed') return { symbol: 'warn', tone: 'warn', word: 'fell short' }
  if (outcome === 'ungraded') return { symbol: 'warn', tone: 'warn', word: outcome }
  if (outcome === 'unjudged') return { symbol: 'ok', tone: 'muted', word: 'no grades' }
  if (outcome === 'rate_limited') return { symbol: 'warn', tone: 'warn', word: 'throttled' }
  // A run that someone stopped is not a failure.
  if (outcome === 'canceled') return { symbol: 'cancelled', tone: 'muted', word: 'stopped' }
  if (outcome === 'stale') return { symbol: 'warn', tone: 'warn', word: outcome }
  if (outcome === 'failed_or_canceled') return { symbol: 'warn', tone: 'warn', word: 'failed?' }
  if (outcome === UNCONFIRMED) return { symbol: 'warn', tone: 'warn', word: 'running?' }
  if (outcome === undefined) return { symbol: 'pending', tone: 'muted', word: 'unknown' }
  if (outcome === 'pending') return { symbol: 'pending', tone: 'live', word: outcome }
  if (outcome === 'running') return { symbol: 'live', tone: 'live', word: outcome }
  return { symbol: 'warn', tone: 'warn', word: outcome }
}

/** A session of a journey run, or of a visitor. */
export type SessionRow = {
  id: string
  /** Ids of the session in other reads. */
  ids: readonly string[]
  outcome: string | undefined
  who: string | undefined
  messages: number | undefined
  preview: string | undefined
  /** Only for journey runs with graded sessions. */
  goal: GoalScore | undefined
  at: number | undefined
  /** Whether the session shows a finding, undefined if unknown; absent if the session is not listed for a finding. */
  shows?: Shows | undefined
  record: { id: string }
}

/** @param has which facts are known of these sessions: how they ended, and their progress toward the goal */
export function sessionColumns(
  symbols: Symbols,
  has: { outcome: boolean; goal: boolean },
): readonly Column<SessionRow>[] {
  return [
    ...(has.outcome ? [outcomeColumn(symbols)] : []),
    ...(has.goal ? [goalColumn(symbols)] : []),
    countColumn('Msgs', 4, row => row.messages, { id: 'messages', count: row => row.messages }),
    measureColumn('Age', 5, row => row.at, freshness),
    nameColumn('Who', row => row.who, { id: 'who', width: 18, from: 64 }),
    noteColumn('Begins with', 'flex', row => row.preview ?? '', { id: 'preview' }),
  ]
}

function goalColumn(symbols: Symbols): Column<SessionRow> {
  return countColumn('Goal', 6, ({ goal }) => goal?.score, { cell: ({ goal }) => goalLabel(goal, symbols) ?? UNKNOWN })
}

/** Returns `✗ 0.40`: the score, and whether it reached the goal. */
export function goalLabel(goal: GoalScore | undefined, symbols: Symbols): { text: string; tone: Tone } | undefined {
  if (!goal) return undefined
  const score = goal.score.toFixed(2)
  if (goal.isReached === undefined) return { text: score, tone: 'plain' }
  return goal.isReached
    ? { text: `${symbols.ok} ${score}`, tone: 'ok' }
    : { text: `${symbols.error} ${score}`, tone: 'error' }
}

function outcomeColumn(symbols: Symbols): Column<SessionRow> {
  return {
    id: 'outcome',
    title: 'Outcome',
    width: 12,
    cell: row => {
      if (row.outcome === undefined) return { text: UNKNOWN, tone: 'muted' }
      return lookCell(symbols, outcomeLook(row.outcome))
    },
    sort: row => row.outcome,
  }
}

export function runSession(session: JourneyRunSession): SessionRow {
  const ids = [session.id, ...(session.chatSessionId == null ? [] : [session.chatSessionId])]
  return {
    id: session.id,
    ids,
    outcome: session.outcome ?? undefined,
    who: session.personaLabel ?? undefined,
    messages: session.messageCount ?? undefined,
    preview: session.preview ?? undefined,
    goal: goalScoreOf(session.goalScore),
    at: toEpochMs(session.startedAt),
    record: session,
  }
}
