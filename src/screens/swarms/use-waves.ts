import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { gateHelp, gateOf } from '../../domain/findings/gate.ts'
import { isInFlight, wavesOf, type KnownRuns, type RunInWave, type Wave } from '../../domain/swarms/waves.ts'
import { useApiQuery, useLiveQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** Runs that were seen in flight or stopped here, as long as the program runs; nothing is requested for them. */
export function useKnownRuns(projectId: string) {
  const queryClient = useQueryClient()
  const queryKey = useMemo(() => ['known-journey-runs', projectId], [projectId])
  const { data = NONE } = useQuery<KnownRuns>({ queryKey, queryFn: () => NONE, enabled: false, gcTime: Infinity })
  const know = useCallback(
    (runs: readonly RunInWave[]) =>
      queryClient.setQueryData<KnownRuns>(queryKey, old => ({
        ...old,
        ...Object.fromEntries(runs.map(run => [run.id, run])),
      })),
    [queryClient, queryKey],
  )
  return { known: data, know }
}

const NONE: KnownRuns = {}

/** The overview of the project, read again more often while a run is in flight. */
export function useOverview(projectId: string) {
  const { queries } = useWorkspace()
  return useLiveQuery(queries.journeyRuns.overview.options({ projectId }), {
    isLive: ({ runs }) => (runs ?? []).some(({ status }) => status === 'running'),
    requestsEach: 1,
  })
}

/** The waves of a project, as far back as the overview looks. */
export function useWaves(projectId: string): { query: ApiQuery<unknown>; waves: readonly Wave[] } {
  const query = useOverview(projectId)
  const { known, know } = useKnownRuns(projectId)
  const waves = useMemo(() => wavesOf(query.data?.runs, known), [query.data, known])
  useEffect(() => {
    const fresh = waves.flatMap(({ runs }) => runs).filter(run => isWorthKnowing(run, known[run.id]))
    if (fresh.length > 0) know(fresh)
  }, [waves, known, know])
  return { query, waves }
}

/** One that began, or of which it is known by now how it ended. */
function isWorthKnowing(run: RunInWave, known: RunInWave | undefined): boolean {
  return known ? known.state !== run.state || known.ended !== run.ended : isInFlight(run)
}

/** A read that is no list of the contract, as a collection takes it. */
export function wholeItems<Item>(query: ApiQuery<unknown>, items: readonly Item[] | undefined): ApiPages<Item> {
  const { pending, hasData, problem, restored, error } = query
  const nothing = (): void => undefined
  const hasItems = hasData || (items?.length ?? 0) > 0
  return {
    pending,
    problem,
    restored,
    error,
    items,
    first: undefined,
    hasData: hasItems,
    hasMore: false,
    isCut: false,
    isStuck: false,
    more: nothing,
    readAhead: nothing,
    // Read only where the age shows, so that an unchanged answer draws nothing.
    get updatedAt() {
      return query.updatedAt
    },
  }
}

/** What is to be said above every list here while the feature is switched off. */
export function useGateNotices(projectId: string): readonly string[] {
  const { queries, profile } = useWorkspace()
  const { data } = useApiQuery(queries.projects.capabilities.options({ projectId }))
  return useMemo(() => {
    const { swarm, reason } = gateOf(data)
    if (!swarm) return []
    const why = reason ?? 'Swarms are switched off for this organization.'
    return [`${why} Stopping and deleting still work. ${gateHelp(profile.local, ['swarm'])}`]
  }, [data, profile.local])
}
