import { useEffect, useState, useSyncExternalStore } from 'react'
import { gatheredPause, together } from '../lib/clock.ts'

const MINUTE_MS = 60_000

/** The time in epoch milliseconds, renewed when a minute of the clock begins: ages are shown in no finer steps. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => everyMinute(() => setNow(Date.now())), [])
  return now
}

/** What is said of the time now; only other words draw anything, as every commit draws the whole screen. */
export function useSaidNow(say: (now: number) => string): string {
  return useSyncExternalStore(everyMinute, () => say(Date.now()))
}

/**
 * Draws again when a minute of the clock begins; whoever does so shares one draw, and with it all ages on screen change
 * at once.
 */
export function useMinute(): void {
  useSyncExternalStore(everyMinute, () => Math.floor(Date.now() / MINUTE_MS))
}

/** The time in epoch milliseconds, renewed each second for as long as something runs whose time shows. */
export function useRunningNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000).unref()
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}

const onMinute = new Set<() => void>()
let minuteTimer: NodeJS.Timeout | undefined

function everyMinute(listener: () => void): () => void {
  onMinute.add(listener)
  awaitMinute()
  return () => {
    onMinute.delete(listener)
    if (onMinute.size > 0) return
    clearTimeout(minuteTimer)
    minuteTimer = undefined
  }
}

function awaitMinute(): void {
  // Where nobody is, ages are renewed with whatever else is drawn then.
  const pause = gatheredPause(MINUTE_MS - (Date.now() % MINUTE_MS))
  minuteTimer ??= setTimeout(() => together(beginMinute), pause).unref()
}

function beginMinute(): void {
  clearTimeout(minuteTimer)
  minuteTimer = undefined
  for (const listener of onMinute) listener()
  if (onMinute.size > 0) awaitMinute()
}
