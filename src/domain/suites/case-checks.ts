import type { EvalCase, EvalSuiteDetail } from '../../api/contract/suites.ts'
import { effectiveChecks } from '../../api/contract/runs.ts'

type StepLike = { readonly kind?: unknown }

/** Facts that decide about a case in addition to its steps. */
export type Judging = {
  isNegative: boolean
  /** Whether match options of the case or its suite compare its calls. */
  hasMatchOptions: boolean
  /** Number of assertions on the whole case. */
  checks: number
}

/** Returns the number of first steps before any call or prompt. An assertion there has nothing to judge. */
export function stepsBeforeWork(steps: readonly StepLike[]): number {
  const first = steps.findIndex(({ kind }) => kind !== 'assert')
  return first < 0 ? steps.length : first
}

/** Whether a case passes whatever its tools and models answer, even an error. */
export function checksNothing(steps: readonly StepLike[], { isNegative, hasMatchOptions, checks }: Judging): boolean {
  const asserts = steps.slice(stepsBeforeWork(steps)).some(({ kind }) => kind === 'assert')
  return !isNegative && !hasMatchOptions && checks === 0 && !asserts
}

/** Returns the stored cases of a suite that pass whatever is answered. */
export function casesWithoutChecks({ settings }: EvalSuiteDetail, cases: readonly EvalCase[]): EvalCase[] {
  return cases.filter(({ steps, isNegative, matchOptions, checks }) => {
    const judging = {
      isNegative: isNegative === true,
      hasMatchOptions: (matchOptions ?? settings?.matchOptions) != null,
      checks: effectiveChecks(settings?.checks ?? [], checks).length,
    }
    return steps.length > 0 && checksNothing(steps, judging)
  })
}
