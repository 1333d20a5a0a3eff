import { useQueryClient, type Query, type QueryClient } from '@tanstack/react-query'
import ms from 'ms'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { isRestored } from '../api/cache-contents.ts'
import { systemClock } from '../api/clock.ts'
import { createLineWatch } from './line-watch.ts'

/** The data's age as the header shows it, or since when the line is down. */
export type Connection = { text: string; tone: 'muted' | 'warn' | 'error'; isDown: boolean }

type Ages = {
  oldest: number | undefined
  /** Something on screen comes from an earlier session. */
  restored: boolean
  loading: boolean
}

/** Steps in which ages are shown, in milliseconds; a clock ticks only when a step is passed. */
const STEPS = [60_000, 120_000, 300_000, 600_000, 3_600_000]

function ages(queryClient: QueryClient): Ages {
  const active = queryClient
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(query => !isFinal(query))
  const read = active.map(query => query.state.dataUpdatedAt).filter(time => time > 0)
  return {
    oldest: read.length > 0 ? Math.min(...read) : undefined,
    restored: active.some(isRestored),
    loading: active.some(query => query.state.fetchStatus === 'fetching' && query.state.dataUpdatedAt === 0),
  }
}

/** What never changes again, such as the trials of an ended run, cannot be too old. */
function isFinal(query: Query): boolean {
  return (
    query.observers.every(observer => observer.options.staleTime === Infinity) &&
    query.state.data !== undefined &&
    !isRestored(query)
  )
}

function describe(state: Ages, lostSince: number | undefined, now: number): Connection {
  if (lostSince !== undefined)
    return { text: `no answer since ${timeOf(lostSince)}`, tone: 'error', isDown: true }
  return { ...describeAge(state, now), isDown: false }
}

function describeAge(state: Ages, now: number): Omit<Connection, 'isDown'> {
  if (state.oldest === undefined) return { text: state.loading ? 'reading' : '', tone: 'muted' }
  const age = now - state.oldest
  const step = STEPS.findLast(limit => age >= limit)
  if (state.restored) return { text: step === undefined ? 'stale' : `stale, ${ms(age)} old`, tone: 'warn' }
  if (step === undefined) return { text: 'fresh', tone: 'muted' }
  return { text: `${step / 60_000}m old`, tone: step >= 120_000 ? 'warn' : 'muted' }
}

/** Hours and minutes on the person's clock. */
function timeOf(time: number): string {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes()].map(part => String(part).padStart(2, '0')).join(':')
}

/** Age of the oldest data on screen, drawn again only when its step changes; looks after a line that is down. */
export function useConnection(): Connection {
  const queryClient = useQueryClient()
  const [, tick] = useState(0)
  const watch = useMemo(() => createLineWatch(queryClient, systemClock), [queryClient])
  useEffect(() => watch.start(), [watch])
  const store = useMemo(() => {
    const current = (): Connection => describe(ages(queryClient), watch.since(), Date.now())
    let last = current()
    return {
      // Observers come and go while components draw, when nothing may be set; answers arrive outside of that.
      subscribe: (listener: () => void) =>
        queryClient.getQueryCache().subscribe(event => {
          if (event.type === 'updated' || event.type === 'removed') listener()
        }),
      read: () => {
        const next = current()
        if (next.text !== last.text || next.tone !== last.tone) last = next
        return last
      },
    }
  }, [queryClient, watch])
  const connection = useSyncExternalStore(store.subscribe, store.read)
  useEffect(() => {
    // The header is drawn before the page below it asks for anything.
    const timer = setTimeout(() => tick(count => count + 1))
    return () => clearTimeout(timer)
  }, [])
  const { oldest } = ages(queryClient)
  useEffect(() => {
    if (oldest === undefined) return undefined
    const next = STEPS.find(limit => oldest + limit > Date.now())
    if (next === undefined) return undefined
    const timer = setTimeout(() => tick(count => count + 1), oldest + next - Date.now() + 5)
    timer.unref()
    return () => clearTimeout(timer)
  }, [oldest, connection])
  return connection
}
