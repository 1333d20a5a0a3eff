import { useEffect, useState } from 'react'

const STEP_MS = 10_000

/** The time in epoch milliseconds, renewed often enough for ages to be true while nothing else changes. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), STEP_MS)
    timer.unref()
    return () => clearInterval(timer)
  }, [])
  return now
}
