import type { QueryClient } from '@tanstack/react-query'
import { contract } from '../../api/contract/contract.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'

/** What became of the runs that were seen in flight. */
export type FollowedState = {
  /** In flight, and on screen. */
  running: readonly EvalRun[]
  /** The one that ended last. */
  ended: EvalRun | undefined
}

export type FollowedRuns = {
  state(): FollowedState
  /** Watches until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** What else happens to a query that changes what is on screen. */
const WATCHED: ReadonlySet<string> = new Set(['observerAdded', 'observerRemoved'])

const NOTHING: FollowedState = { running: [], ended: undefined }

/** Follows every run that any screen reads, by what is read anyway; nothing is fetched for it. */
export function createFollowedRuns(queryClient: QueryClient): FollowedRuns {
  const over = new Set<string>()
  const inFlight = new Set<string>()
  let state = NOTHING
  const look = (): boolean => {
    let ended = state.ended
    const running: EvalRun[] = []
    for (const { run, isOnScreen } of knownRuns(queryClient)) {
      // A list read earlier may still show a run in flight that has ended since.
      if (over.has(run.id)) continue
      if (!isTerminalRunStatus(run.status)) {
        inFlight.add(run.id)
        // Nobody asks for it in a place that was left, so what is known of it there gets old.
        if (isOnScreen) running.push(run)
      } else {
        over.add(run.id)
        if (inFlight.delete(run.id)) ended = run
      }
    }
    if (ended === state.ended && sameRuns(running, state.running)) return false
    state = { running, ended }
    return true
  }
  return {
    state: () => state,
    subscribe(listener) {
      const unsubscribe = queryClient.getQueryCache().subscribe(event => {
        if (event.query.queryKey[0] !== contract.runs.get.resource) return
        const isNews = event.type === 'updated' ? event.action.type === 'success' : WATCHED.has(event.type)
        if (isNews && look()) listener()
      })
      if (look()) listener()
      return unsubscribe
    },
  }
}

type Known = { run: EvalRun; isOnScreen: boolean }

/** Every run that was read, each as its newest answer shows it. */
function knownRuns(queryClient: QueryClient): Known[] {
  const known = new Map<string, Known>()
  const queries = queryClient.getQueryCache().findAll({ queryKey: [contract.runs.get.resource] })
  for (const query of queries.toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt)) {
    const runs = runsIn(query.queryKey[1], query.state.data)
    for (const run of runs) {
      const isOnScreen = query.getObserversCount() > 0 || known.get(run.id)?.isOnScreen === true
      known.set(run.id, { run, isOnScreen })
    }
  }
  return [...known.values()]
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
