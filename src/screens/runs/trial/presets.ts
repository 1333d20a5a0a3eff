import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { classOfTrial, CLASS_WORDS, isFailing, TRIAL_CLASSES } from '../../../domain/runs/trial-class.ts'

/**
 * What one key filters a run's trials by, one after the other: what did not go well, then each class of that, then nothing. They
 * are filters as a person may type them.
 */
export function presets(trials: readonly EvalIteration[]): readonly string[] {
  const present = new Set(trials.map(classOfTrial))
  const classes = TRIAL_CLASSES.filter(each => present.has(each))
  const failing = classes.filter(isFailing)
  if (failing.length === 0) return ['']
  const others = classes.filter(each => !isFailing(each)).map(each => `!${stateFilter(each)}`)
  return [
    ...(others.length > 0 ? [others.join(' ')] : []),
    ...(failing.length > 1 ? failing.map(stateFilter) : []),
    '',
  ]
}

/** Why the key filters by nothing, where there is no other preset than that. */
export function whyNoPreset(trials: readonly EvalIteration[]): string {
  return trials.some(trial => isFailing(classOfTrial(trial)))
    ? 'Every trial of this run went wrong, and in the same way.'
    : 'Nothing went wrong in this run.'
}

/** The one that comes after a filter; the first after any that is none of them. */
export function nextPreset(all: readonly string[], filter: string): string {
  const at = filter === '' ? -1 : all.indexOf(filter)
  return all[(at + 1) % all.length] ?? ''
}

/** The first word alone: words of a filter stand apart, and no two classes begin with the same one. */
function stateFilter(trialClass: (typeof TRIAL_CLASSES)[number]): string {
  return `state:${CLASS_WORDS[trialClass].word.split(' ')[0]!}`
}
