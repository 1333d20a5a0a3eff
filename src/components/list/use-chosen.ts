import { useEffect, useRef, useState } from 'react'
import type { ListState } from './use-list.ts'
import { followSelection, type Follower } from './use-rested-index.ts'

/**
 * Returns the selected item for the panes beside the list. It changes at once with the data, and after moves of the
 * selection as {@link followSelection} says.
 */
export function useChosen<Item>(list: ListState<Item>): Item | undefined {
  const [key, setKey] = useState(() => list.selection.key())
  const follower = useRef<Follower>(undefined)
  const { selection } = list
  useEffect(() => {
    follower.current = followSelection(selection, () => setKey(selection.key()))
    return follower.current.stop
  }, [selection])
  useEffect(() => {
    // Setting a state to its current value can still make React render again.
    if (!follower.current?.isBehind() && selection.key() !== key) setKey(selection.key())
  }, [list.items, selection, key])
  const current = list.current()
  // Usually this is the selected row, which saves searching ten thousand rows.
  if (key === undefined || (current && list.keyOf(current) === key)) return current
  return list.items.find(item => list.keyOf(item) === key) ?? current
}
