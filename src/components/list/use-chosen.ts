import { useEffect, useRef, useState } from 'react'
import type { ListState } from './use-list.ts'
import { REST_MS } from './use-rested-index.ts'

/**
 * The chosen item for what stands beside the list. It follows at once when the data changes and a
 * moment after the last move, so that holding a key down neither draws nor fetches every row passed.
 */
export function useChosen<Item>(list: ListState<Item>): Item | undefined {
  const [key, setKey] = useState(() => list.selection.key())
  const moving = useRef<NodeJS.Timeout>(undefined)
  const { selection } = list
  useEffect(() => {
    const unsubscribe = selection.subscribe(() => {
      clearTimeout(moving.current)
      moving.current = setTimeout(() => {
        moving.current = undefined
        setKey(selection.key())
      }, REST_MS)
    })
    return () => {
      clearTimeout(moving.current)
      unsubscribe()
    }
  }, [selection])
  useEffect(() => {
    if (!moving.current) setKey(selection.key())
  }, [list.items, selection])
  const current = list.current()
  // Mostly it is the chosen row, which need not be looked for among ten thousand.
  if (key === undefined || (current && list.keyOf(current) === key)) return current
  return list.items.find(item => list.keyOf(item) === key) ?? current
}
