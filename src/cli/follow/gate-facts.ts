import { ApiError, isMissing } from '../../api/api-error.ts'
import type { CallOptions, Client } from '../../api/client.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { describeError } from '../../api/error-text.ts'
import { changedCases } from '../../api/runs/changes.ts'
import { judgeGate, type Gate, type GateResult } from '../../api/runs/gates.ts'
import { outcomeOfRun } from '../../api/runs/outcome.ts'
import { UsageError } from '../usage-error.ts'
import { toComparison, type Comparison } from './conclusion.ts'
import type { Followed } from './follow-run.ts'
import { parseRun, type RunPlace } from './reference.ts'

export type GateOptions = {
  minPassRate?: number
  /** Commander's `true` stands for an option in `--no-…` form that was not given. */
  newFailuresAgainst?: string | true
  maxDuration?: number
  maxTokens?: number
  gatesOnly?: boolean
}

/** The gates that the options ask for. @throws UsageError when gates are to decide and there are none */
export function gatesOf(own: GateOptions): Gate[] {
  const { minPassRate, newFailuresAgainst, maxDuration, maxTokens } = own
  const gates: Gate[] = [
    ...(minPassRate === undefined ? [] : [{ gate: 'min-pass-rate', wanted: minPassRate } as const]),
    ...(typeof newFailuresAgainst === 'string'
      ? [{ gate: 'no-new-failures-against', wanted: newFailuresAgainst } as const]
      : []),
    ...(maxDuration === undefined ? [] : [{ gate: 'max-duration', wanted: maxDuration } as const]),
    ...(maxTokens === undefined ? [] : [{ gate: 'max-tokens', wanted: maxTokens } as const]),
  ]
  if (own.gatesOnly && gates.length === 0) throw new UsageError('--gates-only needs a gate that decides.')
  return gates
}

/** Words for a base that is chosen when the run has ended. */
const CHOSEN_LATER = new Set(['last', 'baseline'])

/**
 * Makes sure that a run named as a base is there, before anything spends.
 * @throws UsageError when it is not
 */
export async function checkBase(client: Client, projectId: string, gates: readonly Gate[]): Promise<void> {
  for (const { gate, wanted } of gates) {
    if (gate !== 'no-new-failures-against' || CHOSEN_LATER.has(wanted)) continue
    const { runId } = parseRun(wanted)
    try {
      await client.runs.get({ projectId, runId }, { priority: 'asked' })
    } catch (error) {
      if (isMissing(error))
        throw new UsageError(`There is no run "${runId}" to compare with in this project.`)
      throw error
    }
  }
}

const LATEST_RUNS = 100

/**
 * The id of the run to compare with: `baseline` leaves the choice to the service (undefined), `last` is the latest
 * earlier run of the suite that has a verdict.
 * @returns a sentence in `why` where there is none
 */
async function baseOf(
  client: Client,
  { projectId }: RunPlace,
  run: EvalRun,
  against: string,
  options: CallOptions,
): Promise<{ baseRunId?: string } | { why: string }> {
  if (against === 'baseline') return {}
  if (against !== 'last') return { baseRunId: parseRun(against).runId }
  const input = { projectId, suiteId: run.suiteId, limit: LATEST_RUNS }
  const { items } = await client.runs.list(input, options)
  const place = items.findIndex(({ id }) => id === run.id)
  const earlier = items.slice(place + 1).find(other => {
    const outcome = outcomeOfRun(other)
    return outcome === 'passed' || outcome === 'failed'
  })
  return earlier ? { baseRunId: earlier.id } : { why: 'the suite has no earlier run with a verdict' }
}

/** A run beside another, or why they cannot be compared. */
export async function compareRun(
  client: Client,
  place: RunPlace,
  { run, trials }: Extract<Followed, { kind: 'ended' }>,
  against: string,
): Promise<Comparison | string> {
  const options = { priority: 'asked' } as const
  try {
    const base = await baseOf(client, place, run, against, options)
    if ('why' in base) return base.why
    const comparison = await client.runs.compare({ ...place, ...base }, options)
    return toComparison(comparison.baseline.baseRunId, changedCases(comparison, trials))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { title, sentence } = describeError(error)
    return `${title}: ${sentence}`
  }
}

/** Judges the gates of a run that has ended; they are not known for any other. */
export function judgeGates(
  gates: readonly Gate[],
  followed: Followed,
  compared: Comparison | string | undefined,
): GateResult[] {
  const { run, trials } = followed
  if (followed.kind !== 'ended' || !run)
    return gates.map(gate => ({ ...gate, actual: null, passed: null, says: 'the run has not ended' }))
  const changes = typeof compared === 'object' ? compared.cases : (compared ?? 'nothing was compared')
  return gates.map(gate => judgeGate(gate, { run, trials, changes }))
}
