import { useTheme } from '../../tui/theme/theme-context.tsx'
import { BelowNotices } from '../below-notices.tsx'
import { Accompanied, type CompanionSpec } from '../companion.tsx'
import { PaneState, type EmptyWords, type PaneData } from '../pane-state.tsx'
import { Pane } from '../panes/pane.tsx'
import { List } from './list.tsx'
import { BelowCut, type LongList } from './read-on.tsx'
import { useRestedIndex } from './use-rested-index.ts'
import { listCount, listNote, type ListState } from './use-list.ts'

/** Props of a list with its states. */
export type ListContentProps<Item> = {
  list: ListState<Item>
  data: PaneData
  focused: boolean
  loading: string
  empty: EmptyWords
  /**
   * How the list is read page by page, if it has a cursor, and the noun for a row; `always` if it is read only on
   * request.
   */
  pages?: { of: LongList; noun: string; always?: boolean }
  /** Warnings above the rows. */
  notices?: readonly string[]
}

/** Shows a list with its notices and its five states, for use in a pane. */
export function ListContent<Item>(props: ListContentProps<Item>) {
  const { list, pages, empty } = props
  return (
    <BelowNotices notices={props.notices ?? []}>
      <PaneState
        data={props.data}
        loading={props.loading}
        empty={list.total === 0 && !pages?.of.hasMore ? empty : undefined}
      >
        {pages ? (
          <BelowCut
            pages={pages.of}
            count={list.total}
            noun={pages.noun}
            focused={props.focused}
            always={pages.always ?? false}
          >
            <List list={list} focused={props.focused} empty={empty.why} goesOn={pages.of.hasMore} />
          </BelowCut>
        ) : (
          <List list={list} focused={props.focused} empty={empty.why} />
        )}
      </PaneState>
    </BelowNotices>
  )
}

/**
 * Shows a list in its pane: title with position, count and marks, sort order and filter, and the five states.
 * @param props.below the selected item, shown if there is room for it
 */
export function ListPane<Item>(props: ListContentProps<Item> & { title: string; below?: CompanionSpec | undefined }) {
  const { list, below } = props
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
      <Accompanied of={ListPane} companion={below}>
        <ListContent {...props} />
      </Accompanied>
    </Pane>
  )
}
