import { useSyncExternalStore } from 'react'
import type { ServerRequest } from '../api/contract/server-requests.ts'
import { useWorkspace } from './workspace.tsx'

const NONE: readonly ServerRequest[] = []
const nobody = (): (() => void) => () => undefined

/** Returns what servers ask of the person at this screen, oldest first. */
export function useWaitingRequests(): readonly ServerRequest[] {
  const { waitingRequests } = useWorkspace()
  return useSyncExternalStore(waitingRequests?.subscribe ?? nobody, waitingRequests?.current ?? (() => NONE))
}
