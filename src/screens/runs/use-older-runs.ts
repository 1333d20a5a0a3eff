import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import type { LongList } from '../../components/list/read-on.tsx'
import { useApiPages, usePagesADraw, type ReadsUntil } from '../../hooks/use-api-pages.ts'
import type { ApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { createPartSharing } from '../../lib/shared-parts.ts'
import { runKey } from './columns.ts'
import { RUNS_SHOWN, type useSuiteRuns } from './use-runs-data.ts'

/** Why a service does not list older runs, as the client reports it. */
const LOCAL_ONLY = 'local-only'
/** How long older runs are kept after they leave the screen, in milliseconds. */
const KEEP_MS = 60_000

/** All runs of a suite that were read; the latest are polled, older ones are read on request. */
export type SuiteRuns = ApiQuery<unknown> &
  LongList &
  ReadsUntil<EvalRun> & {
    items: readonly EvalRun[] | undefined
    /** Whether the service cannot list older runs. */
    isLatestOnly: boolean
  }

type Page = { items: readonly EvalRun[] }

/** First pages taken from the latest runs, which are polled separately. */
const takenOver = new WeakSet<object>()

/** Returns the latest runs of a suite and the older ones that were read, as one list. */
export function useOlderRuns(
  projectId: string,
  suite: EvalSuite | undefined,
  latest: ReturnType<typeof useSuiteRuns>,
): SuiteRuns {
  const { queries } = useWorkspace()
  const queryClient = useQueryClient()
  const suiteId = suite?.id ?? ''
  const input = { projectId, suiteId, limit: RUNS_SHOWN }
  const { queryKey } = queries.runs.older.infinite(input)
  const options = queries.runs.older.infinite(input, {
    settled: page => takenOver.has(page) || page.items.every(run => isTerminalRunStatus(run.status)),
    project: page => ({ ...page, items: page.items.map(shareParts) }),
    pagesPerDraw: usePagesADraw(),
    staleTime: Infinity,
    gcTime: KEEP_MS,
    enabled: isTaken(queryClient.getQueryData(queryKey)?.pages[0]),
  })
  const older = useApiPages(options, { kind: 'shown' })
  const { items: read = NONE, first } = older
  const head = latest.data?.items
  const isFull = head !== undefined && head.length >= RUNS_SHOWN
  const below = useMemo(() => head && runsBelow(head, read, first as Page), [head, read, first])
  const wanted = isFull && (!isTaken(first) || below === undefined) ? head : undefined
  useEffect(() => {
    if (!wanted) return
    const key = queries.runs.older.infinite({ projectId, suiteId, limit: RUNS_SHOWN }).queryKey
    const page = { items: [...wanted], nextCursor: wanted.at(-1)!.id }
    const stored = queryClient.setQueryData(key, { pages: [page], pageParams: [undefined] })
    if (stored?.pages[0]) takenOver.add(stored.pages[0])
  }, [wanted, queryClient, queries, projectId, suiteId])
  const items = useMemo(() => head && (below?.length ? [...head, ...below] : head), [head, below])
  const { isCut, isStuck, more, readAhead, readUntil } = older
  const isLatestOnly = older.error?.code === LOCAL_ONLY
  return {
    ...latest,
    problem: latest.problem ?? (isLatestOnly ? undefined : older.problem),
    items,
    isLatestOnly,
    hasMore: isFull && older.hasMore && !isLatestOnly,
    total: suite?.totals?.runs ?? undefined,
    isCut,
    isStuck,
    more,
    readAhead,
    async readUntil(isThere, signal) {
      try {
        return await readUntil(isThere, signal)
      } catch (error) {
        if (error instanceof ApiError && error.code === LOCAL_ONLY) return items ?? NONE
        throw error
      }
    },
  }
}

const NONE: readonly EvalRun[] = []

/** Runs of a suite differ mainly in their times. */
const shareParts = createPartSharing()

function isTaken(page: unknown): boolean {
  return page !== undefined && takenOver.has(page as object)
}

/**
 * Returns the runs below the latest ones. Undefined if some may be missing in between, or if a run was still in flight
 * when it left the latest ones, since it is never read again.
 */
function runsBelow(
  head: readonly EvalRun[],
  read: readonly EvalRun[],
  first: Page | undefined,
): readonly EvalRun[] | undefined {
  const known = new Set(head.map(runKey))
  const isBelow = (run: EvalRun): boolean => !known.has(run.id)
  const below = read.filter(isBelow)
  if (read.length > 0 && below.length === read.length) return undefined
  return first?.items.some(run => isBelow(run) && !isTerminalRunStatus(run.status)) ? undefined : below
}
