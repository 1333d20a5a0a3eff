import { useMemo } from 'react'
import type { EvalRunCompare } from '../../../api/contract/run-comparison.ts'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import type { ComparedTrial } from '../../../domain/runs/changes.ts'
import { groupedCases, parentOf, type GroupedCase } from '../../../domain/runs/comparison-groups.ts'
import { usePlace } from '../../../tui/router/router-context.tsx'
import { useApiQuery, type ApiQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'

/** The base in a place's params that leaves the choice to the service. */
export const SERVICE_CHOICE = 'previous'

/** Two runs that have ended say the same for ever. */
const FINAL = { refetchInterval: false, staleTime: Infinity } as const

export type Comparison = {
  query: ApiQuery<EvalRunCompare>
  cases: readonly GroupedCase[]
  /** Undefined where the service chooses. */
  baseRunId: string | undefined
  /** The run that this one repeats, where it is known. */
  parentId: string | undefined
}

/** The run against its base: the one chosen here, else the one that it repeats, else the service's choice. */
export function useComparison(
  projectId: string,
  run: EvalRun | undefined,
  trials: readonly ComparedTrial[],
): Comparison {
  const { queries, reruns } = useWorkspace()
  const { params } = usePlace()
  const parentId = run && (parentOf(run) ?? reruns?.parentOf(run.id))
  // A base belongs to the run that it was chosen for; the list beside moves without a change of place.
  const chosen = (params['runId'] === run?.id ? params['base'] : undefined) ?? parentId
  const baseRunId = chosen === SERVICE_CHOICE || chosen === run?.id ? undefined : chosen
  const input = { projectId, runId: run?.id ?? '', ...(baseRunId !== undefined && { baseRunId }) }
  const query = useApiQuery({
    ...queries.runs.compare.options(input),
    ...FINAL,
    enabled: run !== undefined && isTerminalRunStatus(run.status),
  })
  const { data } = query
  const cases = useMemo(() => (data ? groupedCases(data, trials) : []), [data, trials])
  return { query, cases, baseRunId, parentId }
}
