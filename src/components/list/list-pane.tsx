import { PaneState, type PaneData } from '../pane-state.tsx'
import { Pane } from '../panes/pane.tsx'
import { List } from './list.tsx'
import { useRestedIndex } from './use-rested-index.ts'
import { listCount, type ListState } from './use-list.ts'

function sortNote<Item>(list: ListState<Item>): string | undefined {
  const title = list.columns.find(column => column.id === list.sorting?.column)?.title
  return title && `by ${title.toLowerCase()}`
}

/** A list in its pane: title with position and count, sort order, and the five states. */
export function ListPane<Item>(props: {
  title: string
  list: ListState<Item>
  data: PaneData
  focused: boolean
  loading: string
  empty: { why: string; next: string }
}) {
  const { list } = props
  useRestedIndex(list.selection)
  const note = sortNote(list)
  return (
    <Pane
      title={props.title}
      focused={props.focused}
      {...(props.data.hasData && { count: listCount(list) })}
      {...(note !== undefined && { note })}
    >
      <PaneState data={props.data} loading={props.loading} empty={list.total === 0 ? props.empty : undefined}>
        <List list={list} focused={props.focused} empty={props.empty.why} />
      </PaneState>
    </Pane>
  )
}
