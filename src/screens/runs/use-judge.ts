import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { statesItsRuns, suiteStateOf, type SuiteState } from '../../domain/runs/suite-state.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { TRIALS_READ } from '../../domain/runs/trials.ts'
import { RUNS_SHOWN } from './use-runs-data.ts'

/**
 * Judges suites by what is known of their runs; call `learnt` after more about the runs of a suite was read. If a
 * suite's own record contains its runs, nothing else is used.
 */
export function useJudge(projectId: string): { judge: (suite: EvalSuite) => SuiteState; learnt: () => void } {
  const { queries, reruns } = useWorkspace()
  const queryClient = useQueryClient()
  // The cache's content changes with every read, its identity never.
  const [cache, setCache] = useState({ queryClient })
  const judge = useMemo(() => {
    const known = (suite: EvalSuite): SuiteState => {
      if (statesItsRuns(suite)) return suiteStateOf({ suite })
      const input = { projectId, suiteId: suite.id }
      const runs = cache.queryClient.getQueryData(queries.runs.list.options({ ...input, limit: RUNS_SHOWN }).queryKey)
      const cases = cache.queryClient.getQueryData(queries.cases.list.infinite(input).queryKey)?.pages
      return suiteStateOf({
        suite,
        runs: runs?.items,
        factsOf(runId) {
          const ofRun = queries.iterations.list.options({ projectId, runId, limit: TRIALS_READ })
          const trials = cache.queryClient.getQueryData(ofRun.queryKey)
          return {
            caseCount: cases?.at(-1)?.nextCursor ? undefined : cases?.reduce((sum, { items }) => sum + items.length, 0),
            trials: trials?.nextCursor ? undefined : trials?.items,
            isRerun: reruns?.parentOf(runId) !== undefined,
          }
        },
      })
    }
    return known
  }, [projectId, queries, reruns, cache])
  return { judge, learnt: useCallback(() => setCache({ queryClient }), [queryClient]) }
}

/**
 * Reads what the selected suite's last run covered, if its service does not report it; `learnt` is called with each
 * answer.
 */
export function useCoverageReads(projectId: string, suite: EvalSuite | undefined, runs: unknown, learnt: () => void) {
  const { queries } = useWorkspace()
  const isUnstated = suite !== undefined && !statesItsRuns(suite)
  const runId = suite?.latestRun?.id ?? ''
  const hasEnded = isTerminalRunStatus(suite?.latestRun?.status ?? '')
  const cases = useWholeList(
    queries.cases.list,
    { projectId, suiteId: suite?.id ?? '' },
    { enabled: isUnstated && runId !== '' },
  )
  const trials = useApiQuery({
    ...queries.iterations.list.options({ projectId, runId, limit: TRIALS_READ }),
    enabled: isUnstated && runId !== '' && hasEnded,
  })
  useEffect(() => {
    if (isUnstated) learnt()
  }, [isUnstated, runs, cases.items, trials.data, learnt])
}
