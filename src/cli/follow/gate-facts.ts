import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { runName } from '../../api/contract/runs.ts'
import { settingDifferences } from '../../domain/runs/bases.ts'
import { changedCases } from '../../domain/runs/changes.ts'
import {
  judgeGates as judgeAll,
  type Gate,
  type GateFacts,
  type GateResult,
  type RetriedFacts,
} from '../../domain/runs/gates.ts'
import { outcomeOfRun } from '../../domain/runs/outcome.ts'
import type { EndedRun, FlakyCase } from '../../domain/runs/retries.ts'
import { variantOfTrial } from '../../domain/runs/variants.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { findBase, trialsOf, type Base } from './base.ts'
import type { BaselineOptions } from './baseline.ts'
import { toComparison, type Comparison, type Retried } from './conclusion.ts'
import type { Followed } from './follow-run.ts'
import type { RunPlace } from './reference.ts'

export type GateOptions = BaselineOptions & {
  minPassRate?: number
  minGraded?: number
  /** Commander sets `true` for an option with a `--no-…` form that was not given. */
  newFailuresAgainst?: string | true
  maxDuration?: number
  maxTokens?: number
  maxBroken?: number
  maxFlaky?: number
  minJudge?: number
  maxP95?: number
  maxLatency?: number
  gatesOnly?: boolean
}

/**
 * Returns the gates that the options ask for, and the minimum share to grade: everything unless an option says
 * otherwise.
 * @throws UsageError if only gates should decide and there are none
 */
export function gatesOf(own: GateOptions): Gate[] {
  const { newFailuresAgainst, baseline, minGraded } = own
  const gates: Gate[] = [
    ...given('min-pass-rate', own.minPassRate),
    ...(typeof newFailuresAgainst === 'string'
      ? [{ gate: 'no-new-failures-against', wanted: newFailuresAgainst } as const]
      : []),
    ...(baseline === undefined
      ? []
      : [{ gate: own.updateBaseline ? 'update-baseline' : 'baseline', wanted: baseline } as const]),
    ...given('max-duration', own.maxDuration),
    ...given('max-tokens', own.maxTokens),
    ...given('max-broken', own.maxBroken),
    ...given('max-flaky', own.maxFlaky),
    ...given('min-judge', own.minJudge),
    ...given('max-p95', own.maxP95),
    ...given('max-latency', own.maxLatency),
  ]
  if (own.gatesOnly && gates.length === 0) throw new UsageError('--gates-only needs a gate that decides.')
  const isJudged = gates.length > 0 || minGraded !== undefined
  return isJudged ? [{ gate: 'min-graded', wanted: minGraded ?? 1 }, ...gates] : []
}

type NumberGate = Extract<Gate, { wanted: number }>['gate']

function given<Name extends NumberGate>(gate: Name, wanted: number | undefined): { gate: Name; wanted: number }[] {
  return wanted === undefined ? [] : [{ gate, wanted }]
}

/**
 * Compares a run with another; returns why if they cannot be compared.
 * @param flaky cases that passed in a rerun, which count as passed
 */
export async function compareRun(
  client: Client,
  place: RunPlace,
  { run, trials }: EndedRun,
  against: Base,
  { signal, flaky = [] }: { signal: AbortSignal; flaky?: readonly FlakyCase[] | undefined },
): Promise<Comparison | string> {
  try {
    const found = await findBase(against, { client, place, run, trials, signal })
    if ('why' in found) return found.why
    const input = found.run ? { ...place, baseRunId: found.run.id } : place
    const comparison = await client.runs.compare(input, { signal })
    const { baseRunId } = comparison.baseline
    const base = found.run ?? (await client.runs.get({ ...place, runId: baseRunId }, { signal }))
    const read = found.run ? undefined : await trialsOf(client, { ...place, runId: baseRunId }, signal)
    const differs = settingDifferences({ run, trials }, { run: base, trials: read })
    const { isNamed } = found
    if (differs.length > 0 && !isNamed)
      return `the service’s choice, ${runName(base)}, is of another ${differs.join(' and ')}`
    const variants = new Set(flaky.map(({ variant }) => variant))
    const ids = new Set(trials.flatMap(trial => (variants.has(variantOfTrial(trial)) ? [trial.id] : [])))
    return toComparison(
      baseRunId,
      changedCases(comparison, trials, id => ids.has(id)),
      { name: runName(base), passed: outcomeOfRun(base) === 'passed', isNamed, differs },
    )
  } catch (error) {
    if (signal.aborted) return 'it was stopped'
    if (!(error instanceof ApiError)) throw error
    const { title, sentence } = describeError(error)
    return `${title}: ${sentence}`
  }
}

/** Judges the gates of a finished run; for any other run they are unknown. */
export function judgeGates(
  gates: readonly Gate[],
  followed: Followed,
  compared: Comparison | string | undefined,
  { retried, ...beside }: Pick<GateFacts, 'baseline' | 'written'> & { retried?: Retried | undefined } = {},
): GateResult[] {
  const { run } = followed
  if (followed.kind !== 'ended' || !run) {
    const says = run ? (retried ? 'its reruns have not ended' : 'the run has not ended') : 'no run was read'
    return gates.map(gate => ({ ...gate, actual: null, passed: null, says }))
  }
  const changes = typeof compared === 'object' ? compared.cases : (compared ?? 'nothing was compared')
  const base = typeof compared === 'object' ? compared.base : undefined
  const settled = retried?.settled ?? followed
  return judgeAll(gates, {
    run: settled.run,
    trials: settled.trials,
    retried: retried && factsOf(followed, retried),
    changes,
    base,
    ...beside,
  })
}

function factsOf(own: EndedRun, { settled, attempts }: Retried): RetriedFacts {
  const isRead = attempts.every(({ ended, mayHaveRun }) => ended !== undefined || !mayHaveRun)
  const all = [own, ...attempts.flatMap(({ ended }) => ended ?? [])].flatMap(({ trials }) => trials)
  const why = attempts.find(attempt => attempt.why !== null)?.why ?? undefined
  return { own, flaky: settled.flaky, all: isRead ? all : undefined, why }
}
