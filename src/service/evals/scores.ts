import { onceFor } from '../../lib/once-for.ts'
import { digest } from '../core/ids.ts'
import { oneLine } from '../core/one-line.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type { CaseSnapshot, CheckVerdict, Judged, ScoreIntegrity, StepVerdict } from './types.ts'

/**
 * A scorer's row for one trial (contract: ScoreResult). Every scorer of this service is a deterministic assertion that
 * scores 1 or 0.
 */
export type Score = {
  scorerId: string
  scorerVersion: string
  /** Digest of the {@link ScoreDefinition}, to which the label does not contribute. */
  definitionHash: string
  status: 'scored' | 'error' | 'skipped'
  value?: number
  passThreshold: number
  passed?: boolean
  rationale?: string
  deterministic: true
  error?: string
}

/** The definition of a scorer as it was applied (contract: ResolvedScoreDefinition). */
export type ScoreDefinition = {
  scorerId: string
  idSource: 'explicit' | 'generated'
  scorerVersion: string
  implementationHash: string
  label: string
  deterministic: true
  passThreshold: number
  role: 'gating'
  onError: 'ignore'
  onSkipped: 'ignore'
}

/** The scorer settings of one case (contract: EvaluationConfigSnapshot). */
export type EvaluationConfig = { hash: string; definitions: readonly ScoreDefinition[] }

type Verdicts = { steps: readonly StepVerdict[]; checks: readonly CheckVerdict[] }

const SCORER_VERSION = '1'
const PASS_THRESHOLD = 1
/** Limits of the contract, in characters. */
const MAX_SCORER_ID = 128
const MAX_ERROR = 500

/** A definition with its digest, which identifies it in score rows. */
export type Scorer = { definition: ScoreDefinition; hash: string }

/** Derives the scorers' settings once for each snapshot, since all trials of a case need the same digests. */
const settingsOf = onceFor((snapshot: CaseSnapshot) => {
  const scorers = makeScorers(snapshot)
  const definitions = scorers.map(({ definition }) => definition)
  return { scorers, config: { hash: evaluationConfigHash(scorers), definitions } }
})

/**
 * Returns one scorer for each assert step, check and rule of a case. The check of a suite has the same id in all cases
 * of the suite.
 */
export function scorersOf(snapshot: CaseSnapshot): readonly Scorer[] {
  return settingsOf(snapshot).scorers
}

/** Returns the settings that a case was graded with, in the contract's format. */
export function evaluationConfig(snapshot: CaseSnapshot): EvaluationConfig {
  return settingsOf(snapshot).config
}

function makeScorers(snapshot: CaseSnapshot): Scorer[] {
  const scorers = snapshot.steps.flatMap(step =>
    step.kind === 'assert' ? [scorer(stepScorerId(snapshot, step.id), 'explicit', step.assertion)] : [],
  )
  if (snapshot.isNegative) scorers.push(scorer('negative', 'explicit', { type: 'noToolCalled' }))
  else if (snapshot.matchOptions)
    scorers.push(scorer('match', 'explicit', { type: 'toolCallMatch', ...snapshot.matchOptions }))
  return [...scorers, ...snapshot.checks.map((check, index) => scorer(checkId(check, index), 'generated', check))]
}

/**
 * Returns a hash of scorers by which cases of a run can be grouped. The scorers' order and number of repetitions do not
 * matter.
 */
export function evaluationConfigHash(scorers: readonly Scorer[]): string {
  return digest([...new Set(scorers.map(({ hash }) => hash))].toSorted())
}

/**
 * Returns the id of a check, for its verdict and its scorer. It contains the position in `checks`, so that it changes
 * if the list is edited.
 */
export function checkId(check: { type: string }, index: number): string {
  return bounded(`check-${index + 1}-${check.type}`)
}

/** Returns the score rows of one trial, in the order of its case's scorers. */
export function scoresOf(snapshot: CaseSnapshot, scorers: readonly Scorer[], { steps, checks }: Verdicts): Score[] {
  const verdicts = new Map<string, Judged>()
  for (const verdict of steps) verdicts.set(stepScorerId(snapshot, verdict.stepId), verdict)
  for (const verdict of checks) verdicts.set(verdict.id, verdict)
  return scorers.map(entry => toScore(entry, verdicts.get(entry.definition.scorerId)))
}

type Scored = { scorers: readonly Scorer[]; scores: readonly Score[] }

/**
 * Checks the scores of one trial: every verdict must have a scorer and every scorer a verdict, and both must match the
 * outcome. Returns undefined if nothing was scored.
 */
export function integrityOf(
  snapshot: CaseSnapshot,
  { scorers, scores }: Scored,
  trial: Verdicts & { class: TrialClass },
): ScoreIntegrity | undefined {
  const { steps, checks } = trial
  if (scores.every(({ status }) => status !== 'scored')) return undefined
  const known = new Set(scorers.map(({ definition }) => definition.scorerId))
  const asserted = steps.filter(({ kind }) => kind === 'assert')
  const judged = new Set([
    ...asserted.map(({ stepId }) => stepScorerId(snapshot, stepId)),
    ...checks.map(({ id }) => id),
  ])
  const isFailed = scores.some(({ passed }) => passed === false) || steps.some(({ status }) => status === 'fail')
  const disagrees = (trial.class === 'passed' && isFailed) || (trial.class === 'failed' && !isFailed)
  return !isSame(judged, known) || disagrees ? 'invalid' : 'valid'
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every(each => other.has(each))
}

/** Checks the scores of a trial before its score rows exist. */
export function scoreIntegrity(
  snapshot: CaseSnapshot,
  trial: Verdicts & { class: TrialClass },
): ScoreIntegrity | undefined {
  const scorers = scorersOf(snapshot)
  return integrityOf(snapshot, { scorers, scores: scoresOf(snapshot, scorers, trial) }, trial)
}

/** Combines the integrity of the trials of a run. One invalid trial makes the run invalid. */
export function integrityOfAll(trials: Iterable<ScoreIntegrity | null | undefined>): ScoreIntegrity | undefined {
  const all = new Set(trials)
  return all.has('invalid') ? 'invalid' : all.has('valid') ? 'valid' : undefined
}

/** Returns the scorer id of a step. Step ids are unique only within a case. */
function stepScorerId({ caseKey }: CaseSnapshot, stepId: string): string {
  return bounded(`${caseKey}/${stepId}`)
}

function bounded(id: string): string {
  return id.length <= MAX_SCORER_ID ? id : `${id.slice(0, MAX_SCORER_ID - 17)}-${digest(id).slice(0, 16)}`
}

function scorer(scorerId: string, idSource: ScoreDefinition['idSource'], assertion: unknown): Scorer {
  const { type } = (assertion ?? {}) as { type?: unknown }
  const semantic = {
    scorerId,
    idSource,
    scorerVersion: SCORER_VERSION,
    implementationHash: digest(assertion ?? null),
    deterministic: true as const,
    passThreshold: PASS_THRESHOLD,
    role: 'gating' as const,
    onError: 'ignore' as const,
    onSkipped: 'ignore' as const,
  }
  // The label is only shown, so it is not part of the hash.
  return { definition: { ...semantic, label: typeof type === 'string' ? type : 'unknown' }, hash: digest(semantic) }
}

function toScore({ definition, hash }: Scorer, verdict: Judged | undefined): Score {
  const row = {
    scorerId: definition.scorerId,
    scorerVersion: definition.scorerVersion,
    definitionHash: hash,
    passThreshold: definition.passThreshold,
    deterministic: definition.deterministic,
    ...(verdict?.reason !== undefined && { rationale: oneLine(verdict.reason) }),
  }
  if (verdict?.evaluatorError !== undefined)
    return { ...row, status: 'error', error: verdict.evaluatorError.slice(0, MAX_ERROR) }
  if (verdict?.status !== 'ok' && verdict?.status !== 'fail') return { ...row, status: 'skipped' }
  const passed = verdict.status === 'ok'
  return { ...row, status: 'scored', value: passed ? 1 : 0, passed }
}
