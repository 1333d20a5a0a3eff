import type { Script } from 'node:vm'
import { WORK_LIMITS } from '../work-limits.ts'
import type { PatternAnswer, Works } from './messages.ts'

/** Time limit of one pattern, long enough for any reasonable pattern on the longest text. */
const PATTERN_LIMIT_MS = WORK_LIMITS.pattern.most
/** Milliseconds of processor time. A pattern that exceeded the time limit with less was starved rather than slow. */
const OWN_TIME_MS = PATTERN_LIMIT_MS / 4
const TRIAL_LIMIT_MS = WORK_LIMITS.trialPatterns.most

let script: Script | undefined

/**
 * Tests an authored pattern (regular-expression source, no flags) safely: a `node:vm` script with a time limit stops a
 * backtracking match, which a plain `RegExp.test` cannot do. The limit is wall time, so a pattern whose thread got
 * hardly any processor time is tested again, within the trial's limit.
 * @param trial milliseconds that earlier patterns of the same trial took; the time of this one is added
 * @throws SyntaxError if the pattern is invalid
 */
export function testInTime(pattern: string, text: string, trial: { spentMs: number }): PatternAnswer {
  if (trial.spentMs >= TRIAL_LIMIT_MS)
    return { problem: `the patterns of this trial together took longer than ${TRIAL_LIMIT_MS} ms` }
  const began = performance.now()
  const before = process.threadCpuUsage()
  try {
    // Compiled on first use, since it would make every start a millisecond slower.
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

/** Tests the patterns of one trial in order. */
export function testPatterns({ patterns, finalText }: Works['patterns']['given']): Works['patterns']['answer'] {
  const trial = { spentMs: 0 }
  return patterns.map(pattern => testInTime(pattern, finalText, trial))
}
