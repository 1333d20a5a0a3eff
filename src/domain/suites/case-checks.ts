import type { EvalCase, EvalSuiteDetail } from '../../api/contract/suites.ts'
import { effectiveChecks } from '../../api/contract/runs.ts'

type StepLike = { readonly kind?: unknown }

/** What decides about a case beside its steps. */
export type Judging = {
  isNegative: boolean
  /** Whether its match options, or those of its suite, compare its calls. */
  hasMatchOptions: boolean
  /** How many assertions apply to it as a whole. */
  checks: number
}

/** How many of the first steps come before anything was called or asked, where an assertion has nothing to judge. */
export function stepsBeforeWork(steps: readonly StepLike[]): number {
  const first = steps.findIndex(({ kind }) => kind !== 'assert')
  return first < 0 ? steps.length : first
}

/** Whether a case passes whatever its tools and models answer, also with a result that is an error. */
export function checksNothing(steps: readonly StepLike[], { isNegative, hasMatchOptions, checks }: Judging): boolean {
  const asserts = steps.slice(stepsBeforeWork(steps)).some(({ kind }) => kind === 'assert')
  return !isNegative && !hasMatchOptions && checks === 0 && !asserts
}

/** Those of a suite's stored cases that pass whatever is answered. */
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
