import { useEffect, useRef, useState } from 'react'
import { diffItems, type Changes } from './changes.ts'
import type { Column } from './columns.ts'
import type { Change } from './delta.ts'

/** How long a row is marked as new or changed, in milliseconds. */
const SIGN_MS = 4000

type Sign<Item> = { change: Change<Item>; until: number }
type Signs<Item> = { rows: ReadonlyMap<string, Sign<Item>>; gone: number; goneUntil: number }

const NO_SIGNS: Signs<never> = { rows: new Map(), gone: 0, goneUntil: 0 }

/** What an answer changed, added to what still shows of the answers before it. */
function merged<Item>(signs: Signs<Item>, news: Changes<Item>, now: number): Signs<Item> {
  const rows = new Map([...signs.rows].filter(([, sign]) => sign.until > now))
  for (const [key, change] of news.rows) rows.set(key, { change, until: now + SIGN_MS })
  const goneBefore = signs.goneUntil > now ? signs.gone : 0
  return {
    rows,
    gone: goneBefore + news.gone,
    goneUntil: news.gone > 0 ? now + SIGN_MS : signs.goneUntil,
  }
}

function isEmpty(signs: { rows: ReadonlyMap<string, unknown>; gone: number }): boolean {
  return signs.rows.size === 0 && signs.gone === 0
}

const NOTHING: Changes<never> = { rows: new Map(), gone: 0 }

type Kept<Item> = { items: readonly Item[]; signs: Signs<Item>; shown: Changes<Item> }

function withSigns<Item>(items: readonly Item[], signs: Signs<Item>): Kept<Item> {
  const rows = new Map([...signs.rows].map(([key, { change }]) => [key, change]))
  return { items, signs, shown: isEmpty(signs) ? NOTHING : { rows, gone: signs.gone } }
}

/** When the first of these signs has been shown long enough, in epoch milliseconds. */
function nextEnd<Item>({ rows, gone, goneUntil }: Signs<Item>): number {
  let next = gone > 0 ? goneUntil : Infinity
  for (const { until } of rows.values()) next = Math.min(next, until)
  return next
}

/** What the last answers changed in a list, each for a moment. The same object as long as nothing else is to be marked. */
export function useChanges<Item>(
  items: readonly Item[],
  list: { keyOf: (item: Item) => string; columns: readonly Column<Item>[]; arriving: boolean },
): Changes<Item> {
  const kept = useRef<Kept<Item>>({ items, signs: NO_SIGNS, shown: NOTHING })
  const [, draw] = useState(0)
  if (kept.current.items !== items) {
    // Found while rendering, so that rows and their signs are one picture.
    const news = diffItems(kept.current.items, items, list)
    const isQuiet = isEmpty(news) || list.arriving
    kept.current = isQuiet
      ? { ...kept.current, items }
      : withSigns(items, merged(kept.current.signs, news, Date.now()))
  }
  const { signs, shown } = kept.current
  useEffect(() => {
    const end = nextEnd(signs)
    if (end === Infinity) return undefined
    const timer = setTimeout(
      () => {
        const { items: last, signs: known } = kept.current
        kept.current = withSigns(last, merged(known, NOTHING, Date.now()))
        draw(count => count + 1)
      },
      Math.max(1, end - Date.now()),
    )
    timer.unref()
    return () => clearTimeout(timer)
  }, [signs])
  return shown
}
