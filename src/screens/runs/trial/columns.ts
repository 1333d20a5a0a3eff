import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { CaseTrials } from '../../../domain/runs/variants.ts'
import { causeOf } from '../../../domain/runs/causes.ts'
import { classOfTrial, TRIAL_CLASSES } from '../../../domain/runs/trial-class.ts'
import { passRate } from '../../../domain/runs/trials.ts'
import { formatCount, formatDuration, formatRate, UNKNOWN } from '../../../tui/theme/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import type { Cell, Column } from '../../../components/list/columns.ts'
import type { Look } from '../../../components/records/run-look.ts'
import { classLook, trialLook, whyOf } from './look.ts'

export const trialKey = (trial: EvalIteration): string => trial.id
export const caseKey = (row: CaseTrials): string => row.key

const STATE_WIDTH = 14
const MODEL_WIDTH = 18

function lookCell(symbols: Symbols, look: Look): Cell {
  return { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone }
}

/**
 * Columns of a run's trials. `ofCase` counts the trials of the case of one; `models` whether there are several.
 */
export function trialColumns(
  symbols: Symbols,
  options: { ofCase: (trial: EvalIteration) => number | undefined; models: boolean },
): readonly Column<EvalIteration>[] {
  return [
    {
      id: 'state',
      title: 'State',
      width: STATE_WIDTH,
      cell: trial => lookCell(symbols, trialLook(trial)),
      // By class, the most urgent first.
      sort: trial => TRIAL_CLASSES.indexOf(classOfTrial(trial)),
    },
    {
      id: 'case',
      title: 'Case',
      width: 'flex',
      cell: trial => trial.title ?? UNKNOWN,
      sort: trial => trial.title ?? undefined,
    },
    {
      id: 'iteration',
      title: 'Trial',
      width: 5,
      align: 'right',
      cell: trial => ({ text: `${trial.iterationNumber}/${options.ofCase(trial) ?? UNKNOWN}`, tone: 'muted' }),
      sort: trial => trial.iterationNumber,
    },
    ...(options.models ? [modelColumn<EvalIteration>()] : []),
    {
      id: 'took',
      title: 'Took',
      width: 8,
      align: 'right',
      cell: trial => ({ text: formatDuration(trial.durationMs), tone: 'muted' }),
      sort: trial => trial.durationMs ?? undefined,
    },
    {
      id: 'cause',
      title: 'Cause',
      width: 11,
      from: 74,
      cell: trial => ({ text: causeOf(trial) ?? '', tone: 'muted' }),
    },
    {
      id: 'tokens',
      title: 'Tokens',
      width: 7,
      align: 'right',
      from: 84,
      cell: trial => ({ text: formatCount(trial.tokensUsed), tone: 'muted' }),
      sort: trial => trial.tokensUsed ?? undefined,
    },
    { id: 'why', title: 'Why', width: 'flex', from: 118, cell: trial => ({ text: whyOf(trial) ?? '', tone: 'muted' }) },
  ]
}

function modelColumn<Item extends { model?: string | null | undefined }>(): Column<Item> {
  return {
    id: 'model',
    title: 'Model',
    width: MODEL_WIDTH,
    from: 60,
    cell: ({ model }) => model ?? UNKNOWN,
    sort: ({ model }) => model ?? undefined,
  }
}

/** Columns of a run's cases, the trials of each folded into one row. */
export function caseColumns(symbols: Symbols, options: { models: boolean }): readonly Column<CaseTrials>[] {
  return [
    {
      id: 'state',
      title: 'Worst trial',
      width: STATE_WIDTH,
      cell: row => lookCell(symbols, classLook(row.worst)),
      sort: row => TRIAL_CLASSES.indexOf(row.worst),
    },
    { id: 'case', title: 'Case', width: 'flex', cell: row => row.title ?? UNKNOWN, sort: row => row.title },
    ...(options.models ? [modelColumn<CaseTrials>()] : []),
    {
      id: 'flaky',
      title: 'Flaky',
      width: 7,
      cell: row => (row.flaky ? { text: `${symbols.changed} flaky`, tone: 'warn' } : ''),
      sort: row => (row.flaky ? 0 : 1),
    },
    {
      id: 'passed',
      title: 'Passed',
      width: 8,
      align: 'right',
      cell: row => (row.graded === 0 ? UNKNOWN : `${row.passed}/${row.graded}`),
      count: row => row.passed,
      sort: row => passRate({ passed: row.passed, failed: row.graded - row.passed }),
    },
    {
      id: 'rate',
      title: 'Rate',
      width: 5,
      align: 'right',
      cell: row => formatRate(row.passed, row.graded),
      sort: row => passRate({ passed: row.passed, failed: row.graded - row.passed }),
    },
    {
      id: 'ungraded',
      title: 'Ungraded',
      width: 8,
      align: 'right',
      from: 62,
      cell: row => ({ text: formatCount(row.trials.length - row.graded), tone: 'muted' }),
      sort: row => row.trials.length - row.graded,
    },
    { id: 'why', title: 'Why', width: 'flex', from: 118, cell: row => ({ text: firstWhy(row) ?? '', tone: 'muted' }) },
  ]
}

function firstWhy({ trials, worst }: CaseTrials): string | undefined {
  const first = trials.find(trial => classOfTrial(trial) === worst)
  return first && whyOf(first)
}
