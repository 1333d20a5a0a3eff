import { useEffect, useRef, useState } from 'react'
import type { ListState } from './use-list.ts'
import { followSelection, type Follower } from './use-rested-index.ts'

/**
 * The chosen item for what is beside the list. It follows at once when the data changes, and the moves of the selection
 * as {@link followSelection} says.
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
    // Setting a state to its current value can still make React render once more.
    if (!follower.current?.isBehind() && selection.key() !== key) setKey(selection.key())
  }, [list.items, selection, key])
  const current = list.current()
  // Mostly it is the chosen row, which need not be looked for among ten thousand.
  if (key === undefined || (current && list.keyOf(current) === key)) return current
  return list.items.find(item => list.keyOf(item) === key) ?? current
}
