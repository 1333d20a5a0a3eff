import { FAILED_CLASSES } from './trial-classes.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { ownWords, trialState } from './trials.ts'

/**
 * The class of a trial, most urgent first: the contract's classes, `ungraded` for one that ended without a verdict and
 * class, and `running`.
 */
export const TRIAL_CLASSES = [
  ...FAILED_CLASSES,
  'ungraded',
  'running',
  'pending',
  'cancelled',
  'skipped',
  'passed',
] as const
export type TrialClass = (typeof TRIAL_CLASSES)[number]

/** A label of one or two words for each class, and its explanation. */
export const CLASS_LABELS: Record<TrialClass, { word: string; says: string }> = {
  failed: { word: 'failed', says: 'It was graded and failed.' },
  execution_failed: { word: 'broke off', says: 'It stopped with an error, which is not a failure of the case.' },
  timed_out: { word: 'timed out', says: 'It timed out, which is not a failure of the case.' },
  evaluator_error: {
    word: 'grader error',
    says: 'The grader itself failed: neither a failure of the case nor a low score.',
  },
  setup_failed: { word: 'not run', says: 'It could not be set up; nothing was graded.' },
  ungraded: { word: 'ungraded', says: 'It ended without a verdict.' },
  running: { word: 'running', says: 'It is under way.' },
  pending: { word: 'pending', says: 'It is waiting.' },
  cancelled: { word: 'cancelled', says: 'It was stopped.' },
  skipped: { word: 'skipped', says: 'It was left out.' },
  passed: { word: 'passed', says: 'It did what the case asks for.' },
}

/** The classes of trials that did not end as they should. */
const FAILING: ReadonlySet<TrialClass> = new Set([...FAILED_CLASSES, 'ungraded'])

export function isFailing(trialClass: TrialClass): boolean {
  return FAILING.has(trialClass)
}

type Classed = Pick<EvalIteration, 'status' | 'result' | 'error' | 'scores' | 'startedAt'> & Record<string, unknown>

const TIMED_OUT = /\btim(?:ed?|ing)[ -]?out\b|\btimeout\b|\bdeadline\b/i

/**
 * Returns the class of a trial: by its state, then as the service reports it (some do, contract: "Trial
 * classification"), else by its scores and its error.
 */
export function classOfTrial(trial: Classed): TrialClass {
  const standing = trialState(trial)
  if (standing !== 'ungraded') return standing
  const stated = TRIAL_CLASSES.find(each => each === trial['trialClass'])
  if (stated && !STANDINGS.has(stated)) return stated
  if (trial.scores?.some(({ status }) => status === 'error')) return 'evaluator_error'
  if (trial.status !== 'failed') return 'ungraded'
  if (TIMED_OUT.test(ownWords(trial.error ?? ''))) return 'timed_out'
  return trial.startedAt == null ? 'setup_failed' : 'execution_failed'
}

/** Classes that the state itself shows, whatever the reported class. */
const STANDINGS: ReadonlySet<TrialClass> = new Set(['passed', 'failed', 'running', 'pending', 'cancelled'])
