import { BOUNDS } from '../../lib/bounds.ts'
import type { Script } from 'node:vm'
import { messageOf } from '../core/one-line.ts'

/** Longer texts are refused: cutting them would make a pattern that is anchored at the end lie. */
const MAX_TEXT_CHARS = BOUNDS.patternText.most
const MAX_PATTERN_CHARS = BOUNDS.pattern.most
/** Long enough for any sane pattern on the longest text, short enough not to stop a dashboard in the same process. */
const TIME_LIMIT_MS = 250
/** Longest time for all patterns of one trial. */
const TRIAL_LIMIT_MS = 1000

/** Time that patterns took so far, by what they are tested for. */
const spent = new WeakMap<object, number>()

let script: Script | undefined

/**
 * Tests an authored pattern (regular-expression source, no flags) without trusting it: V8 gives up a backtracking
 * match when the time limit of a `node:vm` script is reached, which a plain `RegExp.test` can't be told.
 * @param trial what all patterns that share a time limit are tested for
 * @returns whether it matches, or why that is not known
 */
export function testPattern(
  pattern: string,
  text: string,
  trial: object,
): { matches: boolean } | { problem: string } {
  if (pattern.length > MAX_PATTERN_CHARS)
    return { problem: `the pattern is longer than ${MAX_PATTERN_CHARS} characters` }
  if (text.length > MAX_TEXT_CHARS) return { problem: `the text is longer than ${MAX_TEXT_CHARS} characters` }
  try {
    new RegExp(pattern)
  } catch (error) {
    return { problem: `the pattern is invalid: ${messageOf(error)}` }
  }
  const before = spent.get(trial) ?? 0
  if (before >= TRIAL_LIMIT_MS)
    return { problem: `the patterns of this trial together took longer than ${TRIAL_LIMIT_MS} ms` }
  const began = performance.now()
  try {
    // Loading the module and compiling this costs every start a millisecond.
    script ??= new (process.getBuiltinModule('node:vm').Script)('new RegExp(pattern).test(text)')
    return { matches: script.runInNewContext({ pattern, text }, { timeout: TIME_LIMIT_MS }) === true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return { problem: `the pattern did not come to an end within ${TIME_LIMIT_MS} ms` }
  } finally {
    spent.set(trial, before + performance.now() - began)
  }
}
