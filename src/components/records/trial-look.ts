import type { EvalIteration } from '../../api/contract/iterations.ts'
import { CAUSES, causeOf } from '../../domain/runs/causes.ts'
import { classOfTrial, CLASS_LABELS, TRIAL_CLASSES, type TrialClass } from '../../domain/runs/trial-class.ts'
import type { Look } from '../../tui/theme/theme.ts'

const SIGNS: Record<TrialClass, Pick<Look, 'symbol' | 'tone'>> = {
  failed: { symbol: 'error', tone: 'error' },
  execution_failed: { symbol: 'warn', tone: 'warn' },
  timed_out: { symbol: 'warn', tone: 'warn' },
  evaluator_error: { symbol: 'warn', tone: 'warn' },
  setup_failed: { symbol: 'warn', tone: 'warn' },
  ungraded: { symbol: 'warn', tone: 'warn' },
  running: { symbol: 'live', tone: 'live' },
  pending: { symbol: 'pending', tone: 'muted' },
  cancelled: { symbol: 'cancelled', tone: 'muted' },
  skipped: { symbol: 'cancelled', tone: 'muted' },
  passed: { symbol: 'ok', tone: 'ok' },
}

/** A class for reading. */
export function classLook(trialClass: TrialClass): Look {
  return { ...SIGNS[trialClass], word: CLASS_LABELS[trialClass].word }
}

/** A trial's state for reading, in the word of its class; a state that nobody knows shows as it is. */
export function trialLook(trial: EvalIteration): Look {
  const look = classLook(classOfTrial(trial))
  const isKnown = look.word !== CLASS_LABELS.ungraded.word || KNOWN.has(trial.status)
  return isKnown ? look : { ...look, word: trial.status }
}

const KNOWN: ReadonlySet<string> = new Set(['completed', 'failed'])

/** Trials in the order in which they deserve a look: failing first, passed last. */
export function byUrgency(trials: readonly EvalIteration[]): EvalIteration[] {
  const groups = Map.groupBy(trials, classOfTrial)
  return TRIAL_CLASSES.flatMap(each => groups.get(each) ?? [])
}

/** Why a trial is as it is, in its own words or in those for where to look; undefined if nothing went wrong. */
export function whyOf(trial: EvalIteration): string | undefined {
  if (trial.error) return trial.error
  const cause = causeOf(trial)
  return cause && CAUSES[cause]
}
