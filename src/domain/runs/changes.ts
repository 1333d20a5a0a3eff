import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { ComparedCase, EvalRunCompare } from '../../api/contract/run-comparison.ts'

/**
 * Changes of a case since an earlier run. `unknown` means that the case was not graded now, or that it failed and was
 * not graded before.
 */
export const CASE_CHANGES = ['new-failure', 'still-failing', 'fixed', 'passing', 'removed', 'unknown'] as const
export type CaseChange = (typeof CASE_CHANGES)[number]

export type ChangedCase = {
  caseKey: string
  /** Title of the case, with the model if several compared variants have the same title. */
  title: string
  change: CaseChange
  /**
   * Outcome of the case in the earlier run, in the service's word. `absent` means that it was missing, or not graded.
   */
  before: string
  /** Whether the case is missing in the earlier run. */
  isNew: boolean
  /** Whether the trials of the case in the later run and its reruns disagree. */
  flaky: boolean
  /** Whether the definition of the case has changed, so that the results are not comparable. */
  configChanged: boolean
}

/** The fields of the later run's trials that a comparison needs. */
export type ComparedTrial = Pick<EvalIteration, 'id' | 'result' | 'model'>

/**
 * Returns each compared case with its change, by the outcomes of both runs.
 * @param trials those of the later run
 * @param isFlaky whether a trial is of a case that passed in a rerun, which counts as passed
 */
export function changedCases(
  comparison: Pick<EvalRunCompare, 'cases'>,
  trials: readonly ComparedTrial[],
  isFlaky: (trialId: string) => boolean = () => false,
): ChangedCase[] {
  const known = new Map(trials.map(trial => [trial.id, trial]))
  const titled = Map.groupBy(comparison.cases, ({ title }) => title)
  return comparison.cases.map(compared => {
    const own = (compared.compare.iterationIds ?? []).flatMap(id => known.get(id) ?? [])
    const seen = new Set(own.map(({ result }) => result))
    const passedAgain =
      own.some(({ id }) => isFlaky(id)) && own.every(each => isFlaky(each.id) || each.result === 'passed')
    const model = titled.get(compared.title)!.length > 1 ? own.find(each => each.model)?.model : undefined
    return {
      caseKey: compared.caseKey,
      title: model ? `${compared.title} (${model})` : compared.title,
      change: changeOf(passedAgain ? passedLater(compared) : compared),
      before: compared.base.outcome,
      isNew: compared.status === 'new_case',
      flaky: passedAgain || (seen.has('passed') && seen.has('failed')),
      configChanged: compared.configChanged === true,
    }
  })
}

/** Returns the case as it would be compared if it had passed in the later run. */
function passedLater({ base, compare, status }: ComparedCase): Pick<ComparedCase, 'base' | 'compare' | 'status'> {
  const isFixed = base.outcome === 'failed'
  return { base, compare: { ...compare, outcome: 'passed' }, status: isFixed ? 'fixed' : status }
}

function changeOf({ status, base, compare }: Pick<ComparedCase, 'base' | 'compare' | 'status'>): CaseChange {
  if (status === 'removed_case') return 'removed'
  const [before, after] = [base.outcome, compare.outcome]
  if (after === 'failed') {
    if (before === 'failed') return status === 'regressed' ? 'new-failure' : 'still-failing'
    return before === 'passed' || status === 'new_case' ? 'new-failure' : 'unknown'
  }
  if (after !== 'passed') return 'unknown'
  return before === 'failed' && status === 'fixed' ? 'fixed' : 'passing'
}

/** Numbers of cases by change, including zeros. `flaky` counts independently of the others. */
export type ChangeCounts = Record<CaseChange | 'flaky', number>

export function countChanges(cases: readonly ChangedCase[]): ChangeCounts {
  const counts = Object.fromEntries([...CASE_CHANGES, 'flaky'].map(name => [name, 0])) as ChangeCounts
  for (const { change, flaky } of cases) {
    counts[change] += 1
    if (flaky) counts.flaky += 1
  }
  return counts
}
