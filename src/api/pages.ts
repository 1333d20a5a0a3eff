import { ApiError } from './api-error.ts'
import type { AnyEndpoint, InputOf, OutputOf } from './contract/endpoint.ts'
import { nextCursorOf } from './contract/shapes.ts'

/** The cursor of the page after this one, or `undefined` at the end or on a list without cursors. */
export function nextCursor(endpoint: AnyEndpoint, reply: unknown): string | undefined {
  if (!endpoint.cursor || typeof reply !== 'object' || reply === null || !('nextCursor' in reply))
    return undefined
  return typeof reply.nextCursor === 'string' ? nextCursorOf({ nextCursor: reply.nextCursor }) : undefined
}

/** A list's input with the cursor put where the endpoint wants it. */
export function withCursor<E extends AnyEndpoint>(
  endpoint: E,
  input: InputOf<E>,
  cursor: string | undefined,
): InputOf<E> {
  if (!endpoint.cursor || cursor === undefined) return input
  const { in: place, name } = endpoint.cursor
  const fields = input as { body?: Record<string, unknown> }
  const next =
    place === 'query'
      ? { ...fields, [name]: cursor }
      : { ...fields, body: { ...fields.body, [name]: cursor } }
  return next as InputOf<E>
}

/**
 * Walks a list page by page.
 * @throws ApiError `invalid-response` with code `repeated-cursor` when a cursor comes back, which would never end
 */
export async function* pagesOf<E extends AnyEndpoint>(
  endpoint: E,
  input: InputOf<E>,
  fetchPage: (input: InputOf<E>) => Promise<OutputOf<E>>,
): AsyncGenerator<OutputOf<E>, void> {
  const seen = new Set<string>()
  for (let cursor: string | undefined; ;) {
    const page = await fetchPage(withCursor(endpoint, input, cursor))
    yield page
    cursor = nextCursor(endpoint, page)
    if (cursor === undefined) return
    if (seen.has(cursor)) throw repeatedCursor(endpoint)
    seen.add(cursor)
  }
}

function repeatedCursor(endpoint: AnyEndpoint): ApiError {
  return new ApiError({
    kind: 'invalid-response',
    code: 'repeated-cursor',
    message: 'The list answered a cursor for the second time.',
    endpoint,
    sent: true,
  })
}
