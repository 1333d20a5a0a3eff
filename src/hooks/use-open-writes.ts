import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { JournalEntry } from '../api/client/journal/entry.ts'
import { isAbout, openWriteOf, stateOf } from '../api/client/journal/open-write.ts'
import { titleOf } from '../api/client/journal/labels.ts'
import { useWorkspace } from './workspace.tsx'

const KEY = ['open-writes']
/** How often the record of writes is looked at for what other processes did, in milliseconds; that is no request. */
const LOOK_MS = 10_000

/** The writes without a known end, of earlier sessions, of this one, and of other processes that are gone. */
export function useOpenWrites() {
  const { journal } = useWorkspace()
  const queryClient = useQueryClient()
  useEffect(
    () => journal?.subscribe(() => void queryClient.invalidateQueries({ queryKey: KEY })),
    [journal, queryClient],
  )
  return useQuery<readonly JournalEntry[]>({
    queryKey: KEY,
    queryFn: async () => (await journal?.unresolved()) ?? [],
    refetchInterval: LOOK_MS,
    enabled: journal !== undefined,
    // Looking without finding anything new draws nothing.
    notifyOnChangeProps: ['data', 'error'],
  })
}

/** What an open write is about: ids on its path or in its body, and its operations where not all are meant. */
type WriteScope = { ids: Readonly<Record<string, string>>; operations?: readonly string[] }

/** A sentence for each open write that is about one of these things, with what was read back. */
export function useOpenWriteNotices(...scopes: readonly WriteScope[]): string[] {
  const { data = [] } = useOpenWrites()
  const now = Date.now()
  return data
    .filter(entry =>
      scopes.some(({ ids, operations }) => isAbout(entry, ids) && (operations?.includes(entry.operation) ?? true)),
    )
    .map(entry => `${titleOf(entry, now)} ${stateOf(openWriteOf(entry, now))}. Decide about it on Now.`)
}
