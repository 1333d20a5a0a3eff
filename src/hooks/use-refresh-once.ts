import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

/** When something that was seen live has ended, reads what is on screen under these keys once more. */
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
