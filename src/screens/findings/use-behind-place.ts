import { useEffect } from 'react'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import type { FindingRow } from './columns.ts'
import type { Insights } from './use-insights.ts'

export type BehindProps = {
  projectId: string
  row: FindingRow
  insights: Insights
  focused: boolean
  /** Tells how the chosen row is opened from outside; undefined where there is nothing to open. */
  onOpen: (open: (() => void) | undefined) => void
}

/** Opens a row from outside for as long as it is shown. */
export function useOpener(onOpen: BehindProps['onOpen'], open: (() => void) | undefined): void {
  useEffect(() => {
    onOpen(open)
    return () => onOpen(undefined)
  })
}

/** Params that lead behind one finding. */
type BehindParams = { runId?: string | undefined; sessionId?: string | undefined; lastRunId?: string | undefined }

/** Params of a place that name a finding. */
export function findingParams(row: FindingRow | undefined) {
  return { findingId: row?.id, scenarioId: row?.scenario?.id }
}

/** Whether a place names this finding. */
export function isOfFinding(params: Readonly<Record<string, string>>, row: FindingRow | undefined): boolean {
  const { findingId, scenarioId } = findingParams(row)
  return params['findingId'] === findingId && params['scenarioId'] === scenarioId
}

/** Where behind the finding the place is; what it says of another finding does not count. */
export function useBehindPlace(row: FindingRow): BehindParams & { go: (params: BehindParams) => void } {
  const router = useRouter()
  const { params } = usePlace()
  const { findingId, scenarioId } = findingParams(row)
  const { runId, sessionId, lastRunId } = isOfFinding(params, row) ? params : {}
  return {
    runId,
    sessionId,
    lastRunId,
    go: to => router.replace({ runId, sessionId, lastRunId, ...to, findingId, scenarioId }),
  }
}
