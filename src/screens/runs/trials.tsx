import { useMemo } from 'react'
import { List } from '../../components/list/list.tsx'
import type { ListState } from '../../components/list/use-list.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { PaneState } from '../../components/pane-state.tsx'
import type { RunData } from './use-runs-data.ts'

/** The run's trials, failing first. */
export function Trials(props: { data: RunData; list: ListState<EvalIteration>; focused: boolean }) {
  const { trialsQuery } = props.data
  const empty = useMemo(
    () => ({
      why: 'The run has no trials yet.',
      next: 'They appear as soon as the service has planned them.',
    }),
    [],
  )
  return (
    <PaneState
      data={trialsQuery}
      loading="Reading the trials…"
      empty={props.list.total === 0 ? empty : undefined}
    >
      <List list={props.list} focused={props.focused} empty={empty.why} />
    </PaneState>
  )
}
