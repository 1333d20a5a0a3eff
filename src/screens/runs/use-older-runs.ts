import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import type { LongList } from '../../components/list/read-on.tsx'
import { useApiPages, usePagesADraw, type ReadsUntil } from '../../hooks/use-api-pages.ts'
import type { ApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { runKey } from './columns.ts'
import { RUNS_SHOWN, type useSuiteRuns } from './use-runs-data.ts'

/** How long older runs are kept that are not on screen, in milliseconds. */
const KEEP_MS = 60_000

/** All runs of a suite that were read; the latest ones are polled, older ones are read on request. */
export type SuiteRuns = ApiQuery<unknown> &
  LongList &
  ReadsUntil<EvalRun> & { items: readonly EvalRun[] | undefined }

type LatestPage = NonNullable<ReturnType<typeof useSuiteRuns>['data']>

/** First pages that were taken over from the latest runs, which are polled for themselves. */
const takenOver = new WeakSet<object>()

/** The latest runs of a suite with the older ones that were read behind them, as one list. */
export function useOlderRuns(
  projectId: string,
  suite: EvalSuite | undefined,
  latest: ReturnType<typeof useSuiteRuns>,
): SuiteRuns {
  const { queries } = useWorkspace()
  const queryClient = useQueryClient()
  const suiteId = suite?.id ?? ''
  const input = { projectId, suiteId, limit: RUNS_SHOWN }
  const { queryKey } = queries.runs.list.infinite(input)
  const options = queries.runs.list.infinite(input, {
    settled: page => takenOver.has(page) || page.items.every(run => isTerminalRunStatus(run.status)),
    together: usePagesADraw(),
    staleTime: Infinity,
    gcTime: KEEP_MS,
    enabled: isTaken(queryClient.getQueryData(queryKey)?.pages[0]),
  })
  const older = useApiPages(options, 'rest')
  const { items: read = NONE, first } = older
  const head = latest.data
  const below = useMemo(() => head && runsBelow(head.items, read, first as LatestPage), [head, read, first])
  const wanted = head?.nextCursor && (!isTaken(first) || below === undefined) ? head : undefined
  useEffect(() => {
    if (!wanted) return
    const key = queries.runs.list.infinite({ projectId, suiteId, limit: RUNS_SHOWN }).queryKey
    const stored = queryClient.setQueryData(key, { pages: [wanted], pageParams: [undefined] })
    if (stored?.pages[0]) takenOver.add(stored.pages[0])
  }, [wanted, queryClient, queries, projectId, suiteId])
  const items = useMemo(() => head && (below?.length ? [...head.items, ...below] : head.items), [head, below])
  const { isCut, isStuck, more, readAhead, readUntil } = older
  return {
    ...latest,
    problem: latest.problem ?? older.problem,
    items,
    hasMore: !!head?.nextCursor && older.hasMore,
    total: suite?.totals?.runs ?? undefined,
    isCut,
    isStuck,
    more,
    readAhead,
    readUntil,
  }
}

const NONE: readonly EvalRun[] = []

function isTaken(page: unknown): boolean {
  return page !== undefined && takenOver.has(page as object)
}

/**
 * The runs below the latest ones. Undefined where some may be missing between them, or where one was in flight when it
 * left the latest ones, which nothing reads again.
 */
function runsBelow(
  head: readonly EvalRun[],
  read: readonly EvalRun[],
  first: LatestPage | undefined,
): readonly EvalRun[] | undefined {
  const known = new Set(head.map(runKey))
  const isBelow = (run: EvalRun): boolean => !known.has(run.id)
  const below = read.filter(isBelow)
  if (read.length > 0 && below.length === read.length) return undefined
  return first?.items.some(run => isBelow(run) && !isTerminalRunStatus(run.status)) ? undefined : below
}
