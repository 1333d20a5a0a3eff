import type { EvalIteration } from '../../api/contract/iterations.ts'
import { ownWords, trialState } from './trials.ts'
import { isPlainObject } from '../../lib/json.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Where to look for the cause of a trial's failure. */
export type Cause = 'case' | 'server' | 'model' | 'environment' | 'throttling' | 'grader' | 'unknown'

/** The meaning of each cause for a trial. */
export const CAUSES: Record<Cause, string> = {
  case: 'an expectation of the case was not met',
  server: 'the MCP server failed',
  model: 'the model did not do what was expected',
  environment: 'the trial could not be set up, or what executed it ended',
  throttling: 'someone refused because of too many requests',
  grader: 'the grader itself failed',
  unknown: 'the service gives no reason',
}

/** Causes in display order: first the subject of the measurement, last the means of measuring. */
export const CAUSE_ORDER = [
  'server',
  'model',
  'case',
  'environment',
  'throttling',
  'grader',
  'unknown',
] as const satisfies readonly Cause[]

/** Causes that say nothing about the subject of the measurement, even with a verdict. */
const OUTSIDE: ReadonlySet<Cause> = new Set(['environment', 'throttling', 'grader'])

/** Whether a cause says nothing about the subject of the measurement. */
export function isOutside(cause: Cause): boolean {
  return OUTSIDE.has(cause)
}

/** Causes by the class that some services report with each trial (contract: "Trial classification"). */
const BY_CLASS: Readonly<Record<string, Cause>> = { evaluator_error: 'grader', setup_failed: 'environment' }

/** The local workspace's message for a trial whose process or thread ended (`src/service/runs`). */
const EXECUTOR_GONE = /\bended before the trial did\b/
/**
 * Matches errors of throttling. The contract has no class for it, so only the text of an error shows it. With a
 * verdict, errors quote answers of tools and models, which may contain anything.
 */
const THROTTLED = /\b429\b|rate[ _-]?limit|too many requests|throttl/i

type Call = { error?: unknown; toolName?: unknown; result?: unknown }

/**
 * Returns why a trial did not pass, by its class, its scores and its calls; undefined if it passed, is waiting or was
 * stopped.
 */
export function causeOf(trial: EvalIteration): Cause | undefined {
  const standing = trialState(trial)
  if (standing !== 'failed' && standing !== 'ungraded') return undefined
  const trialClass = trial['trialClass']
  if (trialClass === 'skipped') return undefined
  const words = standing === 'ungraded' ? endingWords(trial) : ''
  if (THROTTLED.test(words)) return 'throttling'
  const known = typeof trialClass === 'string' ? ownValue(BY_CLASS, trialClass) : undefined
  if (known) return known
  if (standing === 'ungraded' && trial.scores?.some(score => score.status === 'error')) return 'grader'
  if (standing === 'ungraded' && EXECUTOR_GONE.test(words)) return 'environment'
  if (callsOf(trial).some(isFailedCall)) return 'server'
  if (standing === 'failed') return missesCalls(trial) ? 'model' : 'case'
  return trial.model ? 'model' : trial.error ? 'server' : 'unknown'
}

/** Whether a trial measured what it should and failed it. */
export function isMeasuredFailure(trial: EvalIteration): boolean {
  const cause = causeOf(trial)
  return trialState(trial) === 'failed' && cause !== undefined && !isOutside(cause)
}

/** Trials with the same cause. `failed` of them are measured failures; `reason` is that of `first`. */
export type CauseCount = {
  cause: Cause
  count: number
  failed: number
  first: EvalIteration
  reason: string | undefined
}

/** Counts how often each cause occurs. Causes that do not occur are left out. */
export function countCauses(trials: readonly EvalIteration[]): CauseCount[] {
  const found = new Map<Cause, CauseCount>()
  for (const trial of trials) {
    const cause = causeOf(trial)
    if (cause === undefined) continue
    const known = found.get(cause) ?? { cause, count: 0, failed: 0, first: trial, reason: undefined }
    known.count += 1
    if (trialState(trial) === 'failed' && !isOutside(cause)) known.failed += 1
    if (known.reason === undefined) {
      known.reason = reasonOf(trial)
      known.first = trial
    }
    found.set(cause, known)
  }
  return CAUSE_ORDER.flatMap(cause => found.get(cause) ?? [])
}

/** Returns the reason that a trial gives for not passing; undefined if it gives none. */
export function reasonOf(trial: EvalIteration): string | undefined {
  const broken = trial.scores?.find(score => score.status === 'error')?.error
  const failed = callsOf(trial).find(isFailedCall)?.error
  return trial.error ?? broken ?? (typeof failed === 'string' ? failed : undefined)
}

/** Returns the error of a trial that was not judged, else the error of the call that ended it. */
function endingWords(trial: EvalIteration): string {
  const { error } = callsOf(trial).at(-1) ?? {}
  return ownWords(trial.error ?? (typeof error === 'string' ? error : ''))
}

/** Whether a call broke off, or its tool answered with an error. */
export function isFailedCall({ error, result }: Call): boolean {
  return error != null || (isPlainObject(result) && result['isError'] === true)
}

/** Whether a model did not call an expected tool. */
function missesCalls(trial: EvalIteration): boolean {
  if (!trial.model) return false
  const called = new Set(callsOf(trial).map(({ toolName }) => toolName))
  return (trial.expectedToolCalls ?? []).some(({ toolName }) => !called.has(toolName))
}

function callsOf({ actualToolCalls }: EvalIteration): Call[] {
  return actualToolCalls ?? []
}
