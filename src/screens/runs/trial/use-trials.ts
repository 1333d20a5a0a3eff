import { useMemo, useRef } from 'react'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { variantOfTrial } from '../../../domain/runs/variants.ts'
import { usePlace, useRouter, usePositionParams } from '../../../tui/router/router-context.tsx'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { useChosen } from '../../../components/list/use-chosen.ts'
import { useList, type ListState } from '../../../components/list/use-list.ts'
import { useRestedIndex } from '../../../components/list/use-rested-index.ts'
import { useMoreTrials, type RunData } from '../use-runs-data.ts'
import { trialColumns, trialKey } from './columns.ts'
import { byUrgency } from '../../../components/records/trial-look.ts'

export type Trials = {
  list: ListState<EvalIteration>
  /** The trial to be shown by itself. */
  chosen: EvalIteration | undefined
  /** Number of trials of the run in the case of a trial, as far as read. */
  ofCase: (trial: EvalIteration) => number | undefined
  /** Whether the trials of a case are shown as one row. */
  isByCase: boolean
  /** Whether several models were used. */
  models: boolean
  /** Opens the selected row: a trial, or the trials of a case. */
  open: () => void
  /** Sets how a row of a case is opened, while there are such rows. */
  onOpenCase: (open: (() => void) | undefined) => void
}

/** Returns the trials of a run, failing first, with the selection. */
export function useTrials(data: RunData): Trials {
  const router = useRouter()
  const { params } = usePlace()
  const { symbols } = useTheme()
  const { trials } = data
  const counts = useRef<ReadonlyMap<string, number>>(new Map())
  // oxlint-disable-next-line react/exhaustive-deps -- a run only gets more trials, and none changes its case
  counts.current = useMemo(() => countsByVariant(trials), [trials.length, trials[0]?.id])
  const ofCase = useMemo(() => (trial: EvalIteration) => counts.current.get(variantOfTrial(trial)), [])
  const models = useMemo(() => trials.some(({ model }) => model !== trials[0]?.model), [trials])
  const columns = useMemo(() => trialColumns(symbols, { ofCase, models }), [symbols, ofCase, models])
  const items = useMemo(() => byUrgency(trials), [trials])
  const list = useList({ items, keyOf: trialKey, columns, initialKey: params.iterationId })
  const isByCase = params.rows === 'cases'
  usePositionParams(params => {
    const isOfTrial = params['tab'] === 'trial' || (params['tab'] === 'trials' && !isByCase)
    return isOfTrial ? { ...params, iterationId: list.current()?.id ?? params['iterationId'] } : params
  })
  const rested = useRestedIndex(list.selection)
  // Filtering and counting need all trials.
  useMoreTrials(data.trialsQuery, isByCase || list.filter !== '' ? Infinity : rested)
  const openCase = useRef<() => void>(undefined)
  const chosen = useOpened(list, useChosen(list), items)
  return {
    list,
    chosen,
    ofCase,
    isByCase,
    models,
    open() {
      if (isByCase) return openCase.current?.()
      const trial = list.choose()
      if (trial) router.replace({ tab: 'trial', iterationId: trial.id })
    },
    onOpenCase(open) {
      openCase.current = open
    },
  }
}

/** Returns the selected trial, or the open one if a filter now hides it: its class may change while it is read. */
function useOpened(
  list: ListState<EvalIteration>,
  chosen: EvalIteration | undefined,
  items: readonly EvalIteration[],
): EvalIteration | undefined {
  const { tab, iterationId } = usePlace().params
  if (tab !== 'trial' || iterationId === undefined || list.filter === '') return chosen
  if (list.items.some(({ id }) => id === iterationId)) return chosen
  return items.find(({ id }) => id === iterationId) ?? chosen
}

function countsByVariant(trials: readonly EvalIteration[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const trial of trials) {
    const key = variantOfTrial(trial)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}
