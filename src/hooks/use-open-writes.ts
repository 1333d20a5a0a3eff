import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { JournalEntry } from '../api/journal/entry.ts'
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
