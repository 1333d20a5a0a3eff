import type { ReactNode } from 'react'
import { useRouter } from '../../tui/router/router-context.tsx'
import { ListPane } from '../list/list-pane.tsx'
import type { LongList } from '../list/read-on.tsx'
import { paneNeeds, paneRows } from '../list/use-list.ts'
import type { CompanionSpec } from '../companion.tsx'
import { NothingChosen, type EmptyWords, type PaneData } from '../pane-state.tsx'
import { Pane } from '../panes/pane.tsx'
import { arrangementOf } from '../panes/layout.ts'
import { Panes, type PaneSpec } from '../panes.tsx'
import { useSize } from '../size.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useLevel } from './level.ts'
import type { Collection } from './use-collection.ts'

/** The texts of a list pane; `loading` names what is read if it differs from the frame's `what`. */
type ListWords = { title: string; empty: EmptyWords; loading?: string; notices?: readonly string[] }

/** A list with its data, read page by page if it is long. */
type Listed<Row> = {
  collection: Collection<Row>
  /** The data being read, such as `the saved servers`. */
  what: string
  list: ListWords
  data: PaneData | (PaneData & LongList)
}

/** Shows the pane of a collection's list; `below` shows the selected item if there is room for it. */
export function CollectionList<Row>(props: Listed<Row> & { focused: boolean; below?: CompanionSpec | undefined }) {
  const { collection, what, data } = props
  return (
    <ListPane
      loading={`Reading ${what}…`}
      {...props.list}
      list={collection.list}
      data={data}
      {...('hasMore' in data && { pages: { of: data, noun: collection.noun } })}
      focused={props.focused}
      below={props.below}
    />
  )
}

/** The pane that the person came from; focusing it goes back. */
const OUTER = 'outer'

/** Whether notices, or the progress of a long list, are above its rows. */
function hasMoreAbove<Row>({ list, data }: Listed<Row>): boolean {
  return (list.notices?.length ?? 0) > 0 || ('hasMore' in data && data.hasMore)
}

/** Shows the panes of a collection: its list, and beside it the selected item or why there is none. */
export function CollectionFrame<Row>(
  props: {
    collection: Collection<Row>
    what: string
    renderDetail: (row: Row, focused: boolean) => ReactNode
    /** Shown if nothing is selected; by default the reason. */
    renderNone?: (focused: boolean) => ReactNode
    /** A pane between the list and the selected item, about that item. */
    between?: PaneSpec<string>
    /** The list with the row that contains this collection; shown if three panes fit side by side. */
    outer?: ReactNode
    weights?: readonly [list: number, detail: number] | undefined
    /** The rows of the list are sentences, so the list gets its width before the pane beside it. */
    isOfSentences?: boolean
  } & (
    | Listed<Row>
    | {
        renderList: (focused: boolean) => ReactNode
        /** Rows that the whole list needs; absent if the pane contains more than a list. */
        listRows?: number | undefined
        data: PaneData
      }
  ),
) {
  const { collection, what, data, renderDetail, weights = [3, 5] } = props
  const { noun, row, pane, panes } = collection
  const router = useRouter()
  const level = useLevel()
  const { room, arrangement } = arrangementOf({ ...useSize(), neverBeside: useTheme().plain })
  const outer = arrangement === 'beside' && room > 2 ? props.outer : undefined
  const listPane = (focused: boolean): ReactNode =>
    'list' in props ? <CollectionList {...props} focused={focused} /> : props.renderList(focused)
  const isEmpty = collection.list.total === 0 && !collection.list.isMissed
  const empty = 'list' in props && isEmpty ? props.list.empty : undefined
  // Does not move the focus to a pane that stays empty, or to a hidden pane that says nothing more than the list.
  const isVain = empty?.isFinal === true || (empty !== undefined && arrangement === 'one' && data.hasData)
  const isAlone = isVain && !props.between && !props.renderNone
  const none = (focused: boolean): ReactNode => (
    <Pane title={`${noun.charAt(0).toUpperCase()}${noun.slice(1)}`} focused={focused}>
      <NothingChosen
        sources={[{ what, data }]}
        why={`No ${noun} is chosen.`}
        next={empty?.next}
        isEmpty={collection.list.total === 0}
        isMissed={collection.list.isMissed}
      />
    </Pane>
  )
  const detailPane = (focused: boolean): ReactNode =>
    row ? renderDetail(row, focused) : (props.renderNone ?? none)(focused)
  return (
    <Panes
      isOfSentences={props.isOfSentences}
      focused={pane}
      onFocus={id => (id === OUTER ? level.leave?.() : router.replace({ [level.pane]: id }))}
      panes={[
        ...(outer === undefined ? [] : [{ id: OUTER, weight: 2, render: () => outer }]),
        {
          id: panes[0]!,
          weight: weights[0],
          needs: paneNeeds(collection.list),
          rows: 'list' in props ? paneRows(collection.list, hasMoreAbove(props)) : props.listRows,
          render: listPane,
        },
        ...(props.between ? [props.between] : []),
        ...(isAlone ? [] : [{ id: panes.at(-1)!, weight: weights[1], render: detailPane }]),
      ]}
    />
  )
}
