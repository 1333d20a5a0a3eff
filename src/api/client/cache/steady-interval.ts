import type { Query, QueryClient } from '@tanstack/react-query'

type Polled = Pick<Query, 'state'>
type Interval = number | false

/** Pauses in force since the last answer, by what was wanted. */
type InForce = { answers: number; pauses: Map<number, number> }

const inForce = new WeakMap<Polled, InForce>()

/**
 * Has the next poll of everything that a client reads hang on the last answer alone. A timer of the library starts over
 * with each interval that is another, so that one which moves with the rate of requests would never end.
 */
export function pollFromLastAnswer(client: QueryClient): void {
  const usual = client.defaultQueryOptions.bind(client) as (options: object) => { refetchInterval?: unknown }
  const steady = (options: object): unknown => {
    const all = usual(options)
    const wanted = all.refetchInterval as Interval | ((query: Polled) => Interval | undefined) | undefined
    if (all === options || wanted === undefined || wanted === false) return all
    const refetchInterval = (query: Polled) => pauseOf(query, typeof wanted === 'function' ? wanted(query) : wanted)
    return { ...all, refetchInterval }
  }
  client.defaultQueryOptions = steady as QueryClient['defaultQueryOptions']
}

function pauseOf(query: Polled, wanted: Interval | undefined): Interval | undefined {
  const { fetchStatus, dataUpdatedAt, errorUpdatedAt, dataUpdateCount, errorUpdateCount } = query.state
  const answers = dataUpdateCount + errorUpdateCount
  if (!wanted || answers === 0 || fetchStatus !== 'idle') return wanted
  const last = inForce.get(query)
  if (last?.answers !== answers) {
    inForce.set(query, { answers, pauses: new Map([[wanted, wanted]]) })
    return wanted
  }
  const due = Math.max(dataUpdatedAt, errorUpdatedAt) + wanted
  const pause = last.pauses.get(wanted) ?? Math.max(1, Math.min(wanted, due - Date.now()))
  last.pauses.set(wanted, pause)
  return pause
}
