import type { EvalIteration } from '../../api/contract/iterations.ts'
import { variantKey } from '../../api/contract/runs.ts'
import { classOfTrial, TRIAL_CLASSES, type TrialClass } from './trial-class.ts'
import { countTrials } from './trials.ts'

export type CaseTrials = {
  key: string
  title: string | undefined
  model: string | undefined
  /** Trials in the given order. */
  trials: readonly EvalIteration[]
  passed: number
  /** Number of trials that passed or failed. */
  graded: number
  /** Whether the graded trials disagree. */
  flaky: boolean
  /** The most urgent class among the trials. */
  worst: TrialClass
}

type Placed = Pick<EvalIteration, 'testCaseId' | 'title' | 'model' | 'provider'>

/** Returns the key of a trial's variant: its case on its model. */
export function variantOfTrial({ testCaseId, title, model, provider }: Placed): string {
  return variantKey({ caseId: testCaseId ?? title ?? '', model, provider })
}

/** Groups trials by variant, in the order in which the variants first occur. */
export function byCase(trials: readonly EvalIteration[]): CaseTrials[] {
  return [...Map.groupBy(trials, variantOfTrial)].map(([key, own]): CaseTrials => {
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

/**
 * Returns the name of a trial's variant among the trials of its run: the title of its case, with the model if the case
 * has several variants, and with the provider if they have the same model. Cases with the same title are distinguished
 * by id, which does not change when cases move.
 */
export function variantNames(trials: readonly EvalIteration[]): (trial: EvalIteration) => string {
  const ofCase = new Map<string, Map<string, string | undefined>>()
  const ofTitle = new Map<string, Set<string>>()
  for (const trial of trials) {
    if (trial.title != null)
      ofTitle.set(trial.title, (ofTitle.get(trial.title) ?? new Set<string>()).add(caseOf(trial)))
    const known = ofCase.get(caseOf(trial)) ?? new Map<string, string | undefined>()
    ofCase.set(caseOf(trial), known.set(variantOfTrial(trial), trial.model ?? undefined))
  }
  return trial => {
    const { model, provider, title } = trial
    const hasTwin = title != null && (ofTitle.get(title)?.size ?? 0) > 1
    const name = hasTwin ? `${title} (${caseOf(trial)})` : (title ?? trial.testCaseId ?? trial.id)
    const models = [...(ofCase.get(caseOf(trial))?.values() ?? [])]
    if (models.length < 2 || !model) return name
    const isAlone = models.filter(each => each === model).length < 2
    return `${name} (${isAlone || !provider ? model : `${provider}/${model}`})`
  }
}

function caseOf({ testCaseId, title, id }: EvalIteration): string {
  return testCaseId ?? title ?? id
}
