import { notifyManager, type Query, type QueryClient } from '@tanstack/react-query'
import { contract } from '../../api/contract/contract.ts'
import { isMissing } from '../../api/client/errors/api-error.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'

/** The outcome of the runs that were seen in flight. */
export type FollowedState = {
  /** In flight, and on screen. */
  running: readonly EvalRun[]
  /** The one that ended last. */
  ended: EvalRun | undefined
  /** All that ended, in this order. */
  endings: readonly EvalRun[]
}

export type FollowedRuns = {
  state(): FollowedState
  /** Watches until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** What else happens to a query that changes what is on screen. */
const WATCHED: ReadonlySet<string> = new Set(['observerAdded', 'observerRemoved'])

/** How a read ends. */
const SETTLED: ReadonlySet<string> = new Set(['success', 'error'])

const NOTHING: FollowedState = { running: [], ended: undefined, endings: [] }

/**
 * Follows every run that any screen reads, by what is read anyway; nothing is fetched for it.
 * @param isWaited whether the end of a run is waited for that may have come while nobody looked
 */
export function createFollowedRuns(
  queryClient: QueryClient,
  isWaited: (runId: string) => boolean = () => false,
): FollowedRuns {
  const over = new Set<string>()
  const inFlight = new Set<string>()
  /** Answers with runs in flight: of hundreds of lists each event is about one. */
  const flying = new Map<Query, readonly EvalRun[]>()
  let read = new WeakMap<Query, unknown>()
  let state = NOTHING
  /** Takes what was answered. @returns the runs of it that ended since they were seen in flight */
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
        // With all else that the answer changes, since every commit draws the whole screen.
        if (isNews && look([query])) notifyManager.schedule(listener)
      })
      flying.clear()
      read = new WeakMap()
      if (look(cache.findAll({ queryKey: [contract.runs.get.resource] }))) listener()
      return unsubscribe
    },
  }
}

/** Runs in flight of places that are on screen, each as its newest answer shows it. */
function onScreen(flying: ReadonlyMap<Query, readonly EvalRun[]>): EvalRun[] {
  const known = new Map<string, { run: EvalRun; isShown: boolean }>()
  for (const [query, runs] of [...flying].sort(([a], [b]) => a.state.dataUpdatedAt - b.state.dataUpdatedAt)) {
    // Nobody asks for it in a place that was left, so what is known of it there gets old.
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
