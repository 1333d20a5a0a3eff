import { notifyManager, type Query, type QueryClient } from '@tanstack/react-query'
import { contract } from '../../api/contract/contract.ts'
import { isMissing } from '../../api/client/errors/api-error.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'

/** The state of runs that were seen in flight. */
export type FollowedState = {
  /** Runs that are in flight and on screen. */
  running: readonly EvalRun[]
  /** The run that ended last. */
  ended: EvalRun | undefined
  /** All ended runs, in order. */
  endings: readonly EvalRun[]
}

export type FollowedRuns = {
  state(): FollowedState
  /** Watches until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** Other query events that change the data on screen. */
const WATCHED: ReadonlySet<string> = new Set(['observerAdded', 'observerRemoved'])

/** Events with which a read ends. */
const SETTLED: ReadonlySet<string> = new Set(['success', 'error'])

const NOTHING: FollowedState = { running: [], ended: undefined, endings: [] }

/**
 * Follows every run that any screen reads, using those reads; requests nothing itself.
 * @param isWaited whether someone waits for the end of a run that may have ended unseen
 */
export function createFollowedRuns(
  queryClient: QueryClient,
  isWaited: (runId: string) => boolean = () => false,
): FollowedRuns {
  const over = new Set<string>()
  const inFlight = new Set<string>()
  /** Answers with runs in flight; each event concerns one of hundreds of lists. */
  const flying = new Map<Query, readonly EvalRun[]>()
  let read = new WeakMap<Query, unknown>()
  let state = NOTHING
  /**
   * Processes an answer.
   * @returns its runs that ended since they were seen in flight
   */
  const take = (query: Query): EvalRun[] => {
    const { data, error } = query.state
    if (isMissing(error)) flying.delete(query)
    if (read.get(query) === data) return []
    read.set(query, data)
    // A list read earlier may still show a run in flight that has ended since.
    const runs = runsIn(query.queryKey[1], data).filter(({ id }) => !over.has(id))
    const running = runs.filter(({ status }) => !isTerminalRunStatus(status))
    const ended = runs.filter(({ status }) => isTerminalRunStatus(status))
    for (const { id } of running) inFlight.add(id)
    for (const { id } of ended) over.add(id)
    if (running.length > 0) flying.set(query, running)
    else flying.delete(query)
    return ended.filter(({ id }) => inFlight.delete(id) || isWaited(id))
  }
  const look = (queries: readonly Query[]): boolean => {
    const latestFirst = queries.toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    const endings = latestFirst.map(take).toReversed().flat()
    const running = onScreen(flying).filter(({ id }) => !over.has(id))
    if (endings.length === 0 && sameRuns(running, state.running)) return false
    const all = [...state.endings, ...endings]
    state = { running, ended: all.at(-1), endings: all }
    return true
  }
  return {
    state: () => state,
    subscribe(listener) {
      const cache = queryClient.getQueryCache()
      const unsubscribe = cache.subscribe(event => {
        const { query, type } = event
        if (query.queryKey[0] !== contract.runs.get.resource) return
        if (type === 'removed') flying.delete(query)
        const isNews = type === 'updated' ? SETTLED.has(event.action.type) : WATCHED.has(type)
        // Notifies together with everything else that the answer changes, since every commit renders the whole screen.
        if (isNews && look([query])) notifyManager.schedule(listener)
      })
      flying.clear()
      read = new WeakMap()
      if (look(cache.findAll({ queryKey: [contract.runs.get.resource] }))) listener()
      return unsubscribe
    },
  }
}

/** Returns runs in flight of places on screen, each from its newest answer. */
function onScreen(flying: ReadonlyMap<Query, readonly EvalRun[]>): EvalRun[] {
  const known = new Map<string, { run: EvalRun; isShown: boolean }>()
  for (const [query, runs] of [...flying].sort(([a], [b]) => a.state.dataUpdatedAt - b.state.dataUpdatedAt)) {
    // A place that was left is no longer read, so what is known there becomes outdated.
    const isShown = query.getObserversCount() > 0
    for (const run of runs) known.set(run.id, { run, isShown: isShown || known.get(run.id)?.isShown === true })
  }
  return [...known.values()].flatMap(({ run, isShown }) => (isShown ? run : []))
}

type Page = { items?: readonly EvalRun[] }

function runsIn(name: unknown, data: unknown): readonly EvalRun[] {
  if (data === undefined) return []
  if (name === contract.runs.get.name) return [data as EvalRun]
  if (name !== contract.runs.list.name) return []
  const pages = (data as { pages?: readonly Page[] }).pages ?? [data as Page]
  return pages.flatMap(page => page.items ?? [])
}

function sameRuns(one: readonly EvalRun[], other: readonly EvalRun[]): boolean {
  return one.length === other.length && one.every((run, index) => run === other[index])
}
