/** Answers in a row that said the same, after which the next ones are waited for twice as long; and once more. */
const SAME_ANSWERS = 5
/** The first doubling makes no pause longer than this, and the second one none, in milliseconds. */
const LONGEST_MS = [10_000, 4_000] as const

/** What polling remembers of a query of react-query. */
type Polled = { state: { data: unknown; dataUpdateCount: number } }

type Change = { data: unknown; answers: number }
const changes = new WeakMap<Polled, Change>()

/**
 * The pause before what is polled is read again, in milliseconds: up to four times as long while nothing changes. A
 * list of pages counts as the same as long as each of its pages is.
 */
export function backoff(query: Polled, interval: number): number {
  const { data, dataUpdateCount } = query.state
  const last = changes.get(query)
  if (last?.data !== data || last === undefined) {
    changes.set(query, { data, answers: dataUpdateCount })
    return interval
  }
  const same = dataUpdateCount - last.answers
  if (same < SAME_ANSWERS) return interval
  const once = Math.max(interval, Math.min(2 * interval, LONGEST_MS[0]))
  return same < 2 * SAME_ANSWERS ? once : Math.max(once, Math.min(4 * interval, LONGEST_MS[1]))
}
