import type { Query, QueryCacheNotifyEvent, QueryClient } from '@tanstack/react-query'
import { ApiError, connectionFault, type ConnectionFault } from '../api/client/errors/api-error.ts'
import { isOfService, isPlainRead } from '../api/client/cache/cache-contents.ts'
import { outdate } from '../api/client/cache/query-client.ts'
import type { Clock } from '../lib/clock.ts'

/** Why the service cannot be reached, and since when. */
export type ConnectionOutage = {
  kind: ConnectionFault
  /** In the clock's milliseconds. */
  since: number
  /** The error of the last read that got no answer, if nothing was answered since. */
  error: ApiError | undefined
  /** When the service asks to be read again, in the clock's milliseconds. */
  until: number | undefined
}

/** Knows since when the service does not answer, and notices when it does again. */
export type ConnectionWatch = {
  /** When the connection was lost, in the clock's milliseconds; undefined while it is up. */
  since: () => number | undefined
  /** The reason, and until when it holds; the same object until that changes. */
  fault: () => ConnectionOutage | undefined
  /** Watches until the returned function is called. */
  start: () => () => void
}

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 15_000
const GROWTH = 1.5
/** Milliseconds without any answer after which a read that failed before the last answer counts again. */
const UNANSWERED_MS = 15_000

/** Milliseconds without an answer or failure after which one read on screen is repeated. */
const QUIET_MS = 30_000

/** The turns of reads that failed before watching started. */
const BEFORE = { first: Infinity, last: Infinity }

const recoveries = new WeakMap<QueryClient, number>()
const lostOnes = new WeakSet<QueryClient>()

/** Returns when the service last answered again after a lost connection, in epoch milliseconds; 0 if it never did. */
export function recoveredAt(queryClient: QueryClient): number {
  return recoveries.get(queryClient) ?? 0
}

/** Whether the connection is lost: one read is repeated until the service answers. */
export function isConnectionLost(queryClient: QueryClient): boolean {
  return lostOnes.has(queryClient)
}

/**
 * Repeats one read on screen after a request that a person waited for got no answer, so that a watch notices a lost
 * connection before the next poll.
 */
export function doubtConnection(queryClient: QueryClient): void {
  const query = onScreen(queryClient)
  if (query && !isConnectionLost(queryClient)) void repeat(queryClient, query)
}

function onScreen(queryClient: QueryClient): Query | undefined {
  return queryClient.getQueryCache().findAll({ type: 'active', predicate: isPlainRead })[0]
}

function repeat(queryClient: QueryClient, query: Query): Promise<void> {
  return queryClient.refetchQueries({ predicate: candidate => candidate === query }, { cancelRefetch: false })
}

/**
 * While reads on screen fail because the service does not answer, repeats one of them at growing intervals. Any answer
 * ends that, and then everything that failed on screen is read again. Until then the connection counts as lost wherever
 * the person goes. Only plain reads count and are repeated: a read over POST waits for a user's MCP server. A refused
 * key is not tried again.
 * @param looks whether to check a screen that reads nothing too: one of its reads is repeated from time to time, since
 * otherwise nobody would notice that data shown as fresh can no longer be read
 */
export function createConnectionWatch(queryClient: QueryClient, clock: Clock, looks?: () => boolean): ConnectionWatch {
  let fault: ConnectionOutage | undefined
  /** The last read that got no answer, while nothing has been answered since. */
  let lastLost: Query | undefined
  let lastError: ApiError | undefined
  let pause = FIRST_PAUSE_MS
  let cancel: (() => void) | undefined
  // Answers and failures are counted, because several can have the same time.
  let turn = 0
  let lastAnswer = 0
  let answeredAt = -Infinity
  let heardAt = clock.now()
  /** The turns at which a query failed first and last. */
  const failing = new Map<Query, { first: number; last: number }>()
  const hasFailed = (query: Query): boolean => isPlainRead(query) && connectionFault(query.state.error) !== undefined
  const isLost = (query: Query): boolean => {
    if (!hasFailed(query)) return false
    const { first, last } = failing.get(query) ?? BEFORE
    // One read may fail on a service that answers all others.
    if (first > lastAnswer || connectionFault(query.state.error) === 'unavailable') return first > lastAnswer
    return last > lastAnswer && clock.now() - answeredAt >= UNANSWERED_MS
  }
  // Few of hundreds of reads fail, and every event of the cache needs this list.
  const lost = (): Query[] => [...failing.keys()].filter(query => query.isActive() && isLost(query))
  const look = (): void => {
    // Moving to another place removes the failed reads from the screen, and the new place may show cached data.
    const isDown = lost().length > 0 || (fault !== undefined && lastLost !== undefined)
    if (!isDown && fault === undefined) return
    const kind = isDown ? (connectionFault(lastError) ?? fault?.kind) : undefined
    if (kind === fault?.kind && lastError === fault?.error) return
    const isSame = kind === fault?.kind
    fault = kind && {
      kind,
      since: fault?.since ?? clock.now(),
      error: lastError,
      until: untilOf(kind, lastError, clock.now()),
    }
    if (isSame) return
    lostOnes[fault ? 'add' : 'delete'](queryClient)
    cancel?.()
    pause = FIRST_PAUSE_MS
    if (kind === undefined) recover()
    else schedule()
  }
  /** Requests that wait on the lost connection are also sent again, since they may never be answered. */
  const recover = (): void => {
    recoveries.set(queryClient, Date.now())
    void outdate(queryClient, { type: 'active', predicate: hasFailed })
  }
  const schedule = (): void => {
    if (fault === undefined || fault.kind === 'key-refused') return
    const wait = Math.max(pause, (fault.until ?? 0) - clock.now())
    cancel = clock.after(wait, () => void probe())
  }
  const probe = async (): Promise<void> => {
    const [failed] = lost().sort((a, b) => a.state.errorUpdatedAt - b.state.errorUpdatedAt)
    const query = failed ?? onScreen(queryClient) ?? lastLost
    if (!query) return
    await repeat(queryClient, query)
    if (fault === undefined) return
    pause = Math.min(LONGEST_PAUSE_MS, pause * GROWTH)
    cancel?.()
    schedule()
  }
  const hear = ({ query, action }: QueryEvent): void => {
    turn += 1
    if (isOfService(query) && (action.type === 'error' || isAnswer(action))) heardAt = clock.now()
    if (isOfService(query) && isAnswer(action)) {
      lastAnswer = turn
      answeredAt = clock.now()
      lastLost = undefined
      lastError = undefined
    }
    if (action.type === 'success') failing.delete(query)
    if (action.type !== 'error' || connectionFault(action.error) === undefined) return
    const { first } = failing.get(query) ?? BEFORE
    failing.set(query, { first: first === Infinity ? turn : first, last: turn })
    if (!isLost(query)) return
    lastLost = query
    lastError = query.state.error as ApiError
  }
  return {
    since: () => fault?.since,
    fault: () => fault,
    start: () => {
      const unsubscribe = queryClient.getQueryCache().subscribe(event => {
        if (event.type === 'updated') hear(event)
        if (event.type === 'removed') failing.delete(event.query)
        look()
      })
      for (const query of queryClient.getQueryCache().findAll({ predicate: hasFailed }))
        if (!failing.has(query)) failing.set(query, BEFORE)
      lastLost = lost()[0]
      lastError = lastLost?.state.error as ApiError | undefined
      look()
      const isWanted = (): boolean => fault === undefined && looks?.() === true
      const rest = looks && lookWhenQuiet(queryClient, clock, { heardAt: () => heardAt, isWanted })
      return () => {
        unsubscribe()
        rest?.()
        cancel?.()
        lostOnes.delete(queryClient)
        fault = undefined
      }
    },
  }
}

type QueryEvent = Extract<QueryCacheNotifyEvent, { type: 'updated' }>

/** Whether the service has answered, even with a refusal. */
function isAnswer(action: QueryEvent['action']): boolean {
  if (action.type === 'success') return action.manual !== true
  if (action.type !== 'error' || !(action.error instanceof ApiError)) return false
  const { kind } = action.error
  return (kind === 'http' || kind === 'invalid-response') && connectionFault(action.error) === undefined
}

/** Returns until when the service asks to be left alone, in the same milliseconds as `now`. */
function untilOf(kind: ConnectionFault, error: ApiError | undefined, now: number): number | undefined {
  return kind === 'unavailable' && error?.retryAfterMs !== undefined ? now + error.retryAfterMs : undefined
}

/** Repeats one read on screen whenever there was no answer for long, until the returned function is called. */
function lookWhenQuiet(
  queryClient: QueryClient,
  clock: Clock,
  { heardAt, isWanted }: { heardAt: () => number; isWanted: () => boolean },
): () => void {
  let end: (() => void) | undefined
  let lookedAt = clock.now()
  const left = (): number => Math.max(heardAt(), lookedAt) + QUIET_MS - clock.now()
  const wait = (): void => {
    end = clock.after(Math.max(1, left()), () => {
      if (left() <= 0) {
        lookedAt = clock.now()
        const query = isWanted() ? onScreen(queryClient) : undefined
        if (query) void repeat(queryClient, query)
      }
      wait()
    })
  }
  wait()
  return () => end?.()
}
