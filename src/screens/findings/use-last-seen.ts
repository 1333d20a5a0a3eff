import { useMemo } from 'react'
import type { JourneyRunSession, SwarmOverview } from '../../api/contract/journey-runs.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { showsFinding } from '../../domain/findings/shows.ts'
import { overviewRun, runsBehind, type WaveRun } from '../../domain/findings/waves.ts'
import { formatAgo, formatCount, plural } from '../../lib/format.ts'
import { runSession, type SessionRow } from '../../components/conversations/session-row.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { FindingRow } from './columns.ts'
import { evidenceSessions } from './evidence.tsx'
import type { BehindProps } from './use-behind-place.ts'

const NO_SESSIONS: readonly JourneyRunSession[] = []
/** Ended runs do not change. */
const RESTING = { staleTime: 30_000, refetchInterval: false } as const

/** The meaning of a finding in words, and a session that showed it, as far as known. */
export type LastSeen = { happened: string; session: string | undefined }

/**
 * Returns where a finding was last seen: the run, its number of sessions, and the session. The overview of runs is one
 * read for all findings; the sessions of a run are read if requests are unlimited, or once the person has opened the
 * finding.
 */
export function useLastSeen({ projectId, row, insights, focused }: BehindProps): LastSeen {
  const { queries, budget } = useWorkspace()
  const isOfWave = row.source === 'swarm' && !insights.isClosed
  const overview = useApiQuery({
    ...queries.journeyRuns.overview.options({ projectId }),
    enabled: isOfWave,
    ...RESTING,
  })
  const runs = overview.data?.runs
  const run = useMemo(
    () => (isOfWave ? runsBehind(row, (runs ?? []).map(overviewRun))[0] : undefined),
    [isOfWave, row, runs],
  )
  const isLast = run?.waveId !== undefined && run.waveId === row.lastSeenIn
  const sessions = useApiQuery({
    ...queries.journeyRuns.sessions.options({ projectId, runId: run?.id ?? '' }),
    enabled: isLast && (focused || budget.snapshot().unlimited),
    ...RESTING,
  })
  const items = sessions.data?.items ?? NO_SESSIONS
  const evidence = useMemo(() => evidenceSessions(row, insights.query.data), [row, insights.query.data])
  const failing = useMemo(
    () =>
      items
        .map(runSession)
        .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))
        .find(each => showsFinding(row, each, { evidence })?.shows),
    [row, items, evidence],
  )
  return {
    happened: happenedWords(row, isLast ? run : undefined, runs),
    session: failing ? sessionWords(failing) : undefined,
  }
}

/** Returns `Failed in 1 of 2 graded sessions of Order desk, 16h ago, 2 runs in a row.` */
export function happenedWords(row: FindingRow, run: WaveRun | undefined, runs: SwarmOverview['runs']): string {
  const last = formatAgo(row.lastSeenAt, serviceNow())
  const where = run?.journeyName === undefined ? '' : ` of ${run.journeyName}`
  const read = runs?.find(({ runId }) => runId === run?.id)
  const isOfJourney = row.subject.kind === 'journey'
  const id = row.subject.id?.split('/').at(-1)
  const { failCount, sessionsGraded, runStreak } = read?.findings?.find(({ criterionId }) => criterionId === id) ?? {}
  const streak = runStreak != null && runStreak > 1 ? `, ${formatCount(runStreak)} runs in a row` : ''
  if (!isOfJourney && failCount != null)
    return `Failed in ${ofGraded(failCount, sessionsGraded)}${where}, ${last}${streak}.`
  const { gradedCount, passedCount } = read?.goalCompletion ?? {}
  if (isOfJourney && gradedCount != null && passedCount != null)
    return `The goal was missed in ${ofGraded(gradedCount - passedCount, gradedCount)}${where}, ${last}.`
  const times = row.occurrences === undefined ? '' : ` in ${plural(row.occurrences, row.scenario ? 'window' : 'wave')}`
  return `Seen${times}${row.scenario ? ` by visitors of ${row.scenario.name}` : ''}, last ${last}.`
}

function ofGraded(count: number, graded: number | null | undefined): string {
  return graded == null ? plural(count, 'session') : `${formatCount(count)} of ${plural(graded, 'graded session')}`
}

/** Returns `Ada, goal score 0.40: never asked for the date`, as far as known. */
function sessionWords({ who, id, goal, outcome, preview }: SessionRow): string {
  const score = goal ? `goal score ${goal.score.toFixed(2)}` : outcome
  const said = goal?.reason ?? preview
  return `${[who ?? id, score].filter(Boolean).join(', ')}${said === undefined ? '' : `: ${said}`}`
}
