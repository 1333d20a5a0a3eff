import { useQueries, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import type { ScenarioFinding } from '../../api/contract/user-testing.ts'
import { isForbidden } from '../../domain/findings/dismissal.ts'
import { mergeFindings, type Finding, type FindingSource } from '../../domain/findings/finding.ts'
import { gateOf, insightsPerDay, type FindingsGate } from '../../domain/findings/gate.ts'
import type { PaneData, Problem } from '../../components/pane-state.tsx'
import type { LongList } from '../../components/list/read-on.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import type { RepeatedRead } from '../../domain/polling/cadence.ts'
import type { PolledQuery } from '../../hooks/answers.ts'
import { useCadence } from '../../hooks/use-cadence.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

/** One list that findings come from: that of the project's swarms, or that of one scenario. */
export type SourceState = {
  kind: FindingSource
  name: string
  /** Findings read so far. */
  count: number | undefined
  /** There are pages that have not been read. */
  hasMore: boolean
  /** It has more than is read by itself, or that can be read; what is there is not all. */
  isCut?: boolean
  isStuck?: boolean
  problem: Problem | undefined
  updatedAt: number | undefined
  /** Switched off for the organization: it is not read. */
  isClosed: boolean
}

export type Sources = {
  findings: readonly Finding[]
  /** Those that were read in this session, once every source has been or failed. */
  fresh: readonly Finding[] | undefined
  states: readonly SourceState[]
  /** The list of the swarms, which is read page by page. */
  swarm: LongList
  data: PaneData
  gate: FindingsGate
  /** Every source was read to its end, or failed. */
  isRead: boolean
  /** Every source is switched off. */
  isClosed: boolean
  /** Insights that the organization may ask for in a day. */
  insightsPerDay: number | undefined
}

/** Pause between two reads of everything, in milliseconds; where requests count, so much for each of them at least. */
const REFRESH_MS = { local: 20_000, remote: 50_000 }
const EACH_REQUEST_MS = 5_000
/** The service's page of swarm findings holds about as many. */
const FINDINGS_A_PAGE = 50
const NONE: never[] = []

/** Every list of findings of a project, read within the budget; what the gate closes is not read at all. */
export function useSources(projectId: string): Sources {
  const { queries } = useWorkspace()
  const capabilities = useApiQuery(queries.projects.capabilities.options({ projectId }))
  const gate = useMemo(() => gateOf(capabilities.data), [capabilities.data])
  const isKnown = capabilities.hasData || capabilities.problem !== undefined
  // The list of published scenarios stands outside the gate, but has no other use here.
  const scenarios = useWholeList(queries.scenarios.list, { projectId }, { enabled: isKnown && !gate.scenario })
  const published = scenarios.items ?? NONE
  const swarm = useSwarmFindings(projectId, isKnown && !gate.swarm, published.length)
  const swarmCount = swarm.items?.length ?? 0
  const pause = useCadence()
  const read = useRead(1 + published.length + Math.floor(swarmCount / FINDINGS_A_PAGE))
  const found = useQueries({
    queries: published.map(({ id }) => ({
      ...queries.userTestingFindings.list.options({ projectId, scenarioId: id }),
      enabled: isKnown && !gate.scenario,
      refetchInterval: (query: PolledQuery) => pause(!isForbidden(query.state.error) && read, query),
    })),
  })
  const answers = useSame(found.map(({ data }) => data?.items))
  const findings = useMemo(
    () =>
      mergeFindings(
        swarm.items ?? NONE,
        published.map(({ id, name }, index) => ({ scenario: { id, name }, items: answers[index] ?? NONE })),
      ),
    [swarm.items, published, answers],
  )
  const states: SourceState[] = [
    {
      kind: 'swarm',
      name: 'Swarms of the project',
      count: swarm.items?.length,
      hasMore: swarm.hasMore,
      isCut: swarm.isCut,
      isStuck: swarm.isStuck,
      problem: swarm.problem,
      get updatedAt() {
        return swarm.updatedAt
      },
      isClosed: gate.swarm,
    },
    ...scenarioStates({ scenarios, published, found, isClosed: gate.scenario }),
  ]
  const isClosed = gate.swarm && gate.scenario
  const isRead = states.every(state => state.isClosed || state.problem || (state.count !== undefined && !state.hasMore))
  // What is closed is not read again, so that it is not waited for.
  const isRestored =
    (!gate.swarm && swarm.restored && !swarm.problem) ||
    (!gate.scenario && (scenarios.restored || found.some(each => each.data && !each.isFetched)))
  return {
    findings,
    fresh: isRead && !isRestored && !isClosed ? findings : undefined,
    states,
    swarm,
    isRead,
    data: paneData(states, { isClosed, isRestored, problem: capabilities.problem }),
    gate,
    isClosed,
    insightsPerDay: insightsPerDay(capabilities.data),
  }
}

/** All pages of the swarms' list, one after the other: the order of the list needs every row. */
function useSwarmFindings(projectId: string, enabled: boolean, others: number) {
  const { queries } = useWorkspace()
  const queryClient = useQueryClient()
  const options = queries.journeyFindings.list.infinite({ projectId })
  const known = queryClient.getQueryState(options.queryKey)
  const read = queryClient.getQueryData(options.queryKey)?.pages.length ?? 1
  const again = useRead(1 + others + read)
  return useWholeList(
    queries.journeyFindings.list,
    { projectId },
    { enabled, read: !isForbidden(known?.error) && again },
  )
}

/** How everything is read again, given how many requests that takes. */
function useRead(requests: number): RepeatedRead {
  const { unlimited } = useWorkspace().budget.snapshot()
  return {
    kind: 'own',
    everyMs: unlimited ? REFRESH_MS.local : Math.max(REFRESH_MS.remote, requests * EACH_REQUEST_MS),
  }
}

function scenarioStates(of: {
  scenarios: PaneData
  published: readonly { id: string; name: string }[]
  found: readonly UseQueryResult<{ items: readonly ScenarioFinding[] }, ApiError>[]
  isClosed: boolean
}): SourceState[] {
  const { scenarios, published, found, isClosed } = of
  const isMissing = !scenarios.hasData
  if (isClosed || isMissing)
    return [
      {
        kind: 'scenario',
        name: 'Published scenarios',
        count: undefined,
        hasMore: false,
        problem: isClosed ? undefined : scenarios.problem,
        updatedAt: undefined,
        isClosed,
      },
    ]
  return published.map(({ name }, index) => {
    const query = found[index]
    return {
      kind: 'scenario',
      name,
      count: query?.data?.items.length,
      hasMore: false,
      problem: query?.error ? describeError(query.error) : undefined,
      get updatedAt() {
        return query?.dataUpdatedAt || undefined
      },
      isClosed: false,
    }
  })
}

/** The list's own five states: it has failed only where every source has. */
function paneData(
  states: readonly SourceState[],
  of: { isClosed: boolean; isRestored: boolean; problem: Problem | undefined },
): PaneData {
  const open = states.filter(state => !state.isClosed)
  const failed = open.filter(({ problem }) => problem !== undefined)
  const hasData = of.isClosed || open.some(({ count }) => count !== undefined)
  return {
    pending: !hasData,
    hasData,
    problem: open.length > 0 && failed.length === open.length ? failed[0]?.problem : undefined,
    get updatedAt() {
      const times = open.flatMap(({ updatedAt }) => updatedAt ?? [])
      return times.length === 0 ? undefined : Math.min(...times)
    },
    restored: of.isRestored,
  }
}

/** The list before, as long as it holds the same things. */
function useSame<T>(list: readonly T[]): readonly T[] {
  const last = useRef(list)
  if (last.current.length !== list.length || last.current.some((each, index) => each !== list[index]))
    last.current = list
  return last.current
}
