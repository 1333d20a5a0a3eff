import type { EvalIteration } from '../contract/iterations.ts'
import { standingOf } from './trials.ts'

/** Where to look for what went wrong with a trial. */
export type Cause = 'case' | 'server' | 'model' | 'environment' | 'throttling' | 'grader' | 'unknown'

/** What each cause says of a trial. */
export const CAUSES: Record<Cause, string> = {
  case: 'an expectation of the case was not met',
  server: 'the MCP server failed',
  model: 'the model did not do what was expected',
  environment: 'the trial could not be set up',
  throttling: 'somebody refused because of too many requests',
  grader: 'the grader itself broke',
  unknown: 'the service gives no reason',
}

/** Causes that say nothing about what was to be measured, even where a verdict was given. */
const OUTSIDE: ReadonlySet<Cause> = new Set(['environment', 'throttling', 'grader'])

/** Causes by the class that some services tell with each trial (contract: "Trial classification"). */
const BY_CLASS: Readonly<Record<string, Cause>> = { evaluator_error: 'grader', setup_failed: 'environment' }

const THROTTLED = /\b429\b|rate[ _-]?limit|too many requests|throttl/i

type Call = { error?: unknown; toolName?: unknown; result?: { isError?: unknown } | null }

/**
 * Why a trial did not pass, by its class, its scores and its calls; undefined for one that passed, waits or was
 * stopped.
 */
export function causeOf(trial: EvalIteration): Cause | undefined {
  const standing = standingOf(trial)
  if (standing !== 'failed' && standing !== 'ungraded') return undefined
  const trialClass = trial['trialClass']
  if (trialClass === 'skipped') return undefined
  if (isThrottled(trial)) return 'throttling'
  const known = typeof trialClass === 'string' ? BY_CLASS[trialClass] : undefined
  if (known) return known
  if (standing === 'ungraded' && trial.scores?.some(score => score.status === 'error')) return 'grader'
  if (callsOf(trial).some(isFailedCall)) return 'server'
  if (standing === 'failed') return missesCalls(trial) ? 'model' : 'case'
  return trial.model ? 'model' : trial.error ? 'server' : 'unknown'
}

/** Whether a trial measured what it was to measure, and found it wanting. */
export function isMeasuredFailure(trial: EvalIteration): boolean {
  const cause = causeOf(trial)
  return standingOf(trial) === 'failed' && cause !== undefined && !OUTSIDE.has(cause)
}

/** The contract has no class for it, so the words of errors are all there is. */
function isThrottled(trial: EvalIteration): boolean {
  const texts = [trial.error, ...callsOf(trial).map(({ error }) => error)]
  return texts.some(text => typeof text === 'string' && THROTTLED.test(text))
}

function isFailedCall({ error, result }: Call): boolean {
  return (error !== undefined && error !== null) || result?.isError === true
}

/** Whether a model left out a tool that it was expected to call. */
function missesCalls(trial: EvalIteration): boolean {
  if (!trial.model) return false
  const called = new Set(callsOf(trial).map(({ toolName }) => toolName))
  return (trial.expectedToolCalls ?? []).some(({ toolName }) => !called.has(toolName))
}

function callsOf({ actualToolCalls }: EvalIteration): Call[] {
  return actualToolCalls ?? []
}
