import type { Cursors } from './database/cursors.ts'
import type { Store } from './database/store.ts'
import type { LatestFirst } from './database/table.ts'

export type PageQuery = { cursor?: string | undefined; limit?: number | undefined }

/** Maximum number of items of one page if the contract states none. */
const MOST = 200

export function pageSize({ limit }: PageQuery, usual: number): number {
  return Math.min(limit ?? usual, MOST)
}

type Whole<Row> = {
  /** Name of the list and its owner, which its cursors contain. */
  list: string
  rows: readonly Row[]
  query: PageQuery
  /** Returns the key that identifies a row in its list. Default: its id. */
  keyOf?: (row: Row) => string
}

/**
 * Returns one page of loaded rows, or all remaining ones without a limit. A cursor contains the key and the place of
 * the last row, so that it remains valid if the row is deleted.
 * @throws ServiceError `VALIDATION_ERROR` for another list's cursor
 */
export function pageOf<Row, Item>(
  cursors: Cursors,
  { list, rows, query, keyOf = row => String((row as { id?: unknown }).id) }: Whole<Row>,
  toItem: (row: Row) => Item,
): { items: Item[]; nextCursor?: string } {
  const start = query.cursor === undefined ? 0 : placeAfter(cursors.readText(list, query.cursor), rows, keyOf)
  const end = query.limit === undefined ? rows.length : start + pageSize(query, query.limit)
  const shown = rows.slice(start, end)
  const last = shown.at(-1)
  const items = shown.map(toItem)
  if (end >= rows.length || last === undefined) return { items }
  const position = `${start + shown.length - 1}:${encodeURIComponent(keyOf(last))}`
  return { items, nextCursor: cursors.write(list, position) }
}

function placeAfter<Row>(position: string, rows: readonly Row[], keyOf: (row: Row) => string): number {
  const [index = '', key = ''] = position.split(':')
  const found = rows.findIndex(row => encodeURIComponent(keyOf(row)) === key)
  return found === -1 ? Math.min(Number(index), rows.length) : found + 1
}

/** Selects a part of a feed by the time of the last activity. */
export type FeedFilter = {
  order: 'newest' | 'oldest'
  /** Selects only items after this one in the given order. */
  after: { at: number; id: string } | undefined
  limit: number
}

const PAGE = 50

type List<Row> = { name: string; ownerId: string; query: PageQuery; page: LatestFirst<Row> }

/** Returns one page of a list, latest first. @throws ServiceError `VALIDATION_ERROR` for a cursor of another list */
export function latestPage<Row, Item>(
  { cursors }: Store,
  { name, ownerId, query, page }: List<Row>,
  toItem: (row: Row) => Item,
): { items: Item[]; nextCursor?: string } {
  const list = `${name}/${ownerId}`
  const { cursor } = query
  const size = pageSize(query, PAGE)
  const before = cursor === undefined ? undefined : cursors.read(list, cursor)
  // One row more than the page has shows whether there is a next page.
  const found = page(ownerId, before, size + 1)
  const shown = found.slice(0, size)
  const last = shown.at(-1)
  const items = shown.map(toItem)
  return found.length > size && last ? { items, nextCursor: cursors.write(list, last.position) } : { items }
}
