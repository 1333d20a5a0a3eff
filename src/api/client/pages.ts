import { ApiError } from './errors/api-error.ts'
import type { AnyEndpoint, InputOf, OutputOf } from '../contract/endpoint.ts'
import { nextCursorOf } from '../contract/shapes.ts'

/** Returns the cursor of the next page, or `undefined` at the end or for a list without cursors. */
export function nextCursor(endpoint: AnyEndpoint, reply: unknown): string | undefined {
  if (!endpoint.cursor || typeof reply !== 'object' || reply === null || !('nextCursor' in reply)) return undefined
  return typeof reply.nextCursor === 'string' ? nextCursorOf({ nextCursor: reply.nextCursor }) : undefined
}

export function withCursor<E extends AnyEndpoint>(
  endpoint: E,
  input: InputOf<E>,
  cursor: string | undefined,
): InputOf<E> {
  if (!endpoint.cursor || cursor === undefined) return input
  const { in: place, name } = endpoint.cursor
  const fields = input as { body?: Record<string, unknown> }
  const next =
    place === 'query' ? { ...fields, [name]: cursor } : { ...fields, body: { ...fields.body, [name]: cursor } }
  return next as InputOf<E>
}

/** Limits of reading one list. A list that has more ends with an error that says how far it was read. */
export const LIST_BOUNDS = {
  pages: 200,
  items: 20_000,
  /** Maximum characters of all answers together. */
  text: 64 * 1024 * 1024,
  /** Maximum number of successive pages with nothing new. */
  idlePages: 20,
} as const

/** The limits of reading a list. `Infinity` if a person asked for all of it. */
export type ListBounds = { pages: number; items: number; text: number }

/** The amount that was read of a list, and the number of last pages that had nothing new. */
export type ListRead = ListBounds & { idlePages: number }

/** Whether a list is only read further if a person asks for it. */
export function reachesBounds(read: ListRead, bounds: ListBounds = LIST_BOUNDS): boolean {
  const { pages, items, text } = bounds
  return read.idlePages >= LIST_BOUNDS.idlePages || read.pages >= pages || read.items >= items || read.text >= text
}

type Walked<E extends AnyEndpoint> = { value: OutputOf<E>; size: number }

/**
 * Reads a list page by page within its limits.
 * @throws ApiError `invalid-response` with code `repeated-cursor` if a cursor is returned again or `idlePages` pages in
 * a row have nothing new, with code `endless-list` beyond the other limits
 */
export async function* pagesOf<E extends AnyEndpoint>(
  endpoint: E,
  input: InputOf<E>,
  fetchPage: (input: InputOf<E>) => Promise<Walked<E>>,
  bounds: ListBounds = LIST_BOUNDS,
): AsyncGenerator<OutputOf<E>, void> {
  const seen = new Set<string>()
  const news = createNews()
  let [pages, items, text, idle] = [0, 0, 0, 0]
  for (let cursor: string | undefined; ;) {
    const { value: page, size } = await fetchPage(withCursor(endpoint, input, cursor))
    const found = itemsOf(page)
    pages += 1
    items += found?.length ?? 0
    text += size
    idle = !found || news(found) ? 0 : idle + 1
    yield page
    cursor = nextCursor(endpoint, page)
    if (cursor === undefined) return
    if (seen.has(cursor)) throw repeatedCursor(endpoint)
    if (idle >= LIST_BOUNDS.idlePages) throw nothingNew(endpoint, idle)
    if (reachesBounds({ pages, items, text, idlePages: idle }, bounds)) throw tooLong(endpoint, { pages, items })
    seen.add(cursor)
  }
}

/** Whether an error only says that a list has more than was read. */
export function isCutShort(error: unknown): error is ApiError {
  return error instanceof ApiError && CUTS.has(error.code ?? '')
}

const CUTS: ReadonlySet<string> = new Set(['repeated-cursor', 'endless-list'])

/** Records the items of pages by their ids, and returns whether one is new. Items without an id count as new. */
export function createNews(): (items: readonly unknown[]) => boolean {
  const ids = new Set<string>()
  return items => {
    let isNew = false
    for (const item of items) {
      const id: unknown = Object(item)['id']
      if (typeof id !== 'string' || !ids.has(id)) isNew = true
      if (typeof id === 'string') ids.add(id)
    }
    return isNew
  }
}

/** Returns undefined if pages contain something else, such as messages. */
function itemsOf(page: unknown): readonly unknown[] | undefined {
  const items: unknown = Object(page)['items']
  return Array.isArray(items) ? items : undefined
}

function repeatedCursor(endpoint: AnyEndpoint): ApiError {
  return cut(endpoint, 'repeated-cursor', 'The list answered a cursor for the second time.')
}

function nothingNew(endpoint: AnyEndpoint, pages: number): ApiError {
  return cut(endpoint, 'repeated-cursor', `The last ${pages} pages of the list held nothing new.`)
}

function tooLong(endpoint: AnyEndpoint, { pages, items }: { pages: number; items: number }): ApiError {
  return cut(endpoint, 'endless-list', `${items} items on ${pages} pages were read, and there are more.`)
}

function cut(endpoint: AnyEndpoint, code: 'repeated-cursor' | 'endless-list', message: string): ApiError {
  return new ApiError({ kind: 'invalid-response', code, message, endpoint, sent: true })
}
