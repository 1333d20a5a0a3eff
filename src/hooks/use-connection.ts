import { greatest } from '../lib/extremes.ts'
import { localMoment } from '../lib/times.ts'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import ms from 'ms'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { connectionFault, type ConnectionFault } from '../api/client/errors/api-error.ts'
import { systemClock, gatheredPause, together, wallTime } from '../lib/clock.ts'
import type { ServiceMonitor } from '../api/client/transport/service-monitor.ts'
import { clockSkew, SKEW_MS } from '../api/client/transport/service-time.ts'
import { createConnectionWatch, type ConnectionOutage } from './connection-watch.ts'
import { type Ages, createReadsOnScreen } from './reads-on-screen.ts'
import { useWorkspace } from './workspace.tsx'

/** The data's age as the header shows it, or why there is no response. */
export type Connection = {
  text: string
  tone: 'muted' | 'warn' | 'error'
  /** Why the service cannot be reached; undefined while it can. */
  fault: ConnectionFault | undefined
}

/** Ages at which the shown age changes, in milliseconds; a clock ticks only then. */
const STEPS = [60_000, 120_000, 300_000, 600_000, 3_600_000]
/**
 * Delay in milliseconds before a step is shown: data that is read every minute does not count as old while its next
 * answer is in flight.
 */
const LATE_MS = 5_000

/** Returns when anything was last read, on screen or not. */
function latestRead(queryClient: QueryClient): number | undefined {
  const times = queryClient
    .getQueryCache()
    .getAll()
    .map(({ state }) => state.dataUpdatedAt)
  return Math.max(0, greatest(times)) || undefined
}

/** The text of the header, with the epoch milliseconds at which it changes by itself. */
type Said = Connection & { until?: number | undefined }

type Facts = {
  ages: Ages
  latestRead: () => number | undefined
  fault: ConnectionOutage | undefined
  monitor: ServiceMonitor
  /** Whether requests wait for the budget. */
  waiting: boolean
  /** Whether nobody was present for so long that polling pauses. */
  isResting: boolean
  /** Until when the service first said that it cannot answer, if it has not answered since; epoch milliseconds. */
  promised: number | undefined
  now: number
  isNarrow: boolean
}

function describe(facts: Facts): Said {
  const said = withLine(describeState(facts), facts.monitor.slowLine(), facts.isNarrow)
  const skew = clockSkew()
  if (Math.abs(skew) < SKEW_MS) return said
  const clock = `clock ${ms(Math.abs(skew))} ${skew > 0 ? 'ahead' : 'behind'}`
  return {
    ...said,
    text: [said.text, clock].filter(Boolean).join(', '),
    tone: said.tone === 'muted' ? 'warn' : said.tone,
  }
}

function describeState({ ages, latestRead, fault, monitor, waiting, isResting, promised, now }: Facts): Said {
  const lastAnswerAt = () => monitor.lastAnswerAt() ?? latestRead()
  if (fault) return describeFault(fault.kind, { ...fault, promised }, lastAnswerAt(), now)
  const repeat = monitor.repeat()
  // A later answer to another request shows that the connection works.
  if (repeat && (monitor.lastAnswerAt() ?? 0) <= repeat.since && connectionFault(repeat.error) === 'unavailable')
    return describeFault('unavailable', { error: repeat.error, until: repeat.at, promised }, lastAnswerAt(), now)
  const silentSince = monitor.silentSince()
  if (silentSince !== undefined) {
    const seconds = Math.floor((now - wallTime(silentSince)) / 5_000) * 5
    return { text: `no answer for ${Math.max(5, seconds)}s`, tone: 'warn', fault: undefined }
  }
  const said = describeAge(ages, waiting, now)
  const text =
    isResting && !ages.planned ? [said.text, 'polling paused until a key'].filter(Boolean).join(', ') : said.text
  return { ...said, text, fault: undefined }
}

function withLine(said: Said, slow: number | undefined, isNarrow: boolean): Said {
  if (slow === undefined || said.fault !== undefined) return said
  const line = `slow line, ${Math.max(1, Math.round(slow / 1024))} KB/s${isNarrow ? '' : ': smaller pages'}`
  return { ...said, text: said.text === 'fresh' ? line : [said.text, line].filter(Boolean).join(', '), tone: 'warn' }
}

/** Milliseconds by which a service must postpone the end that it first announced before the new end is shown. */
const FURTHER_MS = 60_000
/** Milliseconds for which requests count as waiting for the budget after one did, so that the text does not flicker. */
const WAITING_MS = 5_000

const FAULT_WORDS: Readonly<Record<Exclude<ConnectionFault, 'silent' | 'unavailable'>, string>> = {
  'key-refused': 'key refused',
  redirected: 'redirected',
  'web-page': 'web page, not the service',
}

function describeFault(
  kind: ConnectionFault,
  { error, until, promised }: Pick<ConnectionOutage, 'error' | 'until'> & Pick<Facts, 'promised'>,
  lastAnswerAt: number | undefined,
  now: number,
): Said {
  const since = lastAnswerAt === undefined ? 'yet' : `since ${localMoment(lastAnswerAt, now)}`
  if (kind === 'silent') return { text: `no answer ${since}`, tone: 'error', fault: kind }
  if (kind !== 'unavailable') return { text: FAULT_WORDS[kind], tone: 'error', fault: kind }
  const status = error?.status ?? 503
  const named = until === undefined ? 0 : wallTime(until)
  // An end that moves with every refusal is shown as it was first announced, unless it has moved far.
  const end = promised !== undefined && named - promised < FURTHER_MS ? promised : named
  if (end > now)
    return { text: `${status} until ${localMoment(end, now, 'seconds')}`, tone: 'error', fault: kind, until: end }
  return { text: `${status}, no answer ${since}`, tone: 'error', fault: kind }
}

function describeAge(state: Ages, waiting: boolean, now: number): Omit<Said, 'fault'> {
  const queue = 'waiting for the budget'
  if (state.oldest === undefined) return { text: state.loading ? (waiting ? queue : 'reading') : '', tone: 'muted' }
  const age = now - state.oldest
  const step = STEPS.findLast(limit => age >= limit + LATE_MS)
  if (state.restored) return { text: step === undefined ? 'stale' : `stale, ${ms(age)} old`, tone: 'warn' }
  const until = state.oldest + LATE_MS + (STEPS.find(limit => age < limit + LATE_MS) ?? Infinity)
  if (step === undefined) return { text: 'fresh', tone: 'muted', until }
  const old = `${step / 60_000}m old`
  return { text: waiting ? `${old}, ${queue}` : old, tone: step >= 120_000 ? 'warn' : 'muted', until }
}

/**
 * Returns the age of the oldest data on screen or why there is no response; renders again only when that changes, and
 * watches for a lost connection.
 * @param isNarrow returns only the most important text
 */
export function useConnection(isNarrow = false): Connection {
  const queryClient = useQueryClient()
  const { client, budget, pace } = useWorkspace()
  const watch = useMemo(() => {
    const looks = budget.snapshot().unlimited ? undefined : () => !pace?.isResting?.()
    return createConnectionWatch(queryClient, systemClock, looks)
  }, [queryClient, budget, pace])
  useEffect(() => watch.start(), [watch])
  const store = useMemo(() => {
    const { monitor } = client
    const cache = queryClient.getQueryCache()
    let reads = createReadsOnScreen(cache)
    let promised: { until: number; at: number } | undefined
    let waitedAt = -Infinity
    const current = (): Said => {
      const { unlimited, waiting } = budget.snapshot()
      const now = Date.now()
      if (!unlimited && waiting > 0) waitedAt = now
      if (promised && (monitor.lastAnswerAt() ?? 0) > promised.at) promised = undefined
      const said = describe({
        ages: reads.ages(),
        latestRead: () => latestRead(queryClient),
        fault: watch.fault(),
        monitor,
        waiting: now - waitedAt < WAITING_MS,
        isResting: pace?.isResting?.() ?? false,
        promised: promised?.until,
        now,
        isNarrow,
      })
      if (said.fault === 'unavailable' && said.until !== undefined)
        promised = { until: said.until, at: promised?.at ?? now }
      const waitingEnd = waitedAt + WAITING_MS
      return waitingEnd > now ? { ...said, until: Math.min(said.until ?? Infinity, waitingEnd) } : said
    }
    let last = current()
    let until = last.until
    return {
      // Observers are added and removed during renders, when no state may be set; answers arrive outside of that.
      subscribe(listener: () => void) {
        const alarm = createAlarm(() => look())
        const look = (): void => {
          listener()
          alarm.by(until)
        }
        reads = createReadsOnScreen(cache)
        const ends = [
          cache.subscribe(event => {
            if (reads.take(event) && (event.type === 'updated' || event.type === 'removed')) look()
          }),
          monitor.subscribe(look),
          pace?.subscribe(look),
          budget.snapshot().unlimited ? undefined : budget.subscribe(look),
          alarm.stop,
        ]
        // The header renders before the page below it requests anything.
        alarm.by(Date.now())
        return () => ends.forEach(end => end?.())
      },
      read: () => {
        const next = current()
        until = next.until
        if (next.text !== last.text || next.tone !== last.tone || next.fault !== last.fault) last = next
        return last
      },
    }
  }, [queryClient, watch, client, budget, pace, isNarrow])
  return useSyncExternalStore(store.subscribe, store.read)
}

/** Fires once, at the earliest time that was set since it last fired, in epoch milliseconds. */
function createAlarm(ring: () => void) {
  let timer: NodeJS.Timeout | undefined
  let due = Infinity
  const stop = (): void => {
    clearTimeout(timer)
    due = Infinity
  }
  const begin = (): void => {
    if (due === Infinity) return
    due = Infinity
    ring()
  }
  return {
    by(time = Infinity) {
      if (time >= due) return
      stop()
      due = time
      timer = setTimeout(() => together(begin), gatheredPause(Math.max(0, time - Date.now()) + 5)).unref()
    },
    stop,
  }
}
