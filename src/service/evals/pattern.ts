import { BOUNDS } from '../../lib/bounds.ts'
import { WORK_LIMITS } from '../../lib/work-limits.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import type { PatternAnswer } from '../../lib/untrusted/messages.ts'
import { testInTime } from '../../lib/untrusted/patterns.ts'
import { messageOf } from '../core/one-line.ts'

/** Longer texts are refused. A text that was cut could wrongly match a pattern that is anchored at its end. */
const MAX_TEXT_CHARS = BOUNDS.patternText.most
const MAX_PATTERN_CHARS = BOUNDS.pattern.most
/** Time limit for all texts that are judged together, in milliseconds. */
const TOGETHER_LIMIT_MS = WORK_LIMITS.reportPatterns.most
/**
 * Time limit for one text in milliseconds. The thread itself limits the time of each pattern and of all patterns of a
 * text, so this limit is the last resort.
 */
const TEXT_LIMIT_MS = 2 * WORK_LIMITS.trialPatterns.most

/**
 * Tests the pattern of an assertion on a trial's final text.
 * @param trial all patterns of a trial share a time limit
 * @returns whether it matches, or why that is unknown
 */
export type PatternTest = (pattern: string, text: string, trial: object) => PatternAnswer

/** Time that patterns have taken so far, for each trial. */
const spent = new WeakMap<object, { spentMs: number }>()

/**
 * Tests a pattern in this thread, which blocks it for up to a second for each trial. The thread that serves requests
 * uses {@link judgeWithPatternsApart} instead.
 */
export const testPattern: PatternTest = (pattern, text, trial) => {
  const refusal = refusalOf(pattern, text)
  if (refusal) return refusal
  const time = spent.get(trial) ?? { spentMs: 0 }
  spent.set(trial, time)
  return testInTime(pattern, text, time)
}

/**
 * Judges with patterns that are tested in the thread for untrusted input. Judging is repeated until it needs no pattern
 * that is not tested yet.
 * @param within wraps each round: it may write, and undoes its writes if the round throws
 */
export async function judgeWithPatternsApart<T>(
  judge: (test: PatternTest) => T,
  within: (round: () => T) => T = round => round(),
): Promise<T> {
  const known = new Map<string, Map<string, PatternAnswer>>()
  let leftMs = TOGETHER_LIMIT_MS
  for (;;) {
    const wanted = new Map<string, Set<string>>()
    const test: PatternTest = (pattern, text) => {
      const answer = refusalOf(pattern, text) ?? known.get(text)?.get(pattern)
      if (answer) return answer
      wanted.set(text, (wanted.get(text) ?? new Set()).add(pattern))
      return { problem: 'the pattern was not tested yet' }
    }
    try {
      return within(() => {
        const judged = judge(test)
        if (wanted.size > 0) throw new NotTested()
        return judged
      })
    } catch (error) {
      if (!(error instanceof NotTested)) throw error
    }
    for (const [text, patterns] of wanted) {
      const { answers, tookMs } = await testApart([...patterns], text, leftMs)
      leftMs -= tookMs
      known.set(text, new Map([...(known.get(text) ?? []), ...answers]))
    }
  }
}

/** Thrown if a round needs patterns that have not been tested yet. */
class NotTested extends Error {}

async function testApart(
  patterns: readonly string[],
  text: string,
  leftMs: number,
): Promise<{ answers: [string, PatternAnswer][]; tookMs: number }> {
  const all = (answer: PatternAnswer): [string, PatternAnswer][] => patterns.map(pattern => [pattern, answer])
  if (leftMs <= 0) {
    const problem = `the patterns that were tested before together took longer than ${TOGETHER_LIMIT_MS} ms`
    return { answers: all({ problem }), tookMs: 0 }
  }
  const outcome = await inThread('patterns', { patterns, finalText: text }, TEXT_LIMIT_MS)
  const { tookMs } = outcome
  if (!('answer' in outcome)) return { answers: all({ problem: `no pattern was tested: ${outcome.why}` }), tookMs }
  return { answers: patterns.map((pattern, at) => [pattern, outcome.answer[at]!]), tookMs }
}

function refusalOf(pattern: string, text: string): PatternAnswer | undefined {
  if (pattern.length > MAX_PATTERN_CHARS)
    return { problem: `the pattern is longer than ${MAX_PATTERN_CHARS} characters` }
  if (text.length > MAX_TEXT_CHARS) return { problem: `the text is longer than ${MAX_TEXT_CHARS} characters` }
  try {
    new RegExp(pattern)
    return undefined
  } catch (error) {
    return { problem: `the pattern is invalid: ${messageOf(error)}` }
  }
}
