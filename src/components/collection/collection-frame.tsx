import type { ReactNode } from 'react'
import { useRouter } from '../../tui/router/router-context.tsx'
import { ListPane } from '../list/list-pane.tsx'
import type { LongList } from '../list/read-on.tsx'
import { NothingChosen, type PaneData } from '../pane-state.tsx'
import { Pane } from '../panes/pane.tsx'
import { Panes } from '../panes/panes.tsx'
import { useLevel } from './level.ts'
import type { Collection } from './use-collection.ts'

/** A list pane as words; `loading` says what is read where that is more than `what` of the frame. */
type ListWords = { title: string; empty: { why: string; next: string }; loading?: string; notices?: readonly string[] }

/** The panes of a collection: its list, and beside it the chosen one or why there is none. */
export function CollectionFrame<Row>(
  props: {
    collection: Collection<Row>
    /** What is read, such as `the saved servers`. */
    what: string
    renderDetail: (row: Row, focused: boolean) => ReactNode
    weights?: readonly [list: number, detail: number]
  } & (
    | { list: ListWords; data: PaneData & LongList }
    | { renderList: (focused: boolean) => ReactNode; data: PaneData }
  ),
) {
  const { collection, what, data, renderDetail, weights = [3, 5] } = props
  const { noun, row, inDetail } = collection
  const router = useRouter()
  const level = useLevel()
  const listPane = (focused: boolean): ReactNode =>
    'list' in props ? (
      <ListPane
        loading={`Reading ${what}…`}
        {...props.list}
        list={collection.list}
        data={data}
        pages={{ of: props.data, noun }}
        focused={focused}
      />
    ) : (
      props.renderList(focused)
    )
  const detailPane = (focused: boolean): ReactNode =>
    row ? (
      renderDetail(row, focused)
    ) : (
      <Pane title={`${noun.charAt(0).toUpperCase()}${noun.slice(1)}`} focused={focused}>
        <NothingChosen sources={[{ what, data }]} why={`No ${noun} is chosen.`} isMissed={collection.list.isMissed} />
      </Pane>
    )
  return (
    <Panes
      focused={inDetail ? 'detail' : 'list'}
      onFocus={pane => router.replace({ [level.pane]: pane })}
      panes={[
        { id: 'list', weight: weights[0], render: listPane },
        { id: 'detail', weight: weights[1], render: detailPane },
      ]}
    />
  )
}
