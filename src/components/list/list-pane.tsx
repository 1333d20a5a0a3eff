import { useTheme } from '../../tui/theme/theme-context.tsx'
import { BelowNotices } from '../below-notices.tsx'
import { PaneState, type PaneData } from '../pane-state.tsx'
import { Pane } from '../panes/pane.tsx'
import { List } from './list.tsx'
import { useRestedIndex } from './use-rested-index.ts'
import { listCount, listNote, type ListState } from './use-list.ts'

/** A list in its pane: title with position, count and marks, sort order and filter, and the five states. */
export function ListPane<Item>(props: {
  title: string
  list: ListState<Item>
  data: PaneData
  focused: boolean
  loading: string
  empty: { why: string; next: string }
  /** Warnings that stand above the rows. */
  notices?: readonly string[]
}) {
  const { list } = props
  useRestedIndex(list.selection)
  const { symbols } = useTheme()
  const note = listNote(list, symbols)
  return (
    <Pane
      title={props.title}
      focused={props.focused}
      {...(props.data.hasData && { count: listCount(list) })}
      {...(note !== undefined && { note })}
    >
      <BelowNotices notices={props.notices ?? []}>
        <PaneState
          data={props.data}
          loading={props.loading}
          empty={list.total === 0 ? props.empty : undefined}
        >
          <List list={list} focused={props.focused} empty={props.empty.why} />
        </PaneState>
      </BelowNotices>
    </Pane>
  )
}
