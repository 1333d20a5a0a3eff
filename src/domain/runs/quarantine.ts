import { createHash } from 'node:crypto'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { reasonOf } from './causes.ts'
import { classOfTrial, isFailing } from './trial-class.ts'
import { ownWords } from './trials.ts'

/**
 * Failures of a case that are known and accepted for now, in a baseline. `since` is a day such as `2026-01-31`; a
 * failure is named as by {@link failuresOf}.
 */
export type Quarantine = { since: string; reason: string; failures: readonly string[] }

/**
 * Names the failures of a trial so that the same failure has the same name in each workspace: by its class, and by
 * each assertion that was not met or, without one, by its error. Texts are hashed, since they may hold secrets. Empty
 * if the trial passed, or does not say how it failed.
 */
export function failuresOf(trial: EvalIteration): string[] {
  const trialClass = classOfTrial(trial)
  if (!isFailing(trialClass)) return []
  const unmet = trialClass === 'failed' ? (trial.scores ?? []).filter(({ passed }) => passed === false) : []
  if (unmet.length > 0)
    return unmet.map(({ scorerId, rationale }) => {
      // A workspace puts its own id of the case before that of a step.
      const name = scorerId.slice(scorerId.lastIndexOf('/') + 1)
      return [trialClass, name, hashed(expectationOf(rationale ?? ''))].filter(Boolean).join(' ')
    })
  const words = reasonOf(trial)
  return words === undefined ? [] : [`${trialClass} ${hashed(withoutNumbers(ownWords(words)))}`]
}

/** Whether every failure of these trials is known; false if one does not say how it failed. */
export function isKnown({ failures }: Quarantine, trials: readonly EvalIteration[]): boolean {
  return trials.every(trial => {
    const own = failuresOf(trial)
    return own.length > 0 && own.every(each => failures.includes(each))
  })
}

/** Returns what an assertion expected, in the words of the local workspace; what came instead may always differ. */
function expectationOf(rationale: string): string {
  const end = rationale.lastIndexOf('; actual:')
  return end < 0 ? '' : rationale.slice(0, end)
}

/** Replaces numbers and ids, which differ each time. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/\b[\da-f]{8,}(?:-[\da-f]+)*\b/gi, '#').replaceAll(/\d+/g, '#')
}

function hashed(text: string): string {
  return text === '' ? '' : createHash('sha256').update(text).digest('hex').slice(0, 12)
}
