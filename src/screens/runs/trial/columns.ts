import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { CaseTrials } from '../../../domain/runs/variants.ts'
import { causeOf } from '../../../domain/runs/causes.ts'
import { classOfTrial, TRIAL_CLASSES } from '../../../domain/runs/trial-class.ts'
import { passRate } from '../../../domain/runs/trials.ts'
import { formatCount, formatDuration, formatRate, UNKNOWN } from '../../../lib/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import {
  countColumn,
  lookColumn,
  measureColumn,
  nameColumn,
  noteColumn,
} from '../../../components/collection/plain-parts.ts'
import type { Column } from '../../../components/list/columns.ts'
import { classLook, trialLook, whyOf } from '../../../components/records/trial-look.ts'

export const trialKey = (trial: EvalIteration): string => trial.id
export const caseKey = (row: CaseTrials): string => row.key

const STATE_WIDTH = 14
const MODEL_WIDTH = 18

/**
 * Returns the columns of a run's trials. `ofCase` counts the trials of a trial's case; `models` is whether the run has
 * several models.
 */
export function trialColumns(
  symbols: Symbols,
  options: { ofCase: (trial: EvalIteration) => number | undefined; models: boolean },
): readonly Column<EvalIteration>[] {
  return [
    lookColumn(symbols, trialLook, {
      width: STATE_WIDTH,
      // Sorts by class, the most urgent first.
      sort: trial => TRIAL_CLASSES.indexOf(classOfTrial(trial)),
    }),
    nameColumn('Case', trial => trial.title, { id: 'case' }),
    countColumn('Trial', 5, trial => trial.iterationNumber, {
      id: 'iteration',
      cell: trial => ({ text: `${trial.iterationNumber}/${options.ofCase(trial) ?? UNKNOWN}`, tone: 'muted' }),
    }),
    ...(options.models ? [modelColumn<EvalIteration>()] : []),
    measureColumn('Took', 8, trial => trial.durationMs, formatDuration),
    noteColumn('Cause', 11, trial => causeOf(trial) ?? '', { from: 74 }),
    measureColumn('Tokens', 7, trial => trial.tokensUsed, formatCount, { from: 84 }),
    noteColumn('Why', 'flex', trial => whyOf(trial) ?? '', { from: 118 }),
  ]
}

function modelColumn<Item extends { model?: string | null | undefined }>(): Column<Item> {
  return nameColumn('Model', ({ model }) => model, { id: 'model', width: MODEL_WIDTH, from: 60 })
}

/**
 * Returns the columns of a run's cases, with the trials of each folded into one row. `passedIn` says in which run each
 * case passed that is flaky by reruns.
 */
export function caseColumns(
  symbols: Symbols,
  options: { models: boolean; passedIn: ReadonlyMap<string, string> },
): readonly Column<CaseTrials>[] {
  const { passedIn } = options
  const isFlaky = (row: CaseTrials): boolean => row.flaky || passedIn.has(row.key)
  return [
    lookColumn(symbols, row => classLook(row.worst), {
      title: 'Worst trial',
      width: STATE_WIDTH,
      sort: row => TRIAL_CLASSES.indexOf(row.worst),
    }),
    nameColumn('Case', row => row.title, { id: 'case' }),
    ...(options.models ? [modelColumn<CaseTrials>()] : []),
    {
      id: 'flaky',
      title: 'Flaky',
      width: 7,
      cell: row => (isFlaky(row) ? { text: `${symbols.flaky} flaky`, tone: 'warn' } : ''),
      sort: row => (isFlaky(row) ? 0 : 1),
    },
    ...(passedIn.size > 0
      ? [noteColumn<CaseTrials>('Passed in', 10, row => passedIn.get(row.key) ?? '', { id: 'rerun', from: 70 })]
      : []),
    countColumn('Passed', 8, rateOf, {
      cell: row => (row.graded === 0 ? UNKNOWN : `${row.passed}/${row.graded}`),
      count: row => row.passed,
    }),
    countColumn('Rate', 5, rateOf, { cell: row => formatRate(row.passed, row.graded) }),
    measureColumn('Ungraded', 8, row => row.trials.length - row.graded, formatCount, { from: 62 }),
    noteColumn('Why', 'flex', row => firstWhy(row) ?? '', { from: 118 }),
  ]
}

function rateOf({ passed, graded }: CaseTrials): number | undefined {
  return passRate({ passed, failed: graded - passed })
}

function firstWhy({ trials, worst }: CaseTrials): string | undefined {
  const first = trials.find(trial => classOfTrial(trial) === worst)
  return first && whyOf(first)
}
