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
 * if the trial passed, or does not say exactly how it failed.
 */
export function failuresOf(trial: EvalIteration): string[] {
  const trialClass = classOfTrial(trial)
  if (!isFailing(trialClass)) return []
  const unmet = trialClass === 'failed' ? (trial.scores ?? []).filter(({ passed }) => passed === false) : []
  if (unmet.length > 0) {
    const names = unmet.flatMap(score => {
      const assertion = assertionOf(score)
      // A workspace puts its own id of the case before that of a step.
      const step = score.scorerId.slice(score.scorerId.lastIndexOf('/') + 1)
      return assertion === undefined ? [] : [`${trialClass} ${step} ${hashed(assertion)}`]
    })
    return names.length < unmet.length ? [] : names
  }
  const words = reasonOf(trial)
  if (words === undefined) return []
  const error = trialClass === 'failed' ? (expectationOf(words) ?? words) : words
  return [`${trialClass} ${hashed(withoutAmounts(ownWords(error)))}`]
}

/** Whether every failure of these trials is known; false if one does not say how it failed. */
export function isKnown({ failures }: Quarantine, trials: readonly EvalIteration[]): boolean {
  return trials.every(trial => {
    const own = failuresOf(trial)
    return own.length > 0 && own.every(each => failures.includes(each))
  })
}

type Score = NonNullable<EvalIteration['scores']>[number]

/** Identifies an assertion; undefined if the service says too little to tell it from an edited one. */
function assertionOf({ definitionHash, rationale }: Score): string | undefined {
  if (definitionHash) return definitionHash
  const expected = expectationOf(rationale ?? '')
  // A text that was shortened may belong to several assertions.
  return expected?.includes('…') ? undefined : expected
}

/** Returns what was expected, in the words of the local workspace; what came instead may always differ. */
function expectationOf(words: string): string | undefined {
  const end = words.lastIndexOf('; actual:')
  return end < 0 ? undefined : words.slice(0, end)
}

const AMOUNT = /\b\d+(?:\.\d+)? ?(?:ms|milliseconds?|s|seconds?|min|minutes?|bytes|[KMG]i?B)\b/gi
const TIME = /\b\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?/g
const PORT = /:\d{4,5}\b/g
const LONG_ID = /\b(?:[\da-f]{8,}(?:-[\da-f]+)*|\d{6,})\b/gi

/** Replaces durations, sizes, times, ports and ids, which differ each time. Codes and other numbers are kept. */
function withoutAmounts(text: string): string {
  return [TIME, AMOUNT, PORT, LONG_ID].reduce((rest, kind) => rest.replaceAll(kind, '#'), text)
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
