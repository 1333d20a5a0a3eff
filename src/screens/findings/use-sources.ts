import { useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { least } from '../../lib/extremes.ts'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import type { SwarmFinding } from '../../api/contract/journey-findings.ts'
import type { ProjectScenario } from '../../api/contract/scenarios.ts'
import type { ScenarioFinding } from '../../api/contract/user-testing.ts'
import { isForbidden } from '../../domain/findings/dismissal.ts'
import { mergeFindings, type Finding, type FindingSource } from '../../domain/findings/finding.ts'
import { gateOf, insightsPerDay, type FindingsGate } from '../../domain/findings/gate.ts'
import type { PaneData, Problem } from '../../components/pane-state.tsx'
import type { LongList } from '../../components/list/read-on.tsx'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import type { RepeatedRead } from '../../domain/polling/cadence.ts'
import type { PolledQuery } from '../../hooks/answers.ts'
import { useCadence } from '../../hooks/use-cadence.ts'
import { idOf, MOST_EACH, useEach } from '../../hooks/use-each.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { plural } from '../../lib/format.ts'

/** A list of findings: that of the project's swarms, or that of one scenario. */
export type SourceState = {
  kind: FindingSource
  name: string
  /** Number of findings read so far. */
  count: number | undefined
  /** Whether some pages have not been read. */
  hasMore: boolean
  /**
   * Whether the source has more findings than are read automatically, or can be read, so that the list is incomplete.
   */
  isCut?: boolean
  isStuck?: boolean
  problem: Problem | undefined
  updatedAt: number | undefined
  /** Whether the source is switched off for the organization, so that it is not read. */
  isClosed: boolean
}

export type Sources = {
  findings: readonly Finding[]
  /** Findings read in this session, once every source was read or failed. */
  fresh: readonly Finding[] | undefined
  states: readonly SourceState[]
  /** Lists that are read page by page: that of the swarms, and that of the scenarios. */
  lists: LongList
  data: PaneData
  gate: FindingsGate
  /** Whether every source that is not switched off was read completely, or failed. */
  isRead: boolean
  /** Whether every source is switched off. */
  isClosed: boolean
  /** Number of insights that the organization may request in a day. */
  insightsPerDay: number | undefined
}

/**
 * Milliseconds between two reads of everything; if requests are limited, at least `EACH_REQUEST_MS` for each request.
 */
const REFRESH_MS = { local: 20_000, remote: 50_000 }
const EACH_REQUEST_MS = 5_000
/** Approximate number of swarm findings on a page of the service. */
const FINDINGS_A_PAGE = 50
const NONE: never[] = []

/** Reads every list of findings of a project within the budget, except those behind a closed feature gate. */
export function useSources(projectId: string): Sources {
  const { queries } = useWorkspace()
  const capabilities = useApiQuery(queries.projects.capabilities.options({ projectId }))
  const gate = useMemo(() => gateOf(capabilities.data), [capabilities.data])
  const isKnown = capabilities.hasData || capabilities.problem !== undefined
  // The published scenarios are listed even while the feature is off, but they are used here only to read findings.
  const scenarios = useWholeList(queries.scenarios.list, { projectId }, { enabled: isKnown && !gate.scenario })
  const stretch = useStretch(projectId)
  const scenarioCount = Math.min(stretch.most, scenarios.items?.length ?? 0)
  const swarm = useSwarmFindings(projectId, isKnown && !gate.swarm, scenarioCount)
  const swarmCount = swarm.items?.length ?? 0
  const read = useRead(1 + scenarioCount + Math.floor(swarmCount / FINDINGS_A_PAGE))
  const each = { enabled: isKnown && !gate.scenario, most: stretch.most, read }
  const { first: published, reads: found, left } = useEachScenario(scenarios.items, projectId, each)
  const findings = useMerged(swarm.items, published, found)
  const rest = restOf(scenarios, left, stretch.more)
  const known = [
    swarmState(swarm, gate.swarm),
    ...scenarioStates({ scenarios, published, found, isClosed: gate.scenario }),
  ]
  const states = [...known, ...(gate.scenario || !rest.hasMore ? [] : [restState(rest, left)])]
  const isClosed = gate.swarm && gate.scenario
  const isRead = states.every(isReadOrFailed)
  // Closed sources are not read again, so they are not waited for.
  const isRestored =
    (!gate.swarm && swarm.restored && !swarm.problem) ||
    (!gate.scenario && (scenarios.restored || found.some(query => query.data && !query.isFetched)))
  return {
    findings,
    fresh: isRead && !isRestored && !isClosed ? findings : undefined,
    states,
    lists: bothLists(swarm, rest),
    isRead,
    data: paneData(known, { isRestored, problem: capabilities.problem }),
    gate,
    isClosed,
    insightsPerDay: insightsPerDay(capabilities.data),
  }
}

type Answers = readonly UseQueryResult<{ items: readonly ScenarioFinding[] }, ApiError>[]

/** Returns the findings of both kinds of sources; `found` is in the order of the scenarios. */
function useMerged(
  swarm: readonly SwarmFinding[] = NONE,
  published: readonly ProjectScenario[],
  found: Answers,
): readonly Finding[] {
  const answers = useSame(found.map(({ data }) => data?.items))
  return useMemo(
    () =>
      mergeFindings(
        swarm,
        published.map(({ id, name }, index) => ({ scenario: { id, name }, items: answers[index] ?? NONE })),
      ),
    [swarm, published, answers],
  )
}

/** Whether a source was read completely, failed, or is closed, so that it is not read. */
function isReadOrFailed({ isClosed, problem, count, hasMore }: SourceState): boolean {
  return isClosed || problem !== undefined || (count !== undefined && !hasMore)
}

/** Reads the findings of each of the first scenarios. */
function useEachScenario(
  scenarios: readonly ProjectScenario[] = NONE,
  projectId: string,
  { enabled, most, read }: { enabled: boolean; most: number; read: RepeatedRead },
) {
  const { queries } = useWorkspace()
  const pause = useCadence()
  return useEach(scenarios, {
    nameOf: idOf,
    options: ({ id }) => ({
      ...queries.userTestingFindings.list.options({ projectId, scenarioId: id }),
      enabled,
      refetchInterval: (query: PolledQuery) => pause(!isForbidden(query.state.error) && read, query),
    }),
    most,
  })
}

/** Returns the number of scenarios of a project that are read; `more` adds the same number. */
function useStretch(projectId: string): { most: number; more: () => void } {
  const [read, setRead] = useState({ projectId, most: MOST_EACH })
  const most = read.projectId === projectId ? read.most : MOST_EACH
  return { most, more: () => setRead({ projectId, most: most + MOST_EACH }) }
}

type Rest = LongList & { problem: Problem | undefined }

/**
 * Returns the state of the scenarios whose findings are not read, because the list left them out or their page is not
 * loaded yet.
 */
function restOf(scenarios: ApiPages<unknown>, left: number, more: () => void): Rest {
  const { hasMore, isCut, isStuck, problem, readAhead } = scenarios
  if (left === 0) return { hasMore, isCut, isStuck, problem, more: scenarios.more, readAhead }
  return { hasMore: true, isCut: true, isStuck: false, problem: undefined, more, readAhead }
}

function restState({ isCut, isStuck, problem }: Rest, left: number): SourceState {
  return {
    kind: 'scenario',
    name: left > 0 ? plural(left, 'further scenario') : 'further scenarios',
    count: isCut ? 0 : undefined,
    hasMore: true,
    isCut,
    isStuck,
    problem,
    updatedAt: undefined,
    isClosed: false,
  }
}

/** Combines two lists that one key continues. */
function bothLists(...both: [LongList, LongList]): LongList {
  const open = both.filter(({ hasMore }) => hasMore)
  const goesOn = open.filter(({ isStuck }) => !isStuck)
  return {
    hasMore: open.length > 0,
    isCut: open.some(({ isCut }) => isCut),
    isStuck: open.length > 0 && goesOn.length === 0,
    problem: open.find(({ problem }) => problem !== undefined)?.problem,
    more: () => goesOn.forEach(({ more }) => more()),
    readAhead: () => goesOn.forEach(({ readAhead }) => readAhead()),
  }
}

/** Reads all pages of the swarms' list in order, since sorting needs every row. */
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

/** Returns how everything is read again, for this number of requests. */
function useRead(requests: number): RepeatedRead {
  const { unlimited } = useWorkspace().budget.snapshot()
  return {
    kind: 'own',
    everyMs: unlimited ? REFRESH_MS.local : Math.max(REFRESH_MS.remote, requests * EACH_REQUEST_MS),
  }
}

function swarmState(swarm: ApiPages<unknown>, isClosed: boolean): SourceState {
  return {
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
    isClosed,
  }
}

function scenarioStates(of: {
  scenarios: PaneData
  published: readonly { id: string; name: string }[]
  found: Answers
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

/** Returns the state of the whole list: it has failed only if every source has. */
function paneData(states: readonly SourceState[], of: { isRestored: boolean; problem: Problem | undefined }): PaneData {
  const open = states.filter(state => !state.isClosed)
  const failed = open.filter(({ problem }) => problem !== undefined)
  // With nothing left to read, such as swarms switched off and no scenario, nothing is waited for.
  const hasData = open.length === 0 || open.some(({ count }) => count !== undefined)
  return {
    pending: !hasData,
    hasData,
    problem: open.length > 0 && failed.length === open.length ? failed[0]?.problem : undefined,
    get updatedAt() {
      const times = open.flatMap(({ updatedAt }) => updatedAt ?? [])
      return times.length === 0 ? undefined : least(times)
    },
    restored: of.isRestored,
  }
}

/** Returns the previous list, as long as it contains the same things. */
function useSame<T>(list: readonly T[]): readonly T[] {
  const last = useRef(list)
  if (last.current.length !== list.length || last.current.some((each, index) => each !== list[index]))
    last.current = list
  return last.current
}
