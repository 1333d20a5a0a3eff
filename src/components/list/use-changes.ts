import { useEffect, useRef, useState } from 'react'
import { gatheredPause, together } from '../../lib/clock.ts'
import { diffItems, type Differences } from './changes.ts'
import type { Column } from './columns.ts'
import { type Changes, endShows, isEmpty, merged, nextEnd, NO_SIGNS, shownBy, type Signs } from './signs.ts'

const NO_NEWS: Differences<never> = { rows: new Map(), gone: 0 }

/** Minimum time that a mark is shown while nobody is present, in milliseconds: removing it redraws the whole screen. */
const UNSEEN_MS = 30_000

type ShownBefore<Item> = { items: readonly Item[]; signs: Signs<Item>; shown: Changes<Item> }

function withSigns<Item>(
  items: readonly Item[],
  signs: Signs<Item>,
  columns: readonly Column<Item>[],
): ShownBefore<Item> {
  return { items, signs, shown: shownBy(signs, columns) }
}

/**
 * Returns the changes of the last answers of a list, each for a moment. The same object while there is nothing new to
 * mark.
 */
export function useChanges<Item>(
  items: readonly Item[],
  list: { keyOf: (item: Item) => string; columns: readonly Column<Item>[]; arriving: boolean },
): Changes<Item> {
  const shownBefore = useRef<ShownBefore<Item>>(withSigns(items, NO_SIGNS, list.columns))
  const [, draw] = useState(0)
  const latest = useRef(list.columns)
  latest.current = list.columns
  if (shownBefore.current.items !== items) {
    // Computed while rendering, so that rows and their signs appear together.
    const news = diffItems(shownBefore.current.items, items, list)
    const isQuiet = isEmpty(news) || list.arriving
    shownBefore.current = isQuiet
      ? { ...shownBefore.current, items }
      : withSigns(items, merged(shownBefore.current.signs, news, Date.now()), list.columns)
  }
  const { signs, shown } = shownBefore.current
  useEffect(() => {
    let timer: NodeJS.Timeout | undefined
    const awaitEnd = (): void => {
      const end = nextEnd(shownBefore.current.signs)
      if (end === Infinity) return
      const pause = gatheredPause(Math.max(1, end - Date.now()), UNSEEN_MS)
      timer = setTimeout(() => together(finish), pause).unref()
    }
    const finish = (): void => {
      const { items: last, signs: known } = shownBefore.current
      const rest = merged(known, NO_NEWS, Date.now())
      shownBefore.current = withSigns(last, rest, latest.current)
      // Otherwise a list that creates its rows with every render would render itself forever.
      if (endShows(known, rest)) draw(count => count + 1)
      else awaitEnd()
    }
    awaitEnd()
    return () => clearTimeout(timer)
  }, [signs])
  return shown
}
