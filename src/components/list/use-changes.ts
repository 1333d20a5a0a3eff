import { useEffect, useRef, useState } from 'react'
import { diffItems, type Changes } from './changes.ts'
import type { Column } from './columns.ts'
import type { Change } from './delta.ts'

/** How long a row is marked as new or changed, in milliseconds. */
const SIGN_MS = 4000

type Sign<Item> = { change: Change<Item>; until: number }
type Signs<Item> = { rows: Map<string, Sign<Item>>; gone: number; goneUntil: number }

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

/** What the last answers changed in a list, each for a moment. The same object as long as nothing else is to be marked. */
export function useChanges<Item>(
  items: readonly Item[],
  list: { keyOf: (item: Item) => string; columns: readonly Column<Item>[]; arriving: boolean },
): Changes<Item> {
  const [shown, show] = useState<Changes<Item>>(NOTHING)
  const before = useRef(items)
  const signs = useRef<Signs<Item>>({ rows: new Map(), gone: 0, goneUntil: 0 })
  const timer = useRef<NodeJS.Timeout>(undefined)
  const latest = useRef(list)
  latest.current = list
  useEffect(() => {
    if (items === before.current) return
    const news = diffItems(before.current, items, latest.current)
    before.current = items
    const publish = (): void => {
      const now = Date.now()
      signs.current = merged(signs.current, NOTHING, now)
      const { rows, gone, goneUntil } = signs.current
      clearTimeout(timer.current)
      timer.current = undefined
      if (isEmpty(signs.current)) return show(NOTHING)
      show({ rows: new Map([...rows].map(([key, { change }]) => [key, change])), gone })
      const next = Math.min(...[...rows.values()].map(sign => sign.until), gone > 0 ? goneUntil : Infinity)
      timer.current = setTimeout(publish, Math.max(1, next - now))
      timer.current.unref()
    }
    if (isEmpty(news) || latest.current.arriving) return
    signs.current = merged(signs.current, news, Date.now())
    publish()
  }, [items])
  useEffect(() => () => clearTimeout(timer.current), [])
  return shown
}
