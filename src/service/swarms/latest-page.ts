import { pageSize, type PageQuery } from '../core/list-page.ts'
import type { LatestFirst } from '../store/latest-first.ts'
import type { Store } from '../workspace/store.ts'

const PAGE = 50

type List<Row> = {
  /** Names the list with its owner, for its cursors. */
  name: string
  ownerId: string
  query: PageQuery
  page: LatestFirst<Row>
}

/** One page of a list that shows the latest first. @throws ServiceError `VALIDATION_ERROR` for a foreign cursor */
export function latestPage<Row, Item>(
  { cursors }: Store,
  { name, ownerId, query, page }: List<Row>,
  toItem: (row: Row) => Item,
): { items: Item[]; nextCursor?: string } {
  const list = `${name}/${ownerId}`
  const { cursor } = query
  const size = pageSize(query, PAGE)
  const before = cursor === undefined ? undefined : cursors.read(list, cursor)
  // One more than shown tells whether there is a next page.
  const found = page(ownerId, before, size + 1)
  const shown = found.slice(0, size)
  const last = shown.at(-1)
  const items = shown.map(toItem)
  return found.length > size && last ? { items, nextCursor: cursors.write(list, last.position) } : { items }
}
