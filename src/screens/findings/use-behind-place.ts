import { useEffect } from 'react'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import type { FindingRow } from './columns.ts'
import type { Insights } from './use-insights.ts'

export type BehindProps = {
  projectId: string
  row: FindingRow
  insights: Insights
  focused: boolean
  /** Receives a function that opens the selected row; undefined if there is nothing to open. */
  onOpen: (open: (() => void) | undefined) => void
}

/** Provides a function that opens a row, for as long as it is shown. */
export function useOpener(onOpen: BehindProps['onOpen'], open: (() => void) | undefined): void {
  useEffect(() => {
    onOpen(open)
    return () => onOpen(undefined)
  })
}

/** Parameters of a place below one finding. */
type BehindParams = { runId?: string | undefined; sessionId?: string | undefined; lastRunId?: string | undefined }

/** Returns the parameters of a place that name a finding. */
export function findingParams(row: FindingRow | undefined) {
  return { findingId: row?.id, scenarioId: row?.scenario?.id }
}

/** Whether a place names this finding. */
export function isOfFinding(params: Readonly<Record<string, string>>, row: FindingRow | undefined): boolean {
  const { findingId, scenarioId } = findingParams(row)
  return params['findingId'] === findingId && params['scenarioId'] === scenarioId
}

/** Returns the place below the finding; parameters of another finding are ignored. */
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
