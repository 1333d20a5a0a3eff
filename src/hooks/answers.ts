import type { ApiError } from '../api/client/errors/api-error.ts'

/** The part of the library's query that polling uses. */
export type PolledQuery<T = unknown> = {
  state: {
    data: T | undefined
    error: ApiError | null
    fetchStatus: string
    dataUpdatedAt: number
    errorUpdatedAt: number
    dataUpdateCount: number
    errorUpdateCount: number
  }
  getObserversCount: () => number
}

/** For each query, the last data that differed and the number of answers at that time. */
const changes = new WeakMap<object, { data: unknown; answers: number }>()

/** Returns how many answers in a row were the same as the one before. A list of pages is the same if each page is. */
export function unchangedAnswers(query: Pick<PolledQuery, 'state'>): number {
  const { data, dataUpdateCount } = query.state
  const last = changes.get(query)
  if (last !== undefined && last.data === data) return dataUpdateCount - last.answers
  changes.set(query, { data, answers: dataUpdateCount })
  return 0
}

/** Pauses since the last answer, by the wanted pause. */
const inForce = new WeakMap<object, { answers: number; pauses: Map<number, number> }>()

/**
 * Returns the rest of a pause since the last answer, in milliseconds. The library restarts its timer whenever the
 * interval changes, so an interval that follows the rate of requests would never end.
 */
export function fromLastAnswer(query: Pick<PolledQuery, 'state'>, wanted: number | false): number | false {
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
