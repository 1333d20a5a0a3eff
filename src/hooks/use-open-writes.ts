import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { JournalEntry } from '../api/client/journal/entry.ts'
import { isAbout, openWriteSentence } from '../api/client/read-back/open-write.ts'
import { systemClock } from '../lib/clock.ts'
import { useWorkspace } from './workspace.tsx'

const SECOND_MS = 1_000

/**
 * Returns the status that makes a write wait, if any, and the seconds until it is repeated; undefined while none waits.
 */
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
/** Milliseconds between checks of the journal for the writes of other processes; a check is no request. */
const LOOK_MS = 10_000

/**
 * Returns the writes with an unknown outcome, of earlier sessions, of this one, and of other processes that have ended.
 */
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
    // A check that finds nothing new causes no render.
    notifyOnChangeProps: ['data', 'error'],
  })
}

/** The subject of an open write: ids in its path or body, and its operations if not all are meant. */
type WriteScope = { ids: Readonly<Record<string, string>>; operations?: readonly string[] }

/** Returns a sentence for each open write about one of these subjects, with what was read back. */
export function useOpenWriteNotices(...scopes: readonly WriteScope[]): string[] {
  const { data = [] } = useOpenWrites()
  const now = Date.now()
  return data
    .filter(entry =>
      scopes.some(({ ids, operations }) => isAbout(entry, ids) && (operations?.includes(entry.operation) ?? true)),
    )
    .map(entry => `${openWriteSentence(entry, now)}. Decide about it on Now.`)
}
