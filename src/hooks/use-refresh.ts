import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'

/** Reads again everything that is on screen, as something the person just asked for. */
export function useRefresh(): () => Promise<void> {
  const queryClient = useQueryClient()
  return useCallback(() => queryClient.refetchQueries({ type: 'active' }), [queryClient])
}
