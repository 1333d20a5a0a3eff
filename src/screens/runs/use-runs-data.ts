import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isMissing } from '../../api/client/errors/api-error.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { parentOf } from '../../domain/runs/comparison-groups.ts'
import { reportedTrials } from '../../domain/runs/counts.ts'
import { flakyCases, type FlakyCase } from '../../domain/runs/retries.ts'
import { isOpenTrial } from '../../domain/runs/trials.ts'
import { useReadAhead } from '../../hooks/use-whole-list.ts'
import type { RepeatedRead } from '../../domain/polling/cadence.ts'
import { useApiPages } from '../../hooks/use-api-pages.ts'
import { useLiveQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import { useRefreshOnce } from '../../hooks/use-refresh.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { withShownTrials } from './trial/shown-trials.ts'

/** Number of latest runs of a suite that are read. */
export const RUNS_SHOWN = 100
export const TRIALS_A_PAGE = 200
/**
 * Pages of an ended run rendered at once if requests are unlimited: a few renders a second, whatever the run's length.
 */
const PAGES_A_DRAW = 10
/** Pages of a run in flight that each poll reads again, if requests are unlimited and otherwise. */
const PAGES_A_POLL = { local: 2, remote: 1 }
/** Queries that become outdated when a run ends. */
const ENDED = [['iterations'], ['runs', 'list'], ['suites']]

/**
 * Reads the latest runs of a suite, and polls while one of them is in flight, except `watched`, which is polled on its
 * own.
 */
export function useSuiteRuns(projectId: string, suiteId: string | undefined, watched: string | undefined) {
  const { queries } = useWorkspace()
  const options = queries.runs.list.options({ projectId, suiteId: suiteId ?? '', limit: RUNS_SHOWN })
  // A run whose own record shows its end is no longer polled, so the list is polled if it still shows the run in
  // flight.
  const { data: hasEnded = false, error } = useQuery({
    ...queries.runs.get.options({ projectId, runId: watched ?? '' }),
    enabled: false,
    select: run => isTerminalRunStatus(run.status),
  })
  const follows = (run: EvalRun) => run.id === watched && !hasEnded && !isMissing(error)
  return useLiveQuery(
    { ...options, enabled: suiteId !== undefined },
    { isLive: runs => runs.items.some(run => !follows(run) && !isTerminalRunStatus(run.status)), requests: 1 },
  )
}

/** Returns the runs of a suite as last read; reads nothing itself. */
export function useKnownRuns(projectId: string, suiteId: string | undefined): readonly EvalRun[] {
  const { queries } = useWorkspace()
  const options = queries.runs.list.options({ projectId, suiteId: suiteId ?? '', limit: RUNS_SHOWN })
  return useQuery({ ...options, enabled: false }).data?.items ?? NO_RUNS
}

const NO_RUNS: readonly EvalRun[] = []

export type RunData = {
  run: ApiQuery<EvalRun> & { live: boolean; isGone: boolean }
  trials: readonly EvalIteration[]
  trialsQuery: ReturnType<typeof useTrials>
  /** Its flaky cases, by reruns whose trials were read before. */
  flaky: readonly FlakyCase[]
}

/** Whether a page is full of ended trials; one with room left may get more. */
function isSettledPage(page: { items: readonly EvalIteration[]; nextCursor?: string | null | undefined }): boolean {
  return !!page.nextCursor && !page.items.some(isOpenTrial)
}

function useTrials(projectId: string, runId: string, run: { read: RepeatedRead | false; ended: boolean }) {
  const { queries, budget } = useWorkspace()
  const { unlimited } = budget.snapshot()
  const options = queries.iterations.list.infinite(
    { projectId, runId, limit: TRIALS_A_PAGE },
    {
      settled: isSettledPage,
      maxPagesPerPoll: PAGES_A_POLL[unlimited ? 'local' : 'remote'],
      project: withShownTrials,
      // For a run in flight pages stay small, since unsettled ones are read repeatedly.
      pagesPerDraw: run.ended && unlimited ? PAGES_A_DRAW : 1,
    },
  )
  return useApiPages({ ...options, ...(run.ended && { staleTime: Infinity }) }, run.read)
}

/**
 * Returns a run with its trials, polled while in flight and read again when it ends, so that the suite's figures and
 * the last trials are final.
 */
export function useRun(projectId: string, runId: string): RunData {
  const { queries } = useWorkspace()
  const run = useLiveQuery(queries.runs.get.options({ projectId, runId }), {
    isLive: data => !isTerminalRunStatus(data.status),
    requests: 1 + PAGES_A_POLL.remote,
    rowsOf: data => reportedTrials(data)?.total ?? 0,
  })
  const ended = run.hasData && !run.live
  const pages = useTrials(projectId, runId, { read: run.read, ended })
  useRefreshOnce(ended || run.isGone, run.live, ENDED)
  const { isGone, problem } = run
  // Trials in flight do not continue without their run.
  const trialsQuery = isGone ? { ...pages, problem, hasData: false, items: undefined } : pages
  const trials = useMemo(() => trialsQuery.items ?? [], [trialsQuery.items])
  const isWhole = ended && trialsQuery.hasData && !trialsQuery.hasMore
  const flaky = useFlakyCases(projectId, isWhole ? run.data : undefined, trials)
  return { run, trials, trialsQuery, flaky }
}

/** Returns the flaky cases of a run by those of its reruns that are known with all trials; reads nothing itself. */
function useFlakyCases(
  projectId: string,
  run: EvalRun | undefined,
  trials: readonly EvalIteration[],
): readonly FlakyCase[] {
  const { queries, reruns } = useWorkspace()
  const queryClient = useQueryClient()
  const runs = useKnownRuns(projectId, run?.suiteId)
  return useMemo(() => {
    if (!run) return NOT_FLAKY
    const sourceOf = (each: EvalRun) => parentOf(each) ?? reruns?.parentOf(each.id)
    const others = runs.toReversed().flatMap(each => {
      if (!isTerminalRunStatus(each.status) || sourceOf(each) === undefined) return []
      const { queryKey } = queries.iterations.list.infinite({ projectId, runId: each.id, limit: TRIALS_A_PAGE })
      const { pages = [] } = queryClient.getQueryData(queryKey) ?? {}
      const known = pages.flatMap(({ items }) => items)
      const isWhole = pages.length > 0 && !pages.at(-1)?.nextCursor && !known.some(isOpenTrial)
      return isWhole ? [{ run: each, trials: known }] : []
    })
    return flakyCases({ run, trials }, others, sourceOf)
  }, [run, trials, runs, reruns, queries, queryClient, projectId])
}

const NOT_FLAKY: readonly FlakyCase[] = []

/** Number of rows left below the selected one at which the next page is fetched. */
const READ_AHEAD = 50

/** Fetches further trials: all of them if requests are unlimited, otherwise more as the person nears the end. */
export function useMoreTrials(trialsQuery: RunData['trialsQuery'], selected: number): void {
  const { budget } = useWorkspace()
  const near = selected + READ_AHEAD >= (trialsQuery.items?.length ?? 0)
  useReadAhead(trialsQuery, near || budget.snapshot().unlimited)
}
