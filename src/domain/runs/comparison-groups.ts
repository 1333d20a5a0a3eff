import type { ComparedCase, EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { changedCases, type ChangedCase, type ComparedTrial } from './changes.ts'
import { plural } from '../../lib/format.ts'

/** Groups of compared cases, most important first. */
export const COMPARISON_GROUPS = [
  'regressed',
  'still failing',
  'new',
  'fixed',
  'changed',
  'undecided',
  'flaky',
  'left out',
  'unchanged',
] as const
export type ComparisonGroup = (typeof COMPARISON_GROUPS)[number]

export type GroupedCase = ChangedCase & { group: ComparisonGroup; compared: ComparedCase }

/** Returns each compared case with its group, in the order of the groups, and within a group in the service's order. */
export function groupedCases(comparison: EvalRunCompare, trials: readonly ComparedTrial[]): GroupedCase[] {
  const cases = changedCases(comparison, trials).map((changed, index): GroupedCase => {
    const compared = comparison.cases[index] as ComparedCase
    return { ...changed, compared, group: groupOf(changed, compared) }
  })
  const byGroup = Map.groupBy(cases, ({ group }) => group)
  return COMPARISON_GROUPS.flatMap(group => byGroup.get(group) ?? [])
}

/**
 * Returns the group of a case by its outcome, as in `changedCases`. Cases that the service calls `changed` are not
 * comparable.
 */
function groupOf({ change, flaky }: ChangedCase, { status, compare }: ComparedCase): ComparisonGroup {
  if (change === 'removed') return 'left out'
  if (status === 'new_case') return 'new'
  if (change === 'still-failing') return 'still failing'
  if (isUndecided(compare)) return 'undecided'
  if (status === 'changed' || change === 'unknown') return 'changed'
  if (change === 'new-failure') return 'regressed'
  if (change === 'fixed') return 'fixed'
  return flaky ? 'flaky' : 'unchanged'
}

/**
 * Whether a case was not graded. The contract has the same value for a missing case and for one whose trials were not
 * graded.
 */
function isUndecided({ outcome, iterationIds }: ComparedCase['base']): boolean {
  return outcome === 'absent' && (iterationIds ?? []).length > 0
}

/** Returns the outcome of a case on one side, in one word. */
export function sideWord(side: ComparedCase['base']): string {
  return isUndecided(side) ? 'undecided' : side.outcome
}

/** Returns the number of cases in each group that occurs. With `rerun`, missing cases are described as in a rerun. */
export function groupLabel(cases: readonly GroupedCase[], rerun = false): string {
  const parts = COMPARISON_GROUPS.flatMap(group => {
    const count = cases.filter(each => each.group === group).length
    return count === 0 ? [] : [`${count} ${rerun && group === 'left out' ? 'not run again' : group}`]
  })
  return parts.join(', ') || 'no case in common'
}

/** Returns the results of a rerun, counted in cases: `Of 3 cases that ran again: 3 fixed.` */
export function rerunLabel(cases: readonly GroupedCase[]): string {
  const again = cases.filter(({ change }) => change !== 'removed')
  const count = (wanted: (each: GroupedCase) => boolean): number => again.filter(wanted).length
  const parts: [number, string][] = [
    [count(({ change }) => change === 'fixed'), 'fixed'],
    [count(({ change }) => change === 'still-failing'), 'still failing'],
    [count(({ change }) => change === 'new-failure'), 'failing for the first time'],
    [count(({ change }) => change === 'unknown'), 'without a verdict'],
    [count(({ change }) => change === 'passing'), 'passing'],
  ]
  const flaky = count(each => each.flaky)
  const listed = parts.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`)
  const also = flaky > 0 ? `; ${flaky} flaky` : ''
  return `Of ${plural(again.length, 'case')} that ran again: ${listed.join(', ') || 'none ended'}${also}.`
}

/** Returns the run that this one repeats, if the service says so. No document of the contract names the field. */
export function parentOf(run: object): string | undefined {
  const parent = (run as { rerunOf?: unknown }).rerunOf
  return typeof parent === 'string' ? parent : undefined
}
