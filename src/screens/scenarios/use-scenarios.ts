// oxlint-disable-next-line no-restricted-imports -- of the first scenarios alone, with one result
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { greatest } from '../../lib/extremes.ts'
import { gateClosed } from '../../domain/scenarios/rights.ts'
import { provedVersion } from '../../domain/scenarios/notes.ts'
import { scenarioUrl, type ProjectScenario } from '../../api/contract/scenarios.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { every } from '../../lib/clock.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import type { RepeatedRead } from '../../domain/polling/cadence.ts'
import { useCadence } from '../../hooks/use-cadence.ts'
import { idOf, useFirstOfEach } from '../../hooks/use-each.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ScenarioRow } from './columns.ts'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'
/** How often scenarios on screen are read again, in milliseconds, so that changes by others show. */
const POLL_MS = { local: 5_000, remote: 30_000 }
/** Number of scenarios whose sessions and environment are read automatically: two requests each. */
const MOST_READ = { local: 50, remote: 8 }
/** How long sessions and environment are not read again automatically, in milliseconds. */
const FACTS_AGE_MS = 60_000

const NO_SCENARIOS: readonly ProjectScenario[] = []

function useIsLocal(): boolean {
  const { budget } = useWorkspace()
  return budget.snapshot().unlimited
}

/** Returns how scenarios and their access are read again, which determines when changes by others show. */
export function useAccessRead(): RepeatedRead {
  return { kind: 'own', everyMs: POLL_MS[useIsLocal() ? 'local' : 'remote'] }
}

/** Returns the milliseconds within which another person's change is shown. */
export function useAccessPause(): number {
  return Number(useCadence()(useAccessRead()))
}

/** Returns the environment and visits of the first scenarios, by id; not read while the feature is off. */
function useFacts(projectId: string, scenarios: readonly ProjectScenario[], isOpen: boolean) {
  const { queries } = useWorkspace()
  const most = MOST_READ[useIsLocal() ? 'local' : 'remote']
  const quiet = {
    enabled: isOpen,
    staleTime: FACTS_AGE_MS,
    refetchInterval: false,
    meta: { priority: 'background' },
  } as const
  const { first: read } = useFirstOfEach(isOpen ? scenarios : NO_SCENARIOS, idOf, most)
  const details = useQueries({
    queries: read.map(({ id }) => queries.userTesting.get.options({ projectId, scenarioId: id }, quiet)),
    combine: results => ({
      isRead: results.every(({ isPending }) => !isPending),
      of: results.map(({ data }) => data?.environmentId ?? undefined),
    }),
  })
  const visits = useQueries({
    queries: read.map(({ id }) => queries.userTestingSessions.list.options({ projectId, scenarioId: id }, quiet)),
    combine: results => ({
      isRead: results.every(({ isPending }) => !isPending),
      of: results.map(
        ({ data }) =>
          data && {
            count: data.items.length,
            more: !!data.nextCursor,
            lastVisitAt: Math.max(0, greatest(data.items.flatMap(item => toEpochMs(item.lastActivityAt) ?? []))),
          },
      ),
    }),
  })
  const factsOf = useMemo(
    () => new Map(read.map(({ id }, index) => [id, { environmentId: details.of[index], visited: visits.of[index] }])),
    [read, details.of, visits.of],
  )
  return { factsOf, isRead: details.isRead && visits.isRead }
}

/** Reads the environment of a scenario again when the list shows that the scenario has changed. */
function useFollowedChanges(projectId: string, scenarios: readonly ProjectScenario[]): void {
  const { queries } = useWorkspace()
  const queryClient = useQueryClient()
  const lastChange = useRef(new Map<string, ProjectScenario['updatedAt']>())
  useEffect(() => {
    for (const { id: scenarioId, updatedAt } of scenarios) {
      const known = lastChange.current.has(scenarioId)
      if (known && lastChange.current.get(scenarioId) !== updatedAt) {
        const { queryKey } = queries.userTesting.get.options({ projectId, scenarioId })
        void queryClient.invalidateQueries({ queryKey })
      }
      lastChange.current.set(scenarioId, updatedAt)
    }
  }, [projectId, scenarios, queries, queryClient])
}

/** Reads everything that the list of a project's scenarios shows. */
export function useScenarios(projectId: string) {
  const workspace = useWorkspace()
  const { queries, accessNotes, client } = workspace
  const read = useAccessRead()
  const pauseMs = useAccessPause()
  const capabilities = useApiQuery(queries.projects.capabilities.options({ projectId }))
  const scenarios = useWholeList(queries.scenarios.list, { projectId }, { read })
  const environments = useWholeList(queries.environments.list, { projectId })
  const closed = gateClosed(capabilities.data)
  const isClosed = closed !== undefined
  // Until it is known whether the feature is on, gated data is not requested.
  const isOpen = !isClosed && !capabilities.pending
  const items = scenarios.items ?? NO_SCENARIOS
  const { factsOf, isRead } = useFacts(projectId, items, isOpen)
  useFollowedChanges(projectId, items)
  const secrets = secretsOf(client)
  const secretsVersion = useSyncExternalStore(secrets.subscribe, secrets.version)
  const notesVersion = useSyncExternalStore(accessNotes?.subscribe ?? never, accessNotes?.version ?? zero)
  useEffect(() => {
    // Records by another program of the same person show as often as the service's answers.
    accessNotes?.look()
    return every(pauseMs, () => accessNotes?.look())
  }, [accessNotes, pauseMs])
  const names = useMemo(
    () => new Map(environments.items?.map(({ id, name }) => [id, name ?? id])),
    [environments.items],
  )
  useEffect(() => {
    for (const [id, { environmentId }] of factsOf)
      if (environmentId !== undefined && accessNotes && accessNotes.of(id)?.environmentId !== environmentId)
        accessNotes.note(id, { kind: 'environment', environmentId })
  }, [factsOf, accessNotes])
  useEffect(() => {
    for (const { id, updatedAt: changedAt } of items) secrets.seen(id, toEpochMs(changedAt))
  }, [items, secrets])
  const rows = useMemo(
    () =>
      items.map((scenario): ScenarioRow => {
        const { id } = scenario
        const facts = factsOf.get(id)
        const visited = facts?.visited
        const notes = accessNotes?.of(id)
        const environmentId = facts?.environmentId ?? notes?.environmentId
        const kept = secrets.linkOf(id, toEpochMs(scenario.updatedAt))
        const told = scenarioUrl(scenario.link)
        return {
          scenario,
          environmentId,
          environment: environmentId === undefined ? undefined : (names.get(environmentId) ?? environmentId),
          accessVersion: provedVersion(notes),
          sessions: visited && { count: visited.count, more: visited.more },
          lastVisitAt: visited?.lastVisitAt || undefined,
          link: told ?? (kept?.isCurrent ? kept.link : undefined),
          isLinkOld: told === undefined && kept?.isCurrent === false,
        }
      }),
    // oxlint-disable-next-line react/exhaustive-deps -- notes and secrets answer something else only with another version of theirs
    [items, factsOf, names, accessNotes, secrets, secretsVersion, notesVersion],
  )
  return {
    scenarios,
    rows,
    /** Whether everything that the rows show was read. */
    isWhole: isRead && !scenarios.pending && !scenarios.hasMore && !capabilities.pending && !environments.pending,
    capabilities: capabilities.data,
    environments,
    closed,
    isClosed,
    isOpen,
  }
}

export type ScenariosData = ReturnType<typeof useScenarios>

function never(): () => void {
  return () => undefined
}
function zero(): number {
  return 0
}
