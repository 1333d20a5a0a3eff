import { useCallback, useEffect, useMemo } from 'react'
import { isMissing } from '../../api/client/errors/api-error.ts'
import { type EvalRun, isTerminalRunStatus } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { usePlace, useRouter, useRowOfPlace } from '../../tui/router/router-context.tsx'
import { clean } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useList, type ListState } from '../../components/list/use-list.ts'
import { useToasts } from '../../components/toasts.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useSeen } from '../../hooks/use-seen.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { runColumns, runKey, runWidths } from './columns.ts'
import { usePins } from './follow/use-followed.ts'
import { suiteColumns, suiteKey, suiteWidths } from './suite-columns.ts'
import { useCoverageReads, useJudge } from './use-judge.ts'
import { useOlderRuns, type SuiteRuns } from './use-older-runs.ts'
import { useSuiteRuns } from './use-runs-data.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'

const NONE: never[] = []

export type RunsLists = {
  suites: ApiPages<EvalSuite>
  suiteList: ListState<EvalSuite>
  suite: EvalSuite | undefined
  runs: SuiteRuns
  runList: ListState<EvalRun>
  run: EvalRun | undefined
}

/** Returns the suites of a project, the runs of the selected one, and the selected run. */
export function useLists(projectId: string): RunsLists {
  const { queries } = useWorkspace()
  const { params } = usePlace()
  const { symbols } = useTheme()
  const { judge, learnt } = useJudge(projectId)
  const pins = usePins()
  const suites = useWholeList(queries.suites.list, { projectId })
  const forSuites = useMemo(
    () => suiteColumns(symbols, judge, suiteWidths(suites.items ?? NONE, judge)),
    [symbols, judge, suites.items],
  )
  const suiteNews = useSeen({
    list: `suites ${projectId}`,
    // With only part of the list, later suites would be marked as new.
    items: suites.restored || suites.hasMore ? undefined : suites.items,
    keyOf: suiteKey,
    says: suiteFingerprint,
  })
  const suiteList = useList({
    news: suiteNews,
    items: suites.items ?? NONE,
    keyOf: suiteKey,
    columns: forSuites,
    initialKey: params.suiteId,
    isOpen: params.pane === 'runs' || params.pane === 'run',
  })
  const suite = useChosen(suiteList)
  const latest = useSuiteRuns(projectId, suite?.id, params.runId)
  useCoverageReads(projectId, suite, latest.data, learnt)
  const runs = useOlderRuns(projectId, suite, latest)
  const runNews = useSeen({
    list: suite && `runs ${suite.id}`,
    items: latest.restored ? undefined : latest.data?.items,
    keyOf: runKey,
    says: runFingerprint,
    bornAt: runBornAt,
  })
  const { hasParts, state } = useMemo(() => runWidths(runs.items ?? NONE), [runs.items])
  const forRuns = useMemo(
    () => runColumns(symbols, new Set(pins.map(({ runId }) => runId)), { hasParts, state }),
    [symbols, pins, hasParts, state],
  )
  const runList = useList({
    news: runNews,
    items: runs.items ?? NONE,
    keyOf: runKey,
    columns: forRuns,
    initialKey: params.runId,
    of: suite?.id,
    isOpen: params.pane === 'run',
  })
  const run = useChosen(runList)
  useSuiteOfRun(projectId, suiteList)
  useRowOfPlace(suiteList.selection, params.suiteId)
  useRowOfPlace(runList.selection, params.runId)
  return { suites, suiteList, suite, runs, runList, run }
}

/**
 * Finds the suite of an address that names only the run, so that the lists are at the right rows, or says that there is
 * no such run.
 */
function useSuiteOfRun(projectId: string, suiteList: ListState<EvalSuite>): void {
  const { queries } = useWorkspace()
  const router = useRouter()
  const { params } = usePlace()
  const unknown = params.runId !== undefined && params.suiteId === undefined
  const run = useApiQuery({ ...queries.runs.get.options({ projectId, runId: params.runId ?? '' }), enabled: unknown })
  const suiteId = run.data?.suiteId
  const { selection } = suiteList
  const select = useCallback((id: string) => selection.select(id), [selection])
  useEffect(() => {
    if (!unknown || !suiteId) return
    select(suiteId)
    router.replace({ suiteId })
  }, [unknown, suiteId, select, router])
  const toasts = useToasts()
  const gone = unknown && isMissing(run.error) ? params.runId : undefined
  useEffect(() => {
    if (gone === undefined) return
    toasts.show('warn', `There is no run ${clean(gone)} in this project, or not for this key.`)
    router.replace({ runId: undefined })
  }, [gone, router, toasts])
}

/** Returns what counts as a change of a suite: its name, its number of runs, and state and counts of the latest. */
function suiteFingerprint(suite: EvalSuite): string {
  const { status, passed, failed } = suite.latestRun ?? {}
  return [suite.name, suite.totals?.runs, status, passed, failed].join('\n')
}

/** Returns what counts as a change of a run: its end, and then its verdict and notes, but not its progress. */
function runFingerprint(run: EvalRun): string {
  return isTerminalRunStatus(run.status) ? `${run.status}\n${run.result}\n${run.notes}` : 'in flight'
}

/** Runs have a date, because only the latest runs of a suite are read. */
function runBornAt(run: EvalRun): number | undefined {
  return toEpochMs(run.createdAt)
}
