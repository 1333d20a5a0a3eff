import { useMemo } from 'react'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { isTerminalRunStatus, runName, type EvalRun } from '../../../api/contract/runs.ts'
import { serviceNow } from '../../../api/client/transport/service-time.ts'
import { toEpochMs } from '../../../api/contract/shapes.ts'
import { localMoment } from '../../../lib/times.ts'
import {
  changeLabel,
  changesBehind,
  toolChanges,
  toolsSeenIn,
  type ToolListing,
} from '../../../domain/runs/comparison-tools.ts'
import { outcomeOfRun } from '../../../domain/runs/outcome.ts'
import { trialState } from '../../../domain/runs/trials.ts'
import { useApiQuery, type ApiQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'

/** Ended runs never change. */
const FINAL = { refetchInterval: false, staleTime: Infinity } as const
const LATEST_RUNS = 100

/** The tools that a run and an earlier one recorded. */
export type ToolEvidence = {
  /** The latest earlier run that passed, else the latest one that ended. */
  base: EvalRun | undefined
  /** The tools it saw; undefined while being read, and if nothing was recorded. */
  before: readonly ToolListing[] | undefined
  seen: readonly ToolListing[] | undefined
  reading: boolean
}

export type EvidenceOf = {
  projectId: string
  run: EvalRun | undefined
  trials: readonly EvalIteration[]
  /** False reads nothing; data that was already read is still returned. */
  enabled: boolean
}

/** Reads one trace of the run and one of an earlier run; each lists the tools of all servers of its run. */
export function useToolEvidence({ projectId, run, trials, enabled }: EvidenceOf): ToolEvidence {
  const { queries } = useWorkspace()
  const wanted = enabled && run !== undefined && isTerminalRunStatus(run.status)
  const suite = { projectId, suiteId: run?.suiteId ?? '', limit: LATEST_RUNS }
  const runs = useApiQuery({ ...queries.runs.list.options(suite), enabled: wanted, refetchInterval: false })
  const base = useMemo(() => baseOf(run, runs.data?.items ?? []), [run, runs.data])
  const hasBase = wanted && base !== undefined
  const first = useApiQuery({
    ...queries.iterations.list.options({ projectId, runId: base?.id ?? '', limit: 1 }),
    ...FINAL,
    enabled: hasBase,
  })
  const own = useTrace({ projectId, run, trial: tellingOf(trials), enabled: wanted })
  const earlier = useTrace({ projectId, run: base, trial: first.data?.items[0], enabled: hasBase })
  const reading = isReading(runs, wanted) || isReading(first, hasBase) || own.reading || earlier.reading
  return { base, before: earlier.tools, seen: own.tools, reading }
}

/** Reads the tools listed in the trace of one trial. */
function useTrace({
  projectId,
  run,
  trial,
  enabled,
}: {
  projectId: string
  run: EvalRun | undefined
  trial: EvalIteration | undefined
  enabled: boolean
}): { tools: ToolListing[] | undefined; reading: boolean } {
  const { queries } = useWorkspace()
  const input = { projectId, runId: run?.id ?? '', iterationId: trial?.id ?? '' }
  const wanted = enabled && trial !== undefined
  const trace = useApiQuery({ ...queries.iterations.trace.options(input), ...FINAL, enabled: wanted })
  const tools = useMemo(() => toolsSeenIn(trace.data), [trace.data])
  return { tools, reading: isReading(trace, wanted) }
}

function isReading({ hasData, problem }: ApiQuery<unknown>, wanted: boolean): boolean {
  return wanted && !hasData && !problem
}

function tellingOf(trials: readonly EvalIteration[]): EvalIteration | undefined {
  return trials.find(each => trialState(each) === 'failed') ?? trials[0]
}

/** Runs are sorted latest first. */
function baseOf(run: EvalRun | undefined, runs: readonly EvalRun[]): EvalRun | undefined {
  const at = runs.findIndex(({ id }) => id === run?.id)
  const earlier = at === -1 ? [] : runs.slice(at + 1).filter(({ status }) => isTerminalRunStatus(status))
  return earlier.find(other => outcomeOfRun(other) === 'passed') ?? earlier[0]
}

/**
 * Returns sentences about what changed in the tools of failing cases since the earlier run, for the summary of a failed
 * run. If requests are limited it reads nothing by itself, and uses what the doctor has read.
 */
export function useToolFindings({ projectId, run, trials }: Omit<EvidenceOf, 'enabled'>): {
  base: EvalRun | undefined
  findings: readonly string[]
} {
  const { budget } = useWorkspace()
  const failing = useMemo(() => trials.filter(trial => trialState(trial) === 'failed'), [trials])
  const enabled = failing.length > 0 && budget.snapshot().unlimited
  const { base, before, seen } = useToolEvidence({ projectId, run, trials: failing, enabled })
  const findings = useMemo(
    () => (before && seen ? changesBehind(toolChanges(before, seen), failing).map(({ says }) => says) : []),
    [before, seen, failing],
  )
  return { base, findings }
}

/**
 * Returns sentences about what changed in the tools of one failing trial since the earlier run; empty if requests are
 * limited.
 */
export function useTrialCauses(projectId: string, run: EvalRun | undefined, trial: EvalIteration): readonly string[] {
  const { budget } = useWorkspace()
  const trials = useMemo(() => [trial], [trial])
  const enabled = trialState(trial) !== 'passed' && budget.snapshot().unlimited
  const { base, before, seen } = useToolEvidence({ projectId, run, trials, enabled })
  return useMemo(() => {
    if (!base || !before || !seen || !enabled) return []
    const at = toEpochMs(base.completedAt)
    const when = at === undefined ? '' : ` (${localMoment(at, serviceNow())})`
    return changesBehind(toolChanges(before, seen), trials).map(
      ({ change }) => `Changed after ${runName(base)}${when}: ${changeLabel(change)}.`,
    )
  }, [base, before, seen, enabled, trials])
}
