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

/** Returns the look of a trial class. */
export function classLook(trialClass: TrialClass): Look {
  return { ...SIGNS[trialClass], word: CLASS_LABELS[trialClass].word }
}

/** Returns the label of a trial's state, by its class; an unknown state is shown as received. */
export function trialLook(trial: EvalIteration): Look {
  const look = classLook(classOfTrial(trial))
  const isKnown = look.word !== CLASS_LABELS.ungraded.word || KNOWN.has(trial.status)
  return isKnown ? look : { ...look, word: trial.status }
}

const KNOWN: ReadonlySet<string> = new Set(['completed', 'failed'])

/** Returns trials ordered by urgency: failing first, passed last. */
export function byUrgency(trials: readonly EvalIteration[]): EvalIteration[] {
  const groups = Map.groupBy(trials, classOfTrial)
  return TRIAL_CLASSES.flatMap(each => groups.get(each) ?? [])
}

/** Returns the reason for a trial's state, in its own words or those of its cause; undefined if nothing went wrong. */
export function whyOf(trial: EvalIteration): string | undefined {
  if (trial.error) return trial.error
  const cause = causeOf(trial)
  return cause && CAUSES[cause]
}
