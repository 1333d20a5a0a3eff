import type { EvalRun } from '../contract/runs.ts'
import { runCounts, toldTrials } from './counts.ts'
import { outcomeOfRun } from './outcome.ts'
import type { TrialCounts } from './trials.ts'
import { grouped } from './words.ts'

/** How much of what a run executed was graded and passed, in one unit; `unit` is a plural, undefined where the service tells none. */
export type GradedPart = { passed: number; graded: number; total: number; unit: string | undefined }

/**
 * How much of a run was graded: in trials, and in the run's own unit where that is another one. Each where it is known, since no
 * count is ever converted; a variant can pass by one of its trials while the others came to nothing.
 * @param read the trials as they were read; the run's own counts of them go first where they are more
 */
export function gradedParts(run: EvalRun, read?: TrialCounts): GradedPart[] {
  const told = toldTrials(run)
  const trials = told && (!read || told.total > read.total) ? told : read
  const own = runCounts(run)
  const parts: GradedPart[] = []
  if (trials && trials.total > 0)
    parts.push({
      passed: trials.passed,
      graded: trials.passed + trials.failed,
      total: trials.total,
      unit: 'trials',
    })
  if (own?.total !== undefined && own.unit !== 'trials')
    parts.push({ passed: own.passed, graded: own.passed + own.failed, total: own.total, unit: own.unit })
  return parts
}

/** Words of a part: `11 of 12 trials graded`. */
export function gradedWords({ graded, total, unit }: GradedPart): string {
  return [`${grouped(graded)} of ${grouped(total)}`, unit, 'graded'].filter(Boolean).join(' ')
}

/**
 * What has to stand beside the word of a run that passed where that does not speak for all of it: `11 of 12 trials graded`, or
 * `9 of 12 trials passed` under a threshold. Undefined where everything was graded and passed, and for every other run.
 */
export function passedPart(run: EvalRun, read?: TrialCounts): string | undefined {
  if (outcomeOfRun(run) !== 'passed') return undefined
  const parts = gradedParts(run, read)
  const ungraded = parts.find(({ graded, total }) => graded < total)
  if (ungraded) return gradedWords(ungraded)
  const short = parts.find(({ passed, total }) => passed < total)
  return (
    short &&
    [`${grouped(short.passed)} of ${grouped(short.total)}`, short.unit, 'passed'].filter(Boolean).join(' ')
  )
}
