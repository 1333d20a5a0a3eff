import { useQueryClient, type Query, type QueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../api/api-error.ts'

/** The data's age as the header shows it, or that the line is down. */
export type Connection = { text: string; tone: 'muted' | 'warn' | 'error' }

type Ages = { oldest: number | undefined; lost: boolean; loading: boolean }

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
    lost: active.some(query => query.state.error instanceof ApiError && isLineFault(query.state.error)),
    loading: active.some(query => query.state.fetchStatus === 'fetching' && query.state.dataUpdatedAt === 0),
  }
}

/** What never changes again, such as the trials of an ended run, cannot be too old. */
function isFinal(query: Query): boolean {
  return (
    query.observers.every(observer => observer.options.staleTime === Infinity) &&
    query.state.data !== undefined
  )
}

function isLineFault(error: ApiError): boolean {
  return error.kind === 'network' || error.kind === 'timeout'
}

function describe(state: Ages, now: number): Connection {
  if (state.lost) return { text: 'no answer', tone: 'error' }
  if (state.oldest === undefined) return { text: state.loading ? 'reading' : '', tone: 'muted' }
  const age = now - state.oldest
  const step = STEPS.findLast(limit => age >= limit)
  if (step === undefined) return { text: 'fresh', tone: 'muted' }
  return { text: `${step / 60_000}m old`, tone: step >= 120_000 ? 'warn' : 'muted' }
}

/** Age of the oldest data on screen, drawn again only when its step changes. */
export function useConnection(): Connection {
  const queryClient = useQueryClient()
  const [, tick] = useState(0)
  const store = useMemo(() => {
    let last: Connection = describe(ages(queryClient), Date.now())
    return {
      // Observers come and go while components draw, when nothing may be set; answers arrive outside of that.
      subscribe: (listener: () => void) =>
        queryClient.getQueryCache().subscribe(event => {
          if (event.type === 'updated' || event.type === 'removed') listener()
        }),
      read: () => {
        const next = describe(ages(queryClient), Date.now())
        if (next.text !== last.text || next.tone !== last.tone) last = next
        return last
      },
    }
  }, [queryClient])
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
