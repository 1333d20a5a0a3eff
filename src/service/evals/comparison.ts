import { asksModel, variantKey } from '../../api/contract/runs.ts'
import type { ComparedCase, EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { digest } from '../core/ids.ts'
import { outcomeOfVariant } from './grading.ts'
import {
  evaluationConfigHash,
  integrityOf,
  integrityOfAll,
  type Score,
  scoresOf,
  scorersOf,
  type Scorer,
} from './scores.ts'
import type { CaseSnapshot, ScoreIntegrity, CheckVerdict, StepVerdict, Transcript } from './types.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'

export type ComparedTrial = {
  iterationId: string
  /** Position of the trial's snapshot in the run. */
  variant: number
  class: TrialClass
  error?: string | undefined
  /** Empty if the trial has no outcome. */
  steps: readonly StepVerdict[]
  checks: readonly CheckVerdict[]
  usage?: Transcript['usage'] | undefined
}

/** One side of a comparison: a run with the snapshots it executed. */
export type ComparedRun = {
  id: string
  runNumber: number
  result: 'passed' | 'failed' | null
  /** Time in epoch milliseconds, like `completedAt`. */
  createdAt: number
  completedAt: number | null
  summary: { total: number; passed: number; failed: number; passRate: number | null } | null
  cases: readonly CaseSnapshot[]
  trials: readonly ComparedTrial[]
}

/** A variant on one side, with its trials and their score rows. */
type ComparedCaseSide = {
  snapshot: CaseSnapshot
  trials: readonly ComparedTrial[]
  scorers: readonly Scorer[]
  scores: Score[][]
}

function sidesOf(run: ComparedRun): ComparedCaseSide[] {
  const byVariant = Map.groupBy(run.trials, trial => trial.variant)
  return run.cases.map((snapshot, variant) => {
    const trials = byVariant.get(variant) ?? []
    const scorers = scorersOf(snapshot)
    return { snapshot, trials, scorers, scores: trials.map(trial => scoresOf(snapshot, scorers, trial)) }
  })
}

type ComparedPair = { base?: ComparedCaseSide; compare?: ComparedCaseSide }

/**
 * Pairs variants: those of the same case and model, else those with the same authored key, else the only ones left of
 * the same case. There is a pair only if each side has exactly one candidate. Variants that are only in `base` come
 * last.
 */
function pairSides(base: readonly ComparedCaseSide[], compare: readonly ComparedCaseSide[]): ComparedPair[] {
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

/** A number on both sides of a comparison. Unknown values stay null (contract: NumericDiff). */
type NumericDiff = {
  base: number | null
  compare: number | null
  delta: number | null
  /** Change in percent of the base: 100 = doubled; null if the base is zero. */
  percentDelta: number | null
}

export function numericDiff(base: number | null, compare: number | null): NumericDiff {
  const delta = base === null || compare === null ? null : compare - base
  return { base, compare, delta, percentDelta: delta === null || !base ? null : (delta / Math.abs(base)) * 100 }
}

/** A comparison of the scores of two runs (contract: EvalRunCompare, `scoreContract`). */
type ScoreContract = {
  base: ScoreContractSide
  compare: ScoreContractSide
  evaluationConfigChanged: boolean
  scorers: ScorerComparison[]
}

type ScoreContractSide = {
  evaluationConfigHash: string
  scoreIntegrity: ScoreIntegrity | null
  scoredIterations: number
  /** Scores are computed here and never accepted from outside, so none is quarantined. */
  quarantinedIterations: 0
}

type ScorerIdentity = {
  scorerId: string
  gating: true
  deterministic: true
  /** Whether the two sides measured different things. A difference of the scores is then no regression. */
  definitionChanged: boolean
}

/** One scorer in both runs. The rates are fractions of its scored rows. */
type ScorerComparison = ScorerIdentity & {
  passRate: NumericDiff
  meanValue: NumericDiff
  errorCount: { base: number; compare: number }
}

/** One scorer in the trials of one case (contract: CaseScoreDelta). */
type CaseScoreDelta = ScorerIdentity & { base: CaseScore | null; compare: CaseScore | null; value: NumericDiff }

type CaseScore = { status: Score['status']; value: number | null; passed: boolean | null }

type ScorerRows = { hashes: Set<string>; scores: Score[] }

function scoreContract(base: Iterable<ComparedCaseSide>, compare: Iterable<ComparedCaseSide>): ScoreContract {
  const [before, after] = [summarize([...base]), summarize([...compare])]
  return {
    base: before.side,
    compare: after.side,
    evaluationConfigChanged: before.side.evaluationConfigHash !== after.side.evaluationConfigHash,
    scorers: pairScorers(before.scorers, after.scorers).map(({ identity, left, right }) => ({
      ...identity,
      passRate: numericDiff(passRate(left), passRate(right)),
      meanValue: numericDiff(meanValue(left), meanValue(right)),
      errorCount: { base: countErrors(left), compare: countErrors(right) },
    })),
  }
}

/** Compares the scores of one case. A missing side has no rows. */
function scoreDeltas(base: ComparedCaseSide | undefined, compare: ComparedCaseSide | undefined): CaseScoreDelta[] {
  const scorers = (side: ComparedCaseSide | undefined) => collectRows(side ? [side] : [])
  return pairScorers(scorers(base), scorers(compare)).map(({ identity, left, right }) => ({
    ...identity,
    base: left ? toCaseScore(left) : null,
    compare: right ? toCaseScore(right) : null,
    value: numericDiff(meanValue(left), meanValue(right)),
  }))
}

function summarize(cases: readonly ComparedCaseSide[]) {
  const trials = cases.flatMap(({ scores }) => scores)
  const side: ScoreContractSide = {
    evaluationConfigHash: evaluationConfigHash(cases.flatMap(({ scorers }) => scorers)),
    scoreIntegrity: integrityOfAll(cases.flatMap(integritiesOf)) ?? null,
    scoredIterations: trials.filter(scores => scores.some(score => score.status === 'scored')).length,
    quarantinedIterations: 0,
  }
  return { side, scorers: collectRows(cases) }
}

function integritiesOf({ snapshot, trials, scorers, scores }: ComparedCaseSide): (ScoreIntegrity | undefined)[] {
  return trials.map((trial, index) => integrityOf(snapshot, { scorers, scores: scores[index] ?? [] }, trial))
}

function collectRows(cases: readonly ComparedCaseSide[]): Map<string, ScorerRows> {
  const rows = new Map<string, ScorerRows>()
  for (const { scorers, scores } of cases) {
    for (const { definition, hash } of scorers) {
      const known = rows.get(definition.scorerId) ?? { hashes: new Set(), scores: [] }
      rows.set(definition.scorerId, known)
      known.hashes.add(hash)
    }
    for (const score of scores.flat()) rows.get(score.scorerId)?.scores.push(score)
  }
  return rows
}

function pairScorers(
  base: Map<string, ScorerRows>,
  compare: Map<string, ScorerRows>,
): { identity: ScorerIdentity; left: ScorerRows | undefined; right: ScorerRows | undefined }[] {
  return [...new Set([...compare.keys(), ...base.keys()])].map(scorerId => {
    const [left, right] = [base.get(scorerId), compare.get(scorerId)]
    const definitionChanged = left !== undefined && right !== undefined && !sameHashes(left.hashes, right.hashes)
    return { identity: { scorerId, gating: true, deterministic: true, definitionChanged }, left, right }
  })
}

function sameHashes(left: Set<string>, right: Set<string>): boolean {
  return left.size === right.size && [...left].every(hash => right.has(hash))
}

function toCaseScore(scorer: ScorerRows): CaseScore {
  const values = valuesOf(scorer)
  if (values.length > 0)
    return { status: 'scored', value: meanValue(scorer), passed: scorer.scores.every(score => score.passed !== false) }
  return { status: countErrors(scorer) > 0 ? 'error' : 'skipped', value: null, passed: null }
}

function valuesOf(scorer: ScorerRows | undefined): number[] {
  return scorer?.scores.flatMap(score => score.value ?? []) ?? []
}

function meanValue(scorer: ScorerRows | undefined): number | null {
  const values = valuesOf(scorer)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

function passRate(scorer: ScorerRows | undefined): number | null {
  const scored = scorer?.scores.filter(score => score.status === 'scored') ?? []
  return scored.length === 0 ? null : scored.filter(score => score.passed).length / scored.length
}

function countErrors(scorer: ScorerRows | undefined): number {
  return scorer?.scores.filter(score => score.status === 'error').length ?? 0
}

type ComparisonRequest = {
  suite: { id: string; name: string }
  /** The rule by which the base was chosen. */
  policy: 'previous_completed' | 'run'
  base: ComparedRun
  compare: ComparedRun
}

/**
 * Compares two runs of a suite by variant, in the order of `compare`, removed variants last (contract: EvalRunCompare).
 */
export function compareRuns({ suite, policy, base, compare }: ComparisonRequest): EvalRunCompare {
  const [before, after] = [sidesOf(base), sidesOf(compare)]
  return {
    suite,
    baseline: { policy, baseRunId: base.id },
    baseRun: runSide(base),
    compareRun: runSide(compare),
    passSummary: passSummary(base, compare),
    metrics: {
      wallDurationMs: numericDiff(wallDuration(base), wallDuration(compare)),
      totalTokens: numericDiff(totalTokens(base), totalTokens(compare)),
      // Prices of models are not known here, so the cost is unknown, not zero.
      estimatedCostUsd: numericDiff(null, null),
    },
    scoreContract: scoreContract(before, after),
    cases: pairSides(before, after).map(compareCase),
  }
}

/**
 * Returns a digest of what a case does: its steps without their ids, `isNegative`, `expectedOutput`, and the model if a
 * step prompts one. Repetitions, checks, match options and model settings are not part of it.
 */
export function caseConfigHash(snapshot: CaseSnapshot): string {
  const { isNegative, expectedOutput } = snapshot
  const { model, provider } = asksModel(snapshot) ? snapshot : {}
  const steps = snapshot.steps.map(({ id: _id, ...step }) => step)
  return digest({ steps, isNegative, expectedOutput, model, provider })
}

function compareCase({ base, compare }: ComparedPair): ComparedCase {
  const both = base && compare
  const { caseKey = '', title = '' } = (compare ?? base)?.snapshot ?? {}
  const configChanged = both ? caseConfigHash(base.snapshot) !== caseConfigHash(compare.snapshot) : false
  const evaluationConfigChanged = both
    ? evaluationConfigHash(base.scorers) !== evaluationConfigHash(compare.scorers)
    : false
  return {
    caseKey,
    title,
    status: statusOf(base, compare, configChanged),
    configChanged,
    evaluationConfigChanged,
    scoreDeltas: scoreDeltas(base, compare),
    base: caseSide(base),
    compare: caseSide(compare),
  }
}

/**
 * Returns the status of a pair. `changed` means that both sides exist but cannot be compared: at least one is ungraded,
 * or both the case and its outcome changed.
 */
function statusOf(
  base: ComparedCaseSide | undefined,
  compare: ComparedCaseSide | undefined,
  configChanged: boolean,
): ComparedCase['status'] {
  if (!base) return 'new_case'
  if (!compare) return 'removed_case'
  const [before, after] = [outcomeOfVariant(base.trials), outcomeOfVariant(compare.trials)]
  if (before === 'undecided' || after === 'undecided') return 'changed'
  if (before === after) return before === 'passed' ? 'unchanged_passed' : 'unchanged_failed'
  if (configChanged) return 'changed'
  return after === 'passed' ? 'fixed' : 'regressed'
}

function caseSide(side: ComparedCaseSide | undefined): ComparedCase['base'] {
  const trials = side?.trials ?? []
  const outcome = side ? outcomeOfVariant(trials) : 'undecided'
  const representative = trials.find(trial => trial.class === outcome) ?? trials[0]
  return {
    // The contract has no value for a case without a graded trial, so such a case counts as absent.
    outcome: outcome === 'undecided' ? 'absent' : outcome,
    iterationIds: trials.map(trial => trial.iterationId),
    representativeIterationId: representative?.iterationId ?? null,
    error: representative?.error ?? null,
  }
}

function runSide({ id, runNumber, result, createdAt, completedAt, summary }: ComparedRun): EvalRunCompare['baseRun'] {
  // The published type requires a text, so a missing verdict has the contract's value for it.
  return { id, runNumber, result: result ?? 'notEstablished', createdAt, completedAt, summary }
}

function passSummary(base: ComparedRun, compare: ComparedRun): Record<string, NumericDiff> {
  const diff = (pick: (summary: NonNullable<ComparedRun['summary']>) => number | null) =>
    numericDiff(base.summary && pick(base.summary), compare.summary && pick(compare.summary))
  return {
    passRatePercent: diff(({ passRate }) => (passRate === null ? null : passRate * 100)),
    total: diff(({ total }) => total),
    passed: diff(({ passed }) => passed),
    failed: diff(({ failed }) => failed),
  }
}

function wallDuration({ createdAt, completedAt }: ComparedRun): number | null {
  return completedAt === null ? null : completedAt - createdAt
}

function totalTokens({ trials, cases }: ComparedRun): number | null {
  // If the tokens of one trial are unknown, the sum is unknown too, because it would be too small.
  const isUnknown = ({ usage, variant }: ComparedTrial) => !usage && asksModel(cases[variant] ?? { steps: [] })
  if (trials.length === 0 || trials.some(isUnknown)) return null
  return trials.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? 0), 0)
}
