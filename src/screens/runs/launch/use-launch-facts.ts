import { useQuery } from '@tanstack/react-query'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import type { EvalCase, EvalSuite, EvalSuiteDetail } from '../../../api/contract/suites.ts'
import { describeError } from '../../../api/client/errors/error-text.ts'
import { environmentFault } from '../../../domain/runs/launch-refusal.ts'
import { targetsOf } from '../../../domain/runs/launch-rules.ts'
import { earlierDurations } from '../../../domain/runs/launch-size.ts'
import { latestInFlight, type SlotHolder } from '../../../domain/runs/launch-slots.ts'
import { createTrialReader } from '../../../domain/runs/trial-reader.ts'
import { isOpenTrial } from '../../../domain/runs/trials.ts'
import { valuesOf } from '../../../components/form/field-input.ts'
import { useApiQuery, type ApiQuery } from '../../../hooks/use-api-query.ts'
import { ownName, useEach } from '../../../hooks/use-each.ts'
import { useWholeList } from '../../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import type { LaunchDraft } from './draft.ts'
import type { LaunchFacts, Preview, Unread } from './facts.ts'

/** Number of latest runs that show how long one takes and which are in flight. */
const RUNS_READ = 100

/**
 * Returns everything that the form shows about a launch, read when needed; suite and cases are available from the
 * start.
 */
export function useLaunchFacts(options: {
  projectId: string
  suite: EvalSuiteDetail
  cases: readonly EvalCase[]
  marked: readonly string[]
  draft: LaunchDraft
}): LaunchFacts & { ended: ReadonlySet<string> } {
  const { projectId, draft } = options
  const { queries } = useWorkspace()
  const suiteId = options.suite.id
  const suite = useApiQuery(queries.suites.get.options({ projectId, suiteId })).data ?? options.suite
  const cases = useWholeList(queries.cases.list, { projectId, suiteId }).items ?? options.cases
  const environmentList = useWholeList(queries.environments.list, { projectId })
  const environments = environmentList.items ?? []
  const servers = useWholeList(queries.servers.list, { projectId }).items ?? []
  const suiteList = useWholeList(queries.suites.list, { projectId })
  const suites = suiteList.items ?? []
  const announced = useApiQuery(queries.projects.capabilities.options({ projectId })).data
  const runList = useApiQuery(queries.runs.list.options({ projectId, suiteId, limit: RUNS_READ }))
  const runs = runList.data?.items
  const lastEnded = runs?.find(({ status }) => isTerminalRunStatus(status))
  const chosen = { environmentIds: valuesOf(draft.environments), clientIds: valuesOf(draft.clients) }
  const used = targetsOf(suite, { ...chosen, serverIds: [] }).environmentIds
  return {
    suite,
    cases,
    environments,
    servers,
    inFlight: holdersOf(suite, runs ?? [], latestInFlight(suites)),
    slots: slotsOf(announced),
    durations: earlierDurations(runs ?? []),
    lastEnded,
    failedLast: useFailedCases(projectId, draft.cases === 'failed' ? lastEnded?.id : undefined),
    marked: options.marked,
    previews: usePreviews(projectId, used),
    unread: {
      ...unread('slots', [runList, suiteList]),
      ...unread('durations', [runList]),
      ...unread('environments', [environmentList]),
    },
    ended: endedOf(runs ?? [], suites),
  }
}

type Read = Pick<ApiQuery<unknown>, 'hasData' | 'problem'> & { hasMore?: boolean; isCut?: boolean }

/** Returns why a fact that needs several reads is not known; nothing if all were read, up to the limits for lists. */
function unread<Fact extends string>(fact: Fact, reads: readonly Read[]): Partial<Record<Fact, Unread>> {
  const missing = reads.filter(({ hasData, hasMore, isCut }) => !hasData || (hasMore && !isCut))
  if (missing.length === 0) return {}
  const why: Unread = missing.some(({ problem }) => problem !== undefined) ? 'failed' : 'reading'
  return { [fact]: why } as Record<Fact, Unread>
}

/** Returns runs known to have ended, so that one named in a refusal stops holding its slot. */
function endedOf(runs: readonly EvalRun[], suites: readonly EvalSuite[]): ReadonlySet<string> {
  const own = runs.map(({ id, status }) => ({ id, status }))
  const latest = suites.map(({ latestRun }) => ({ id: latestRun?.id, status: latestRun?.status }))
  return new Set(
    [...own, ...latest].flatMap(({ id, status }) => (id && status && isTerminalRunStatus(status) ? [id] : [])),
  )
}

/**
 * Returns the runs that hold slots: the list of a suite's runs has all of them, the list of suites only the latest of
 * each.
 */
function holdersOf(
  { id, name }: EvalSuiteDetail,
  runs: readonly EvalRun[],
  latest: readonly SlotHolder[],
): SlotHolder[] {
  const own = runs
    .filter(run => !isTerminalRunStatus(run.status) && run.source !== 'sdk')
    .map(run => ({
      runId: run.id,
      suiteId: id,
      suiteName: name ?? id,
      status: run.status,
      ...(run.runNumber != null && { runNumber: run.runNumber }),
    }))
  return [...own, ...latest.filter(({ suiteId }) => suiteId !== id)]
}

/** Returns the announced number of slots. The contract does not document it, so anything but a number is ignored. */
function slotsOf(announced: unknown): number | undefined {
  const { plan } = Object(announced) as { plan?: unknown }
  const { limits } = Object(plan) as { limits?: unknown }
  const { concurrentRuns } = Object(limits) as { concurrentRuns?: unknown }
  return typeof concurrentRuns === 'number' ? concurrentRuns : undefined
}

/** Reads what each environment currently resolves to. */
function usePreviews(projectId: string, environmentIds: readonly string[]): ReadonlyMap<string, Preview> {
  const { queries } = useWorkspace()
  const { first, reads } = useEach(environmentIds, {
    nameOf: ownName,
    options: environmentId => queries.environments.resolve.options({ projectId, environmentId }),
  })
  return new Map(
    first.map((id, index) => {
      const { data, error } = reads[index]!
      return [id, { ...(data && { resolved: data }), ...(error && { fault: faultText(error) }) }]
    }),
  )
}

function faultText(error: Error): string {
  const { sentence, next } = environmentFault(error) ?? describeError(error)
  return `${sentence} ${next}`
}

/** Returns the cases of a run with a trial that ended without a pass and was not cancelled; undefined until read. */
function useFailedCases(projectId: string, runId: string | undefined): readonly string[] | undefined {
  const { client } = useWorkspace()
  const { data } = useQuery({
    queryKey: ['launch', 'failed cases', runId ?? ''],
    // Only the ids are kept: ten thousand trials with their answers could be most of the program’s memory.
    queryFn: async ({ signal }) =>
      failedCases(await createTrialReader(client, { projectId, runId: runId ?? '' }, { signal }).read()),
    enabled: runId !== undefined,
  })
  return data
}

function failedCases(trials: readonly EvalIteration[]): string[] {
  const failed = trials.filter(
    trial => !isOpenTrial(trial) && trial.status !== 'cancelled' && trial.result !== 'passed',
  )
  return [...new Set(failed.flatMap(({ testCaseId }) => testCaseId ?? []))]
}
