import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import type { NowLine, NowProject } from '../../domain/now/line.ts'
import { reportedTrials } from '../../domain/runs/counts.ts'
import { DAY_MS, isRedBy, runLines, RUNS_READ, unreadRunLines, wantsRuns } from '../../domain/now/run-lines.ts'
import { isInFlight, needsAttention } from '../../domain/now/worth.ts'
import { onceFor } from '../../lib/once-for.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { hasMore, type NowSource, sourceOf } from './sources.ts'
import { type NowAnswer, type NowPlan, readIn, type ReadOf, readOf, useReads } from './use-reads.ts'

const TRIALS_READ = 200

type SuiteOf = { project: NowProject; suite: EvalSuite; readAt: number | undefined; changedAt: number | undefined }

/**
 * The runs of every suite whose last one is in flight, failed or of the last day, or that may be red or due; and the
 * trials of those in flight that do not count them themselves. `suites` are in the order of the projects.
 */
export function useRunReads(
  plan: NowPlan,
  projects: readonly NowProject[],
  suites: readonly NowAnswer<{ items: readonly EvalSuite[] }>[],
  now: number,
) {
  const { queries, reruns } = useWorkspace()
  const queryClient = useQueryClient()
  const changes = useRef(new Map<string, Change>())
  const optionsOf = ({ project, suite }: Pick<SuiteOf, 'project' | 'suite'>) =>
    queries.runs.list.options({ projectId: project.id, suiteId: suite.id, limit: RUNS_READ })
  const isRerun = (runId: string): boolean => reruns?.parentOf(runId) !== undefined
  const [isRed] = useState(() => onceFor((runs: readonly EvalRun[]) => isRedBy(runs, isRerun)))
  const knownRuns = (each: Pick<SuiteOf, 'project' | 'suite'>) => queryClient.getQueryState(optionsOf(each).queryKey)
  const active = projects.flatMap((project, index) =>
    (suites[index]?.data?.items ?? []).flatMap(suite => {
      const readAt = suites[index]?.at
      const changedAt = changeOf(changes.current, suite, readAt)
      const known = knownRuns({ project, suite })?.data?.items
      return wantsRuns(suite, now, known, isRed) ? [{ project, suite, readAt, changedAt }] : []
    }),
  )
  // A suite says for a while that its run is in flight, although the runs themselves said since that it ended.
  const isLive = (each: SuiteOf): boolean => {
    const known = knownRuns(each)
    const runs = known?.data?.items ?? []
    if (runs.some(({ status }) => !isTerminalRunStatus(status))) return true
    const isNewer = (known?.dataUpdatedAt ?? 0) > (each.changedAt ?? 0)
    return isInFlight(each.suite) && !(isNewer && runs.some(({ id }) => id === each.suite.latestRun?.id))
  }
  // Suites with a run in flight are read as often as that run, the others more rarely.
  const live = active.filter(isLive)
  const rested = active.filter(each => !isLive(each))
  const ofSuite = ({ project, suite, changedAt }: SuiteOf): ReadOf => ({
    projectId: project.id,
    changedAt,
    needsAttention: needsAttention(suite),
  })
  const liveRuns = useReads('live', plan, live.map(optionsOf), live.map(ofSuite))
  const restedRuns = useReads('runs', plan, rested.map(optionsOf), rested.map(ofSuite))
  const running = live.flatMap(({ project }, index) =>
    (liveRuns[index]?.data?.items ?? [])
      .filter(run => !isTerminalRunStatus(run.status) && !reportedTrials(run))
      .map(run => ({ project, runId: run.id })),
  )
  const trials = useReads(
    'live',
    plan,
    running.map(({ project, runId }) =>
      queries.iterations.list.options({ projectId: project.id, runId, limit: TRIALS_READ }),
    ),
    running.map(({ project }) => readIn(project)),
  )
  const trialsOf = (runId: string) =>
    readOf(trials[running.findIndex(each => each.runId === runId)], ({ items, nextCursor }) => ({
      items,
      whole: !nextCursor,
    }))
  const linesOf = (of: readonly SuiteOf[], answers: readonly NowAnswer<{ items: EvalRun[] }>[]): NowLine[] =>
    of.flatMap(({ project, suite, readAt }, index) => {
      const runs = readOf(answers[index], ({ items }) => items)
      if (!runs) return unreadRunLines(project, suite, readAt)
      // How far a run is was true when it was read, which may be most of a minute after the clock of the ages turned.
      const asOf = runs.at === undefined ? 0 : serviceTime(runs.at)
      return runLines({ project, suite, runs, trialsOf, isRerun, now: Math.max(now, asOf), asOf })
    })
  const nameOf = (suite: EvalSuite): string => suite.name ?? suite.id
  const sourcesOf = (kind: 'runs' | 'live', of: readonly SuiteOf[], answers: typeof liveRuns): NowSource[] =>
    of.map(({ project, suite, changedAt = 0 }, index) => ({
      ...sourceOf(kind, answers[index], project, nameOf(suite), lacksRuns(answers[index], now)),
      isOutdated: changedAt > (answers[index]?.at ?? changedAt),
    }))
  const sources: NowSource[] = [
    ...sourcesOf('runs', rested, restedRuns),
    ...sourcesOf('live', live, liveRuns),
    // Of a run with more trials than were read its line says so.
    ...running.map(({ project, runId }, index) => sourceOf('live', trials[index], project, runId, false)),
  ]
  return {
    answers: [...liveRuns, ...restedRuns, ...trials],
    lines: [...linesOf(live, liveRuns), ...linesOf(rested, restedRuns)],
    sources,
  }
}

/** Whether more runs of the last day follow those that were read, the latest of which come first. */
function lacksRuns(answer: NowAnswer<{ items: readonly EvalRun[] }> | undefined, now: number): boolean {
  const oldest = toEpochMs(answer?.data?.items.at(-1)?.createdAt)
  return hasMore(answer?.data) && (oldest === undefined || oldest > now - DAY_MS)
}

type Change = { mark: string; at: number | undefined }

/** When the suite said something else of its latest run than before, epoch milliseconds; undefined at first sight. */
function changeOf(changes: Map<string, Change>, { id, latestRun }: EvalSuite, at: number | undefined) {
  const mark = JSON.stringify(latestRun ?? null)
  const before = changes.get(id)
  if (before?.mark === mark) return before.at
  changes.set(id, { mark, at: before && at })
  return before && at
}
