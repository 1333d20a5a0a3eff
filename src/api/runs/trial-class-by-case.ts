import type { EvalIteration } from '../contract/iterations.ts'
import { classOfTrial, TRIAL_CLASSES, type TrialClass } from './trial-class.ts'
import { countTrials } from './trials.ts'

/** The trials of one case on one model. */
export type CaseTrials = {
  key: string
  title: string | undefined
  model: string | undefined
  /** In the order in which they were given. */
  trials: readonly EvalIteration[]
  passed: number
  /** Those that passed or failed. */
  graded: number
  /** Whether those that were graded disagree. */
  flaky: boolean
  /** The most urgent class among them. */
  worst: TrialClass
}

/** What the trials of one case have in common; a case may be tried on several models, each by itself. */
export function caseOfTrial({
  testCaseId,
  title,
  model,
}: Pick<EvalIteration, 'testCaseId' | 'title' | 'model'>): string {
  const own = testCaseId ?? title ?? ''
  // A run may have ten thousand trials, and most say no model: their key need not be made.
  return model ? `${own}\n${model}` : own
}

/** Trials put together by their case, in the order in which the cases first occur. */
export function byCase(trials: readonly EvalIteration[]): CaseTrials[] {
  return [...Map.groupBy(trials, caseOfTrial)].map(([key, own]): CaseTrials => {
    const { passed, failed } = countTrials(own)
    const classes = new Set(own.map(classOfTrial))
    const [first] = own
    return {
      key,
      title: first?.title ?? undefined,
      model: first?.model ?? undefined,
      trials: own,
      passed,
      graded: passed + failed,
      flaky: passed > 0 && failed > 0,
      worst: TRIAL_CLASSES.find(each => classes.has(each)) ?? 'ungraded',
    }
  })
}
