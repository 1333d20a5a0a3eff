import { changeShown, type Difference, type Differences } from './changes.ts'
import type { Column } from './columns.ts'
import type { Change } from './delta.ts'

/** Milliseconds for which a row is marked as new or changed. */
const SIGN_MS = 4000

/** Changes of the last answers, as a list shows them. */
export type Changes<Item> = {
  /** Returns how the row with this key differs, while that is shown. */
  of: (key: string) => Change<Item> | undefined
  /** Number of rows that are gone. */
  gone: number
}

type Sign<Item> = {
  difference: Difference<Item>
  until: number
  /** The visible change, once it was computed. */
  change?: Change<Item> | undefined
  isLookedAt?: true
  /** The change of earlier answers, shown if this one is not visible. */
  before: Sign<Item> | undefined
}
export type Signs<Item> = { rows: ReadonlyMap<string, Sign<Item>>; gone: number; goneUntil: number }

export const NO_SIGNS: Signs<never> = { rows: new Map(), gone: 0, goneUntil: 0 }
const NOTHING: Changes<never> = { of: () => undefined, gone: 0 }

/** Returns the sign without earlier ones whose time is over. Signs end in the order of their answers. */
function unended<Item>(sign: Sign<Item> | undefined, now: number): Sign<Item> | undefined {
  if (!sign || sign.until <= now) return undefined
  const before = unended(sign.before, now)
  return before === sign.before ? sign : { ...sign, before }
}

/** Adds the changes of an answer to the earlier ones that still show. */
export function merged<Item>(signs: Signs<Item>, news: Differences<Item>, now: number): Signs<Item> {
  const rows = new Map<string, Sign<Item>>()
  for (const [key, known] of signs.rows) {
    const sign = unended(known, now)
    if (sign) rows.set(key, sign)
  }
  const until = now + SIGN_MS
  for (const [key, difference] of news.rows) rows.set(key, { difference, until, before: rows.get(key) })
  const goneBefore = signs.goneUntil > now ? signs.gone : 0
  return { rows, gone: goneBefore + news.gone, goneUntil: news.gone > 0 ? until : signs.goneUntil }
}

export function isEmpty(signs: { rows: ReadonlyMap<string, unknown>; gone: number }): boolean {
  return signs.rows.size === 0 && signs.gone === 0
}

/** Returns how the signs show in these columns; the same object while there are none. */
export function shownBy<Item>(signs: Signs<Item>, columns: readonly Column<Item>[]): Changes<Item> {
  if (isEmpty(signs)) return NOTHING
  const of = (key: string): Change<Item> | undefined => {
    for (let sign = signs.rows.get(key); sign; sign = sign.before) {
      if (!sign.isLookedAt) Object.assign(sign, { change: changeShown(sign.difference, columns), isLookedAt: true })
      if (sign.change) return sign.change
    }
    return undefined
  }
  return { of, gone: signs.gone }
}

/** Returns what a row's sign shows on screen, if the row was drawn since. */
function drawn<Item>(sign: Sign<Item> | undefined): Change<Item> | undefined {
  for (let each = sign; each?.isLookedAt; each = each.before) if (each.change) return each.change
  return undefined
}

/** Whether the screen changes when those signs end that are in `before` but not in `after`. */
export function endShows<Item>(before: Signs<Item>, after: Signs<Item>): boolean {
  if (before.gone !== after.gone) return true
  return [...before.rows].some(([key, sign]) => drawn(sign) !== drawn(after.rows.get(key)))
}

/** Returns when the first of these signs ends, in epoch milliseconds. */
export function nextEnd<Item>({ rows, gone, goneUntil }: Signs<Item>): number {
  let next = gone > 0 ? goneUntil : Infinity
  for (let sign of rows.values()) {
    while (sign.before) sign = sign.before
    next = Math.min(next, sign.until)
  }
  return next
}
