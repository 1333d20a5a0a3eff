import { useEffect, useMemo } from 'react'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { usePlace, useRouter, useRowOfPlace, usePositionParams } from '../../tui/router/router-context.tsx'
import { useChosen } from '../list/use-chosen.ts'
import { noRow, useList, type ListState } from '../list/use-list.ts'
import { MISSED } from '../pane-state.tsx'
import { useSubject } from '../subject.tsx'
import { useLevel } from './level.ts'

type Params = Readonly<Record<string, string | undefined>>

/** A list with the selected item open beside it. */
export type Collection<Row> = {
  /** The noun for one item, such as `server`. */
  noun: string
  list: ListState<Row>
  /** The selected item, as shown beside the list. */
  row: Row | undefined
  /** The panes of the screen from this list on, as named in the place, and the focused one. */
  panes: readonly string[]
  pane: string
  /** Whether what is beside the list has the focus. */
  inDetail: boolean
  /** Opens the selected item beside the list. */
  open: KeyHandler | Unavailable
  /** Leaves the open item; does nothing at the top of the screen. */
  back: () => void
  /** Selects a new record once it is listed. */
  show: (made: { id: string } | undefined, params?: Params) => void
  /** An action on the item that is selected when the key is pressed. */
  on: (act: (row: Row) => unknown) => KeyHandler | Unavailable
}

/** How rows are written in the place, for going back, links and pins. */
type Placed<Row> = {
  /** The key of the row in the place. */
  key: string | undefined
  /** The parameter that names a row. */
  param: string
  /** The parameters that name a row, if that takes more than its key. */
  paramsOf?: (row: Row) => Params
  /** Parameters of places inside a row, which do not apply to other rows. */
  within?: readonly string[]
  /** Whether the place follows each selection at once, so that other screens open what belongs to the selected row. */
  follows?: boolean
}

const PANES = ['list', 'detail']

/**
 * Returns the state of a collection: its list, the selected row in the place, and the record for copying and viewing.
 * `columns`, `keyOf` and `recordOf` must be stable.
 * @param options.recordOf the record as the service sent it, if it may be viewed and copied; without it the screen sets
 * what is copied
 * @param options.panes the panes from this list on, as the place names them
 */
export function useCollection<Row extends object>(
  options: {
    noun: string
    placed: Placed<Row>
    recordOf?: (row: Row) => { id: string }
    panes?: readonly string[]
  } & Omit<Parameters<typeof useList<Row>>[0], 'initialKey'>,
): Collection<Row> {
  const { noun, recordOf, placed, panes = PANES, ...listed } = options
  const { paramsOf = row => ({ [placed.param]: listed.keyOf(row) }) } = placed
  const router = useRouter()
  const { pane: param, leave } = useLevel()
  const { params } = usePlace()
  const pane = panes.find(id => id === params[param]) ?? panes[0]!
  const inDetail = pane !== panes[0]
  const list = useList({ isOpen: inDetail, ...listed, initialKey: placed.key })
  const row = useChosen(list)
  useRowInPlace(list, row, { ...placed, paramsOf })
  const record = useMemo(() => row && recordOf?.(row), [row, recordOf])
  useSubject(recordOf && noun, record, {
    latest: () => {
      const current = list.current()
      return current && recordOf?.(current)
    },
  })
  const none = list.isMissed ? unavailable(MISSED) : noRow(list, noun)
  const on = (act: (row: Row) => unknown): KeyHandler | Unavailable => {
    if (list.items.length === 0 || list.isMissed) return none
    return async () => {
      const chosen = list.choose()
      if (chosen) await act(chosen)
    }
  }
  const enter = on(chosen => router.replace({ ...paramsOf(chosen), [param]: panes[1] }))
  const isOpen = inDetail && !('unavailable' in enter)
  return {
    noun,
    list,
    row,
    panes,
    pane,
    inDetail,
    open: isOpen ? unavailable(`The ${noun} is open; its tabs hold the rest.`) : enter,
    show(made, params) {
      if (!made) return
      list.selection.select(made.id)
      router.replace({ [placed.param]: made.id, ...params })
    },
    back: () => (inDetail ? router.replace({ [param]: undefined }) : leave?.()),
    on,
  }
}

/** Keeps place and selected row in sync, in both directions. */
function useRowInPlace<Row>(
  list: ListState<Row>,
  row: Row | undefined,
  placed: Required<Pick<Placed<Row>, 'paramsOf'>> & Placed<Row>,
): void {
  const { key, paramsOf, within = [], follows = false } = placed
  const router = useRouter()
  useRowOfPlace(list.selection, follows ? undefined : key)
  usePositionParams(params => {
    const current = follows ? undefined : list.current()
    if (!current) return params
    const named = paramsOf(current)
    const isSame = Object.entries(named).every(([name, value]) => params[name] === value)
    return { ...params, ...(!isSame && Object.fromEntries(within.map(name => [name, undefined]))), ...named }
  })
  const followed = follows && row ? JSON.stringify(paramsOf(row)) : undefined
  useEffect(() => {
    if (followed !== undefined) router.replace(JSON.parse(followed) as Params)
  }, [followed, router])
}
