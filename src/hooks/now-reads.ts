import {
  hashKey,
  notifyManager,
  type Query,
  type QueryClient,
  QueryObserver,
  type QueryState,
} from '@tanstack/react-query'
import type { Budget } from '../api/client/budget/budget.ts'
import type { ReadOptions } from '../api/client/cache/queries.ts'
import { PLANNED, writtenSince } from '../api/client/cache/query-client.ts'
import { type ApiError, connectionFault } from '../api/client/errors/api-error.ts'
import { openWriteSentence } from '../api/client/read-back/open-write.ts'
import { serviceTime } from '../api/client/transport/service-time.ts'
import { NOW_READS, type NowReadKind, type PlannedRead, ruleOf, type Worth } from '../domain/now/plan.ts'
import type { NowAnswer, NowReader, NowSources, ReadOf } from '../domain/now/reads.ts'
import { tellsOnlyPassed } from '../domain/now/run-lines.ts'
import { createReadSchedule, type ScheduledRead } from '../domain/now/schedule.ts'
import { isForbidden } from '../domain/findings/dismissal.ts'
import { AWAY_FACTOR, cadence, type Conditions, livePause } from '../domain/polling/cadence.ts'
import { systemClock, sharedPause } from '../lib/clock.ts'
import { createListeners } from '../lib/listeners.ts'
import { onceFor, renewedFor } from '../lib/once-for.ts'
import { unchangedAnswers } from './answers.ts'
import { isConnectionLost, recoveredAt } from './connection-watch.ts'
import { wholeSwarmFindings } from '../api/client/cache/swarm-pages.ts'
import type { Workspace } from './workspace.tsx'

/** Milliseconds until a failed read is repeated. */
const RETRY_MS = 30_000
/** Milliseconds between single reads while the connection is lost: a different read may be answered. */
const LOST_MS = 5_000
/** Number of requests that share the shortest pause of a poll: one alone would leave half of the rate unused. */
const REQUESTS_EACH = 2
/**
 * Suites that are read for the first time as passed cause a look at Now together: when there are `most` of them, after
 * `ms` milliseconds, or when all reads were tried.
 */
const GATHERED = { most: 5, ms: 30_000 }
const UNRANKED: Worth = { place: 0, movement: 1 }
const UNANSWERED: NowAnswer<never> = { data: undefined, error: null, at: undefined, failedAt: undefined }

/** Returns the same answer as long as its query does not change. */
const answerOf = onceFor(
  ({ data, error, dataUpdatedAt, errorUpdatedAt }: QueryState<unknown, ApiError>): NowAnswer<unknown> => ({
    data,
    error,
    at: dataUpdatedAt || undefined,
    failedAt: errorUpdatedAt || undefined,
  }),
)

/** Returns the key of a query in the cache, computed once for each options object. */
const hashOf = onceFor(({ queryKey }: { queryKey: readonly unknown[] }): string => hashKey(queryKey))

const provenIn = onceFor<QueryClient, Map<string, string>>(() => new Map())

/** Returns the sources of Now in this workspace. */
export function nowSources({ queries, client, profile, reruns }: Workspace, queryClient: QueryClient): NowSources {
  return {
    queries,
    swarmFindings: projectId => wholeSwarmFindings(client, queryClient, projectId),
    host: profile.host,
    isRerun: runId => reruns?.parentOf(runId) !== undefined,
    serviceTime,
    writeSentence: openWriteSentence,
    proven: provenIn(queryClient),
  }
}

type AnyOptions = ReadOptions<unknown, readonly unknown[]>
type Wanted = { kind: NowReadKind; options: AnyOptions; of: ReadOf; state: QueryState<unknown, ApiError> | undefined }

/** The reads that a look at Now needs, and the importance of each project, by its id. */
export type NowPlan = { wanted: readonly Wanted[]; worth: ReadonlyMap<string, Worth> }

/**
 * Schedules the reads that a look at Now needs, using the cache, and notifies when an answer or an error changes, but
 * not when only the time of a read does. Unchanged reads cost a look nothing, so there may be hundreds.
 */
export function createNowReads(queryClient: QueryClient, budget: Budget) {
  const cache = queryClient.getQueryCache()
  const observers = createObservers(queryClient)
  let at: Conditions = budget.snapshot()
  let worth: NowPlan['worth'] = new Map()
  const keep = renewedFor<AnyOptions, ScheduledRead>()
  const schedule = createReadSchedule({
    // The clock that dates answers.
    clock: {
      now: () => Date.now(),
      after: (ms, run) => systemClock.after((at.slowFactor ?? 1) >= AWAY_FACTOR ? sharedPause(ms) : ms, run),
    },
    pace: () => {
      if (isConnectionLost(queryClient)) return { requestMs: LOST_MS, tokens: 0, capacity: 0, hurries: false }
      const { tokens, capacity, unlimited } = budget.snapshot()
      return { requestMs: livePause(at, REQUESTS_EACH) / REQUESTS_EACH, tokens, capacity, hurries: !unlimited }
    },
  })
  return {
    subscribe: observers.subscribe,
    version: observers.version,
    /** Runs one look; what it needs is read once its plan is carried out. */
    look<T>(of: (reader: NowReader) => T): { seen: T; plan: NowPlan } {
      const wanted: Wanted[] = []
      let worth: NowPlan['worth'] = new Map()
      const reader: NowReader = {
        read(kind, all, ofEach = []) {
          return all.map((read, index) => {
            const options = read as unknown as AnyOptions
            const state = cache.get<unknown, ApiError>(hashOf(options))?.state
            wanted.push({ kind, options, of: ofEach[index] ?? {}, state })
            return (state ? answerOf(state) : UNANSWERED) as NowAnswer<never>
          })
        },
        known(read) {
          const state = cache.get<unknown, ApiError>(hashOf(read))?.state
          return (state ? answerOf(state) : UNANSWERED) as NowAnswer<never>
        },
        rank: all => void (worth = all),
      }
      return { seen: of(reader), plan: { wanted, worth } }
    },
    /**
     * Reads what a look needs, until the next plan or the end. It does not pause however long no key is pressed, since
     * a person on call leaves Now open to see failures.
     */
    carryOut(plan: NowPlan, conditions: Conditions): void {
      at = { ...conditions, isLongIdle: false }
      worth = plan.worth
      observers.set(plan.wanted)
      // A read stays the same object until it changes: creating a thousand for each render is expensive.
      schedule.set(
        plan.wanted.map(each => {
          const { projectId, changedAt, needsAttention } = each.of
          const make = () => scheduled(queryClient, each, { conditions: () => at, worth: () => worth })
          return keep(each.options, [each.kind, projectId, changedAt, needsAttention], make)
        }),
      )
    },
    /** Watches for stale data until the returned function is called, which ends everything. */
    begin(): () => void {
      const unsubscribe = cache.subscribe(event => {
        if (event.type === 'updated' && event.action.type === 'invalidate') schedule.look()
      })
      return () => {
        unsubscribe()
        schedule.stop()
        observers.end()
      }
    },
  }
}

/** Observes the queries of a plan, so that they stay in the cache and the person can refresh them. */
function createObservers(queryClient: QueryClient) {
  const known = new Map<string, { kind: NowReadKind; observer: QueryObserver<unknown, ApiError>; end: () => void }>()
  const { subscribe, notify } = createListeners()
  let observed: readonly Wanted[] = []
  let version = 0
  let gathered = 0
  let stopWaiting: (() => void) | undefined
  const forget = (): void => {
    stopWaiting?.()
    stopWaiting = undefined
    gathered = 0
  }
  const change = (): void => {
    forget()
    version += 1
    notifyManager.schedule(notify)
  }
  const isTried = ({ options }: Wanted): boolean => {
    const query = queryClient.getQueryCache().get<unknown, ApiError>(hashOf(options))
    return query !== undefined && wasTried(query)
  }
  /** A look covers all reads and renders, so changes that only add a passed suite are collected. */
  const gather = (): void => {
    gathered += 1
    if (gathered >= GATHERED.most || observed.every(isTried)) change()
    else stopWaiting ??= systemClock.after(GATHERED.ms, change)
  }
  return {
    subscribe,
    version: () => version,
    set(all: readonly Wanted[]): void {
      const isSame = ({ kind, options }: Wanted, index: number): boolean =>
        observed[index]?.options === options && observed[index].kind === kind
      if (all.length === observed.length && all.every(isSame)) return
      observed = all
      for (const { kind, options, state } of all) {
        const hash = hashOf(options)
        const before = known.get(hash)
        // If a run has ended, its suite is read less often, and the age in the header depends on that.
        if (before && before.kind !== kind) {
          before.observer.setOptions({ ...before.observer.options, meta: metaOf(kind) })
          before.kind = kind
        }
        if (before) continue
        const observer = new QueryObserver<unknown, ApiError>(queryClient, {
          ...options,
          // The plan schedules every read, including the first. Changes and refreshes by the person are read at once.
          enabled: wasTried,
          retryOnMount: false,
          refetchOnMount: false,
          meta: metaOf(kind),
          // Always stale: otherwise a timer would wait until the data becomes stale.
          staleTime: 0,
          notifyOnChangeProps: ['data', 'error'],
        })
        const { data, error } = observer.getCurrentResult()
        let last = data
        const end = observer.subscribe(({ data: answer }) => {
          const isFirst = last === undefined
          last = answer
          if (isFirst && tellsOnlyPassed(kind, answer)) gather()
          else change()
        })
        known.set(hash, { kind, observer, end })
        if (data !== state?.data || error !== (state?.error ?? null)) change()
      }
      const wanted = new Set(all.map(({ options }) => hashOf(options)))
      for (const [hash, { end }] of known)
        if (!wanted.has(hash)) {
          known.delete(hash)
          end()
        }
    },
    end(): void {
      for (const { end } of known.values()) end()
      known.clear()
      observed = []
      forget()
    },
  }
}

function wasTried({ state }: Pick<Query<unknown, ApiError>, 'state'>): boolean {
  return state.data !== undefined || state.errorUpdatedAt > 0
}

function metaOf(kind: NowReadKind) {
  const { every, priority, leads = false } = ruleOf(kind)
  return { priority, owner: PLANNED, every, leads, ...(kind === 'live' && { purpose: kind }) }
}

function scheduled(
  queryClient: QueryClient,
  { kind, options, of: { projectId, changedAt, needsAttention = false } }: Wanted,
  plan: { conditions: () => Conditions; worth: () => NowPlan['worth'] },
): ScheduledRead {
  const { every } = NOW_READS[kind]
  const hash = hashOf(options)
  const usual = { kind: 'own', everyMs: every } as const
  // After a failure the state is unknown.
  const failed = { kind: 'own', everyMs: Math.min(every, RETRY_MS) } as const
  // Reused, because a thousand of them are checked every few seconds, and new objects are expensive to collect.
  const state: PlannedRead = {
    kind,
    triedAt: undefined,
    pause: false,
    changedAt: undefined,
    needsAttention,
    worth: UNRANKED,
  }
  /** The conditions and the query's state from which time and pause were derived. */
  let at: Conditions | undefined
  let derivedFrom: object | undefined
  const derive = (query: Query<unknown, ApiError> | undefined): void => {
    const { dataUpdatedAt = 0, errorUpdatedAt = 0, error = null } = query?.state ?? {}
    const fault = connectionFault(error)
    const unchanged = query ? unchangedAnswers(query) : 0
    const read = error ? failed : usual
    const isBack = fault !== undefined && errorUpdatedAt < recoveredAt(queryClient)
    // After the connection is back, a read that failed with it counts as never tried.
    const triedAt = isBack ? dataUpdatedAt : Math.max(dataUpdatedAt, errorUpdatedAt)
    state.triedAt = query && isAskedAgain(query) ? undefined : triedAt || undefined
    state.pause = isBack ? 1 : !isForbidden(error) && cadence(read, plan.conditions(), { unchanged, fault }).ms
  }
  return {
    look(): PlannedRead | undefined {
      const query = queryClient.getQueryCache().get<unknown, ApiError>(hash)
      if (query && query.state.fetchStatus !== 'idle') return undefined
      // Whether the connection is back shows in no state, so a failed read is judged each time.
      const isKnown = at === plan.conditions() && derivedFrom === query?.state && !query?.state.error
      if (!isKnown) derive(query)
      at = plan.conditions()
      derivedFrom = query?.state
      state.changedAt = writtenSince(query) ?? changedAt
      state.worth = (projectId !== undefined && plan.worth().get(projectId)) || UNRANKED
      return state
    },
    send: () => queryClient.prefetchQuery({ ...options, staleTime: 0, meta: metaOf(kind) } as never),
  }
}

/**
 * Whether the person or a write marked a query as outdated. Data of an earlier session, or a failure, does not count.
 */
function isAskedAgain({ state }: Pick<Query<unknown, ApiError>, 'state'>): boolean {
  return state.isInvalidated && state.error === null && state.dataUpdateCount > 0
}
