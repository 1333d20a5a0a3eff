import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import { yieldToInput } from '../../lib/yield-to-input.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { usePoller } from '../../hooks/use-cadence.ts'
import { isLocalOnly } from './use-live-server.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { countColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import type { Column } from '../../components/list/columns.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { IMPOSSIBLE_TIME, localInstant } from '../../lib/times.ts'

type Entry = { id: string; at: number | string }
type Page<Item> = {
  items: readonly Item[]
  nextCursor?: string | null | undefined
  latest: string
  keptFrom: string
  dropped: boolean
}
type Recorded<Item> = Pick<Page<Item>, 'items' | 'latest' | 'dropped'>

/** Maximum number of pages per poll; if a server sends faster, the next poll continues. */
const PAGES_A_POLL = 20

/**
 * Reads what is recorded of a server, continuing where the last poll ended; it is not polled while paused.
 * @param resource the contract's resource, whose writes make it stale
 */
export function useRecorded<Item extends Entry>(
  [resource, serverId]: readonly [resource: string, serverId: string],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
): ApiPages<Item> {
  const queryClient = useQueryClient()
  const isPaused = usePaused()
  usePoller(!isPaused)
  const queryKey = [resource, 'list', { serverId }, 'recorded'] as const
  const recorded = queryOptions<Recorded<Item>, ApiError, Recorded<Item>, typeof queryKey>({
    queryKey,
    // Only new entries are read: comparing all of them would cost more.
    structuralSharing: false,
    async queryFn({ signal }) {
      const before = queryClient.getQueryData<Recorded<Item>>(queryKey)
      let page = await read(before?.latest, signal)
      const added = [...page.items]
      for (let pages = 1; page.nextCursor && pages < PAGES_A_POLL; pages += 1) {
        await yieldToInput()
        page = await read(page.nextCursor, signal)
        for (const item of page.items) added.push(item)
      }
      const from = Number(page.keptFrom)
      const isWhole = before?.items[0] === undefined || Number(before.items[0].id) >= from
      if (before && added.length === 0 && isWhole && before.dropped === page.dropped) return before
      const items = [...(before?.items ?? []), ...added].filter(({ id }) => Number(id) >= from)
      return { items, latest: page.latest, dropped: page.dropped }
    },
  })
  const query = useApiQuery(recorded, ({ state: { error } }) => {
    return !isPaused && !isLocalOnly(error) && { kind: 'live', requests: 1, steady: true }
  })
  return useMemo(
    () => ({
      ...query,
      items: query.data?.items,
      first: query.data,
      hasMore: false,
      isCut: false,
      isStuck: false,
      more: () => undefined,
      readAhead: () => undefined,
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the query is another object with each draw
    [query.data, query.error, query.pending],
  )
}

/** Whether the list is paused; stored in the place, so that it applies to both tabs. */
export function usePaused(): boolean {
  return usePlace().params['paused'] === 'yes'
}

/** Returns the key handlers of such a list, except those that enter and leave. */
export function useRecordedActions(clear: () => Promise<unknown>) {
  const router = useRouter()
  const isPaused = usePaused()
  return {
    pause: () => router.replace({ paused: isPaused ? undefined : 'yes' }),
    clear: async () => void (await clear()),
  }
}

/** Returns the exact time of an entry. */
export function instantOf(at: number | string): string {
  const ms = toEpochMs(at)
  return ms === undefined ? IMPOSSIBLE_TIME : localInstant(ms)
}

export function timeColumn<Row>(entryOf: (row: Row) => Entry): Column<Row> {
  return noteColumn('Time', 12, row => instantOf(entryOf(row).at), { sort: row => Number(entryOf(row).id) })
}

export function bytesColumn<Row>(sizeOf: (row: Row) => number): Column<Row> {
  return countColumn('Bytes', 9, sizeOf, { from: 48 })
}
