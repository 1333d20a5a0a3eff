import { useEffect, useState, useSyncExternalStore } from 'react'
import { gatheredPause, together } from '../lib/clock.ts'

const MINUTE_MS = 60_000

/**
 * Returns the time in epoch milliseconds, updated when a minute of the clock begins: ages are not shown more precisely.
 */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => everyMinute(() => setNow(Date.now())), [])
  return now
}

/**
 * Returns a text about the current time; renders only when the text changes, since every commit draws the whole screen.
 */
export function useSaidNow(say: (now: number) => string): string {
  return useSyncExternalStore(everyMinute, () => say(Date.now()))
}

/**
 * Renders again when a minute of the clock begins; all users share one render, so that all ages on screen change at
 * once.
 */
export function useMinute(): void {
  useSyncExternalStore(everyMinute, () => Math.floor(Date.now() / MINUTE_MS))
}

/** Returns the time in epoch milliseconds, updated each second while something with a visible duration runs. */
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
  // While nobody is present, ages are updated together with whatever else is rendered.
  const pause = gatheredPause(MINUTE_MS - (Date.now() % MINUTE_MS))
  minuteTimer ??= setTimeout(() => together(beginMinute), pause).unref()
}

function beginMinute(): void {
  clearTimeout(minuteTimer)
  minuteTimer = undefined
  for (const listener of onMinute) listener()
  if (onMinute.size > 0) awaitMinute()
}
