import { useEffect, useMemo } from 'react'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { gateHelp, gateOf } from '../../domain/findings/gate.ts'
import { offWords } from '../../domain/projects/feature-gate.ts'
import { runsOfFeed, swarmFeed, wavesOf, worthKnowing, type Wave } from '../../domain/swarms/waves.ts'
import { useApiQuery, useLiveQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useKnownRuns } from '../../hooks/use-known-runs.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** Reads the overview of the project, more often while a run is in flight. */
export function useOverview(projectId: string) {
  const { queries } = useWorkspace()
  return useLiveQuery(queries.journeyRuns.overview.options({ projectId }), {
    isLive: ({ runs }) => (runs ?? []).some(({ status }) => status === 'running'),
    requests: 1,
  })
}

/** Returns the waves of a project, as far back as the overview goes. */
export function useWaves(projectId: string): { query: ApiQuery<unknown>; waves: readonly Wave[] } {
  const { queries } = useWorkspace()
  const query = useOverview(projectId)
  const { known, see } = useKnownRuns(projectId)
  const gate = gateOf(useApiQuery(queries.projects.capabilities.options({ projectId })).data)
  const { data: feed } = useApiQuery({ ...queries.sessions.list.options(swarmFeed(projectId)), enabled: gate.swarm })
  const waves = useMemo(
    () => wavesOf(query.data?.runs, known, gate.swarm ? runsOfFeed(feed?.items ?? [], serviceNow()) : []),
    [query.data, known, gate.swarm, feed],
  )
  useEffect(() => {
    const fresh = worthKnowing(waves, known)
    if (fresh.length > 0) see(fresh)
  }, [waves, known, see])
  return { query, waves }
}

/** Converts a read that is not a list of the contract into the form that a collection needs. */
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
    // A getter, so that an unchanged answer renders only components that show the age.
    get updatedAt() {
      return query.updatedAt
    },
  }
}

/** Returns the notice above every list here while the feature is switched off. */
export function useGateNotices(projectId: string): readonly string[] {
  const { queries, profile } = useWorkspace()
  const { data } = useApiQuery(queries.projects.capabilities.options({ projectId }))
  return useMemo(() => {
    const why = offWords(data, 'swarms')
    if (why === undefined) return []
    return [`${why} Stopping and deleting still work. ${gateHelp(profile.local, ['swarm'])}`]
  }, [data, profile.local])
}
