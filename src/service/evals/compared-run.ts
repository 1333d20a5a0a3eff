import { variantKey } from '../../api/contract/runs.ts'
import { scoresOf, scorersOf, type Score, type Scorer } from './scores.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type { CaseSnapshot, CheckVerdict, StepVerdict, Transcript } from './types.ts'

/** A trial with what a comparison needs of its outcome. */
export type ComparedTrial = {
  iterationId: string
  /** Place of its snapshot among the run's. */
  variant: number
  class: TrialClass
  error?: string | undefined
  /** Empty while the trial has no outcome. */
  steps: readonly StepVerdict[]
  checks: readonly CheckVerdict[]
  usage?: Transcript['usage'] | undefined
}

/** One side of a comparison: a run with the snapshots that it executed. */
export type ComparedRun = {
  id: string
  runNumber: number
  result: 'passed' | 'failed' | null
  /** Epoch milliseconds, as the next. */
  createdAt: number
  completedAt: number | null
  summary: { total: number; passed: number; failed: number; passRate: number | null } | null
  cases: readonly CaseSnapshot[]
  trials: readonly ComparedTrial[]
}

/** A variant of one side with its trials and their score rows. */
export type ComparedCaseSide = {
  snapshot: CaseSnapshot
  trials: readonly ComparedTrial[]
  scorers: readonly Scorer[]
  /** The rows of each trial. */
  scores: Score[][]
}

/** The variants of a run, in its order. */
export function sidesOf(run: ComparedRun): ComparedCaseSide[] {
  const byVariant = Map.groupBy(run.trials, trial => trial.variant)
  return run.cases.map((snapshot, variant) => {
    const trials = byVariant.get(variant) ?? []
    const scorers = scorersOf(snapshot)
    return { snapshot, trials, scorers, scores: trials.map(trial => scoresOf(snapshot, scorers, trial)) }
  })
}

/** A variant on both sides, or on the only one that has it. */
export type ComparedPair = { base?: ComparedCaseSide; compare?: ComparedCaseSide }

/**
 * Puts like beside like: the same case on the same model, else the same authored key (a case whose model was changed),
 * else the only variants of a case that are left. In the order of `compare`, what only `base` has last.
 */
export function pairSides(base: readonly ComparedCaseSide[], compare: readonly ComparedCaseSide[]): ComparedPair[] {
  const partners = new Map<ComparedCaseSide, ComparedCaseSide>()
  const free = new Set(base)
  for (const keyOf of [variantOf, authoredKey, caseOf]) {
    const left = Map.groupBy(free, keyOf)
    const right = Map.groupBy(
      compare.filter(side => !partners.has(side)),
      keyOf,
    )
    for (const [key, [side, ...others]] of right) {
      const [partner, ...rivals] = left.get(key) ?? []
      if (!side || !partner || others.length > 0 || rivals.length > 0) continue
      partners.set(side, partner)
      free.delete(partner)
    }
  }
  const pairs = compare.map((side): ComparedPair => {
    const partner = partners.get(side)
    return { ...(partner && { base: partner }), compare: side }
  })
  return [...pairs, ...[...free].map((side): ComparedPair => ({ base: side }))]
}

const variantOf = ({ snapshot }: ComparedCaseSide): string => variantKey(snapshot)
const authoredKey = ({ snapshot }: ComparedCaseSide): string => snapshot.caseKey
const caseOf = ({ snapshot }: ComparedCaseSide): string => snapshot.caseId

/** A figure on both sides of a comparison; unknowns stay null (contract: NumericDiff). */
export type NumericDiff = {
  base: number | null
  compare: number | null
  delta: number | null
  /** Percent of the base, 100 = doubled; null where the base is zero. */
  percentDelta: number | null
}

export function numericDiff(base: number | null, compare: number | null): NumericDiff {
  const delta = base === null || compare === null ? null : compare - base
  return { base, compare, delta, percentDelta: delta === null || !base ? null : (delta / Math.abs(base)) * 100 }
}
