import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiError } from '../../../api/client/errors/api-error.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { nextCursorOf } from '../../../api/contract/shapes.ts'
import { callMatchOf, type CallMatch } from '../../../domain/calls/call-difference.ts'
import { useApiQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { TRIALS_A_PAGE } from '../use-runs-data.ts'

/** Maximum number of pages searched: the list may have merged several. */
const MOST_PAGES = 20
const FINAL = { refetchInterval: false, staleTime: Infinity } as const

type Of = { projectId: string; runId: string }

/**
 * Reads a trial with its scores and grading, which the list does not keep (see `withShownTrials`). The contract cannot
 * read a single trial, so the page that contains it is read again.
 */
export function useWholeTrial(of: Of, trial: EvalIteration, enabled: boolean): EvalIteration | undefined {
  const { client, queries } = useWorkspace()
  const queryClient = useQueryClient()
  const input = { ...of, limit: TRIALS_A_PAGE }
  const { data } = useQuery<EvalIteration | null, ApiError>({
    queryKey: ['iterations', 'one', { ...of, iterationId: trial.id }],
    queryFn: async ({ signal }) => {
      const known = queryClient.getQueryData(queries.iterations.list.infinite(input).queryKey)
      const at = known?.pages.findIndex(page => page.items.some(({ id }) => id === trial.id)) ?? -1
      let cursor = at === -1 ? undefined : (known?.pageParams[at] as string | undefined)
      for (let read = 0; read < MOST_PAGES; read += 1) {
        const page = await client.iterations.list({ ...input, ...(cursor !== undefined && { cursor }) }, { signal })
        const found = page.items.find(({ id }) => id === trial.id)
        if (found) return found
        cursor = nextCursorOf(page)
        if (cursor === undefined) break
      }
      return null
    },
    enabled,
    ...FINAL,
    gcTime: 60_000,
  })
  return data ?? undefined
}

export type CaseRules = {
  match: CallMatch
  /** Whether no tool may be called. */
  isNegative: boolean
  /** Whether both definitions were read; otherwise defaults are used. */
  isKnown: boolean
}

/** Returns what the suite and the case currently say about expected calls. The contract stores no snapshot. */
export function useCaseRules(
  projectId: string,
  suiteId: string | undefined,
  caseId: string | null | undefined,
): CaseRules {
  const { queries } = useWorkspace()
  const suite = useApiQuery({
    ...queries.suites.get.options({ projectId, suiteId: suiteId ?? '' }),
    enabled: suiteId !== undefined,
    ...FINAL,
  })
  const ofCase = useApiQuery({
    ...queries.cases.get.options({ projectId, suiteId: suiteId ?? '', caseId: caseId ?? '' }),
    enabled: suiteId !== undefined && caseId != null,
    ...FINAL,
  })
  return {
    match: callMatchOf(suite.data?.settings?.matchOptions, ofCase.data?.matchOptions),
    isNegative: ofCase.data?.isNegative === true,
    isKnown: suite.hasData && (caseId == null || ofCase.hasData),
  }
}
