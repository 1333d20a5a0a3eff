import { useEffect, useState, useSyncExternalStore } from 'react'
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
  return { status: write.error.status, seconds: Math.max(1, Math.ceil((write.at - Date.now()) / SECOND_MS)) }
}
