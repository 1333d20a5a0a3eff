import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { outdate } from '../api/client/cache/query-client.ts'
import { useWorkspace } from './workspace.tsx'

/** Returns a function that reads everything on screen again, as an explicit request of the person. */
export function useRefresh(): () => Promise<void> {
  const queryClient = useQueryClient()
  const { client } = useWorkspace()
  return useCallback(() => {
    client.monitor.tryKeyAgain()
    return outdate(queryClient, { type: 'active' })
  }, [queryClient, client])
}

/** When something that was seen live has ended, reads the data on screen under these keys again. */
export function useRefreshOnce(ended: boolean, live: boolean, keys: readonly QueryKey[]): void {
  const queryClient = useQueryClient()
  const sawLive = useRef(false)
  useEffect(() => {
    if (live) sawLive.current = true
    if (!ended || !sawLive.current) return
    sawLive.current = false
    for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
  }, [ended, live, queryClient, keys])
}
