import { useEffect, useMemo } from 'react'
import { byCase } from '../../../api/runs/trial-class-by-case.ts'
import { unavailable } from '../../../app/keymap/binding.ts'
import { useBindings } from '../../../app/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../../app/router/router-context.tsx'
import { useTheme } from '../../../app/theme/theme-context.tsx'
import { List } from '../../../components/list/list.tsx'
import { useList } from '../../../components/list/use-list.ts'
import { PaneState } from '../../../components/pane-state.tsx'
import type { RunData } from '../use-runs-data.ts'
import { caseColumns, caseKey } from './columns.ts'
import { nextPreset, presets } from './presets.ts'
import { trialsKeys } from './trial-keys.ts'
import type { Trials } from './use-trials.ts'

const EMPTY = {
  why: 'The run has no trials yet.',
  next: 'They appear as soon as the service has planned them.',
}

/** The run's trials, failing first, or a row for each case. */
export function TrialsTab(props: { data: RunData; trials: Trials; focused: boolean }) {
  const { data, trials, focused } = props
  const { list, isByCase } = trials
  const router = useRouter()
  const all = useMemo(() => presets(data.trials), [data.trials])
  useBindings(
    trialsKeys,
    {
      show:
        isByCase || all.length === 1
          ? unavailable(isByCase ? 'Cases are shown, not trials.' : 'Nothing went wrong in this run.')
          : () => list.setFilter(nextPreset(all, list.filter)),
      byCase: () => router.replace({ rows: isByCase ? undefined : 'cases' }),
    },
    { active: focused },
  )
  return (
    <PaneState
      data={data.trialsQuery}
      loading="Reading the trials…"
      empty={list.total === 0 ? EMPTY : undefined}
    >
      {isByCase ? (
        <Cases data={data} trials={trials} focused={focused} />
      ) : (
        <List list={list} focused={focused} empty={EMPTY.why} />
      )}
    </PaneState>
  )
}

function Cases(props: { data: RunData; trials: Trials; focused: boolean }) {
  const { data, trials, focused } = props
  const { models, onOpenCase } = trials
  const { symbols } = useTheme()
  const router = useRouter()
  const { params } = usePlace()
  const items = useMemo(() => byCase(data.trials), [data.trials])
  const columns = useMemo(() => caseColumns(symbols, { models }), [symbols, models])
  const list = useList({
    items,
    keyOf: caseKey,
    columns,
    initialKey: params.caseRow,
    initialSorting: { column: 'state', descending: false },
  })
  useEffect(() => {
    onOpenCase(() => {
      const row = list.choose()
      if (!row) return
      const first = row.trials.toSorted((a, b) => orderOf(trials, a.id) - orderOf(trials, b.id))[0]
      trials.list.setFilter('')
      // Then the trials of the case stand together.
      trials.list.setSorting({ column: 'case', descending: false })
      if (first) trials.list.selection.select(first.id)
      router.replace({ rows: undefined, caseRow: row.key })
    })
    return () => onOpenCase(undefined)
  })
  return <List list={list} focused={focused} empty={EMPTY.why} />
}

function orderOf({ list }: Trials, id: string): number {
  return list.items.findIndex(trial => trial.id === id)
}
