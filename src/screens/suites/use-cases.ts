import { useMemo } from 'react'
import type { EvalCase, EvalSuite } from '../../api/contract/suites.ts'
import { nextCursorOf } from '../../api/contract/shapes.ts'
import { usePlace } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useList, type ListState } from '../../components/list/use-list.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { TRIALS_READ } from '../../domain/runs/trials.ts'
import { caseColumns, caseKey, caseRows, type CaseRow } from './case-rows.ts'

const NONE: never[] = []

export type CasesData = { query: ApiPages<EvalCase>; list: ListState<CaseRow>; chosen: CaseRow | undefined }

/** Reads the cases of a suite with their latest results, while they are shown. */
export function useCases(projectId: string, suite: EvalSuite | undefined, shown: boolean): CasesData {
  const { queries } = useWorkspace()
  const { params } = usePlace()
  const { symbols } = useTheme()
  const columns = useMemo(() => caseColumns(symbols), [symbols])
  const suiteId = suite?.id
  const query = useWholeList(
    queries.cases.list,
    { projectId, suiteId: suiteId ?? '' },
    { enabled: shown && suiteId !== undefined },
  )
  const runId = suite?.latestRun?.id
  const trials = useApiQuery({
    ...queries.iterations.list.options({ projectId, runId: runId ?? '', limit: TRIALS_READ }),
    enabled: shown && runId != null,
  })
  const items = useMemo(
    () =>
      caseRows(
        query.items ?? NONE,
        trials.data?.items ?? NONE,
        !trials.data || nextCursorOf(trials.data) === undefined,
      ),
    [query.items, trials.data],
  )
  const list = useList({
    items,
    keyOf: caseKey,
    columns,
    initialKey: params.caseId,
    of: suite?.id,
    isOpen: shown && params.pane === 'run',
  })
  return { query, list, chosen: useChosen(list) }
}
