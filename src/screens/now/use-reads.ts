import {
  type Query,
  type QueryClient,
  type QueryKey,
  type QueryState,
  useQueryClient,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { PLANNED, writtenSince } from '../../api/client/cache/query-client.ts'
import { type ApiError, connectionFault } from '../../api/client/errors/api-error.ts'
import { isForbidden } from '../../domain/findings/dismissal.ts'
import type { Read } from '../../domain/now/line.ts'
import { NOW_READS, type NowReadKind, type PlannedRead, ruleOf, type Worth } from '../../domain/now/plan.ts'
import { createReadSchedule, type ScheduledRead } from '../../domain/now/schedule.ts'
import { AWAY_FACTOR, cadence, type Conditions, livePause } from '../../domain/polling/cadence.ts'
import { unchangedAnswers } from '../../hooks/answers.ts'
import { isConnectionLost, recoveredAt } from '../../hooks/connection-watch.ts'
import { useConditions, usePoller } from '../../hooks/use-cadence.ts'
import { hashOf, useQueryStates } from '../../hooks/use-query-states.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { systemClock, sharedPause } from '../../lib/clock.ts'
import { onceFor, renewedFor } from '../../lib/once-for.ts'

/** What came of one read. */
export type NowAnswer<T> = {
  data: T | undefined
  error: ApiError | null
  /** Epoch milliseconds. */
  at: number | undefined
  /** When it last failed, in epoch milliseconds. */
  failedAt: number | undefined
}

/** What is read while Now is on screen: the same object, which is filled anew each time that it is drawn. */
export type NowPlan = {
  reads: ScheduledRead[]
  /** What each project is worth, by its id. */
  worth: ReadonlyMap<string, Worth>
  /** Whoever is on call leaves Now open to see what fails: however long no key is pressed, it does not pause. */
  conditions: Conditions
}

/** What of a read decides when it is made. */
export type ReadOf = {
  projectId?: string
  /** When another read said that this has changed, epoch milliseconds. */
  changedAt?: number | undefined
  /** What is known of it is bad, or not over. */
  needsAttention?: boolean
}

/** A read that belongs to a project. */
export function readIn({ id }: { id: string }): ReadOf {
  return { projectId: id }
}

/**
 * The same, which is urgent when a line was made of what is known: that is on screen, and has to be true first.
 * `shows` takes how many lines were made of a thing.
 */
export function useShownReads() {
  const [shown] = useState(() => new Set<string>())
  return {
    readShown: (project: { id: string }, thing = project.id): ReadOf => ({
      projectId: project.id,
      needsAttention: shown.has(thing),
    }),
    shows<Line>(thing: string, lines: readonly Line[]): readonly Line[] {
      shown[lines.length > 0 ? 'add' : 'delete'](thing)
      return lines
    },
  }
}

/** What failed is read again this soon, in milliseconds. */
const RETRY_MS = 30_000
/** While the connection is lost one read leaves this often, in milliseconds: another one may be answered. */
const LOST_MS = 5_000
/** Requests that share the shortest pause of a poll: that of one alone would leave half of the rate unused. */
const ROUND = 2
const UNRANKED: Worth = { place: 0, movement: 1 }
const UNANSWERED: NowAnswer<never> = { data: undefined, error: null, at: undefined, failedAt: undefined }

/** The same answer for as long as nothing happens to its query. */
const answerOf = onceFor(
  ({ data, error, dataUpdatedAt, errorUpdatedAt }: QueryState<unknown, ApiError>): NowAnswer<unknown> => ({
    data,
    error,
    at: dataUpdatedAt || undefined,
    failedAt: errorUpdatedAt || undefined,
  }),
)

/** A plan that is carried out from when it was drawn until Now is left; fill it with `useReads`. */
export function usePlan(): NowPlan {
  const { budget } = useWorkspace()
  const queryClient = useQueryClient()
  usePoller(true)
  const conditions = { ...useConditions()(), isLongIdle: false }
  const requestMs = livePause(conditions, ROUND) / ROUND
  const paced = useRef({ requestMs, sharesWakes: false })
  const [schedule] = useState(() =>
    createReadSchedule({
      // By the clock that dates answers.
      clock: {
        now: () => Date.now(),
        after: (ms, run) => systemClock.after(paced.current.sharesWakes ? sharedPause(ms) : ms, run),
      },
      pace: () => {
        if (isConnectionLost(queryClient)) return { requestMs: LOST_MS, tokens: 0, capacity: 0, hurries: false }
        const { tokens, capacity, unlimited } = budget.snapshot()
        return { requestMs: paced.current.requestMs, tokens, capacity, hurries: !unlimited }
      },
    }),
  )
  const { current: plan } = useRef<NowPlan>({ reads: [], worth: new Map(), conditions })
  Object.assign(plan, { reads: [], conditions })
  useEffect(() => {
    paced.current = { requestMs, sharesWakes: (conditions.slowFactor ?? 1) >= AWAY_FACTOR }
    schedule.set(plan.reads)
  })
  useEffect(() => () => schedule.stop(), [schedule])
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe(event => {
        if (event.type === 'updated' && event.action.type === 'invalidate') schedule.look()
      }),
    [queryClient, schedule],
  )
  return plan
}

/** How each of these is read, as the same options for as long as it is the same object. */
export function useOptionsOf<Of extends object, Options>(make: (of: Of) => Options): (of: Of) => Options {
  const [optionsOf] = useState(() => onceFor(make))
  return optionsOf
}

/** Puts several reads of one kind into the plan. @param of what is known of each, in their order */
export function useReads<T, Key extends QueryKey>(
  kind: NowReadKind,
  plan: NowPlan,
  wanted: readonly UseQueryOptions<T, ApiError, T, Key>[],
  of: readonly ReadOf[] = [],
): readonly NowAnswer<T>[] {
  const queryClient = useQueryClient()
  const states = useQueryStates(wanted, {
    // The plan reads, also for the first time; what the person asks to be read again, or changes, is read at once.
    enabled: wasTried,
    retryOnMount: false,
    refetchOnMount: false,
    meta: metaOf(kind),
  })
  const [keep] = useState(() => renewedFor<object, ScheduledRead>())
  plan.reads.push(
    ...wanted.map((options, index) => {
      const known = of[index] ?? {}
      const { projectId, changedAt, needsAttention } = known
      const make = () => readOfPlan(queryClient, kind, plan, options, known)
      return keep(options, [projectId, changedAt, needsAttention], make)
    }),
  )
  return states.map(state => (state ? (answerOf(state) as NowAnswer<T>) : UNANSWERED))
}

function wasTried({ state }: Pick<Query, 'state'>): boolean {
  return state.data !== undefined || state.errorUpdatedAt > 0
}

function metaOf(kind: NowReadKind) {
  const { every, priority, leads = false } = ruleOf(kind)
  return { priority, owner: PLANNED, every, leads, ...(kind === 'live' && { purpose: kind }) }
}

function readOfPlan<T, Key extends QueryKey>(
  queryClient: QueryClient,
  kind: NowReadKind,
  plan: NowPlan,
  options: UseQueryOptions<T, ApiError, T, Key>,
  { projectId, changedAt, needsAttention = false }: ReadOf,
): ScheduledRead {
  const { every } = NOW_READS[kind]
  const hash = hashOf(options)
  return {
    look(): PlannedRead | undefined {
      const query = queryClient.getQueryCache().get<T, ApiError>(hash)
      if (query && query.state.fetchStatus !== 'idle') return undefined
      const { dataUpdatedAt = 0, errorUpdatedAt = 0, error = null } = query?.state ?? {}
      const fault = connectionFault(error)
      const unchanged = query ? unchangedAnswers(query) : 0
      // The state of what failed is not known.
      const read = { kind: 'own', everyMs: error ? Math.min(every, RETRY_MS) : every } as const
      const isBack = fault !== undefined && errorUpdatedAt < recoveredAt(queryClient)
      // What failed with the connection is as good as never tried once that is back.
      const triedAt = isBack ? dataUpdatedAt : Math.max(dataUpdatedAt, errorUpdatedAt)
      return {
        kind,
        triedAt: query && isAskedAgain(query) ? undefined : triedAt || undefined,
        pause: isBack ? 1 : !isForbidden(error) && cadence(read, plan.conditions, { unchanged, fault }).ms,
        changedAt: writtenSince(query) ?? changedAt,
        needsAttention,
        worth: (projectId !== undefined && plan.worth.get(projectId)) || UNRANKED,
      }
    },
    send: () => queryClient.prefetchQuery({ ...options, staleTime: 0, meta: metaOf(kind) } as never),
  }
}

/** Whether the person wants it to be read again; what an earlier session left behind, or failed, is no such wish. */
function isAskedAgain({ state }: Pick<Query<unknown, ApiError>, 'state'>): boolean {
  return state.isInvalidated && state.error === null && state.dataUpdateCount > 0
}

/** What was answered, in the form in which lines are made of it; undefined before the first answer. */
export function readOf<T, Value>(answer: NowAnswer<T> | undefined, of: (data: T) => Value): Read<Value> | undefined {
  return answer?.data === undefined ? undefined : { value: of(answer.data), at: answer.at }
}
