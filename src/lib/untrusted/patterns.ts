import type { Script } from 'node:vm'
import { WORK_LIMITS } from '../work-limits.ts'
import type { PatternAnswer, Works } from './messages.ts'

/** Long enough for any sane pattern on the longest text. */
const PATTERN_LIMIT_MS = WORK_LIMITS.pattern.most
/** With less processor time than this, in milliseconds, a pattern that hit the limit was starved, not slow. */
const OWN_TIME_MS = PATTERN_LIMIT_MS / 4
const TRIAL_LIMIT_MS = WORK_LIMITS.trialPatterns.most

let script: Script | undefined

/**
 * Tests an authored pattern (regular-expression source, no flags) without trusting it: V8 gives up a backtracking
 * match when the time limit of a `node:vm` script is reached, which a plain `RegExp.test` can't be told. The limit is
 * wall time: where this thread got hardly any processor time, the pattern is tested again, within the trial's limit.
 * @param trial time in milliseconds that the patterns of the same trial took so far; what this one takes is added
 * @throws SyntaxError when the pattern is none
 */
export function testInTime(pattern: string, text: string, trial: { spentMs: number }): PatternAnswer {
  if (trial.spentMs >= TRIAL_LIMIT_MS)
    return { problem: `the patterns of this trial together took longer than ${TRIAL_LIMIT_MS} ms` }
  const began = performance.now()
  const before = process.threadCpuUsage()
  try {
    // Loading the module and compiling this costs every start a millisecond.
    script ??= new (process.getBuiltinModule('node:vm').Script)('new RegExp(pattern).test(text)')
    return { matches: script.runInNewContext({ pattern, text }, { timeout: PATTERN_LIMIT_MS }) === true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
  } finally {
    trial.spentMs += performance.now() - began
  }
  const { user, system } = process.threadCpuUsage(before)
  if ((user + system) / 1000 < OWN_TIME_MS) return testInTime(pattern, text, trial)
  return { problem: `the pattern did not come to an end within ${PATTERN_LIMIT_MS} ms` }
}

/** Tests the patterns of one trial in their order. */
export function testPatterns({ patterns, finalText }: Works['patterns']['given']): Works['patterns']['answer'] {
  const trial = { spentMs: 0 }
  return patterns.map(pattern => testInTime(pattern, finalText, trial))
}
