import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { JournalEntry } from '../api/client/journal/entry.ts'
import { isAbout, openWriteSentence } from '../api/client/read-back/open-write.ts'
import { systemClock } from '../lib/clock.ts'
import { useWorkspace } from './workspace.tsx'

const SECOND_MS = 1_000

/** The status that makes a write wait, if any, and the seconds until it is repeated; undefined while none waits. */
export function useWaitingWrite(): { status: number | undefined; seconds: number } | undefined {
  const { monitor } = useWorkspace().client
  const write = useSyncExternalStore(monitor.subscribe, monitor.waitingWrite)
  const [, tick] = useState(0)
  useEffect(() => {
    if (write === undefined) return undefined
    const timer = setInterval(() => tick(count => count + 1), SECOND_MS)
    return () => clearInterval(timer)
  }, [write])
  if (write === undefined) return undefined
  return { status: write.error.status, seconds: Math.max(1, Math.ceil((write.at - systemClock.now()) / SECOND_MS)) }
}

const KEY = ['open-writes']
/** How often the record of writes is examined for what other processes did, in milliseconds; that is not a request. */
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
    .map(entry => `${openWriteSentence(entry, now)}. Decide about it on Now.`)
}
