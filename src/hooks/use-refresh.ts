import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useWorkspace } from './workspace.tsx'

/** Reads again everything that is on screen, as something the person just asked for. */
export function useRefresh(): () => Promise<void> {
  const queryClient = useQueryClient()
  const { client } = useWorkspace()
  return useCallback(() => {
    client.monitor.tryKeyAgain()
    return queryClient.refetchQueries({ type: 'active' })
  }, [queryClient, client])
}
