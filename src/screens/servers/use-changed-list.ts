import { useQueryClient, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { LiveServer } from '../../api/contract/live-servers.ts'
import { formatCount } from '../../lib/format.ts'

type ListName = 'tools' | 'prompts' | 'resources' | 'skills'

/**
 * How often a server had started, and how many changes it had announced, when a list was last read; a tab that was
 * closed meanwhile reads the list again.
 */
const readAt = new WeakMap<QueryClient, Map<string, string>>()
const AT_FIRST = '1 0'

/**
 * Reads a list again when its server has restarted or reports a change, as often as `live` itself is read.
 * @param reads keys of the reads to repeat
 * @returns a note to show beside the list
 */
export function useChangedList(
  live: LiveServer | undefined,
  { serverId, list, reads }: { serverId: string; list: ListName; reads: readonly QueryKey[] },
): string | undefined {
  const queryClient = useQueryClient()
  // No server announces changes of its skills.
  const count = list === 'skills' ? 0 : live?.listChanges[list]
  const state = live && `${Math.max(1, live.starts)} ${count}`
  const latest = useRef(reads)
  latest.current = reads
  useEffect(() => {
    if (state === undefined) return
    const known = readAt.get(queryClient) ?? new Map<string, string>()
    readAt.set(queryClient, known)
    const key = `${serverId} ${list}`
    if (state === (known.get(key) ?? AT_FIRST)) return
    known.set(key, state)
    for (const queryKey of latest.current) void queryClient.invalidateQueries({ queryKey, exact: true })
  }, [queryClient, serverId, list, state])
  if (!count) return undefined
  return `announced ${count === 1 ? 'one change' : `${formatCount(count)} changes`}`
}
