import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  type QueryFilters,
  queryOptions,
  type UseInfiniteQueryOptions,
  type UseQueryOptions,
} from '@tanstack/react-query'
import type { ApiError } from '../errors/api-error.ts'
import type { Client } from '../client.ts'
import type { AnyEndpoint, InputOf, OutputOf } from '../../contract/endpoint.ts'
import { type Contract, contract } from '../../contract/contract.ts'
import { yieldToInput } from '../../../lib/yield-to-input.ts'
import { pagesToRefresh } from '../../../lib/pages-to-refresh.ts'
import { LIST_BOUNDS, nextCursor, withCursor } from '../pages.ts'
import { noteFirstPage, isUnchanged, statesBeingRead } from './page-states.ts'
import { datedRead, outdateAfterWrite, queryAt } from './query-client.ts'
import type { Priority } from '../budget/waiting-queue.ts'
import type { Purpose } from '../budget/gauge.ts'
/** Request options of a query. Without a priority the first load is foreground, later ones are visible. */
type RequestMeta = {
  priority?: Priority
  owner?: string
  purpose?: Purpose
  /** Milliseconds between planned reads, if no observer has an interval. */
  every?: number
  /** Whether the age of a planned read is shown as the age of the screen. */
  leads?: boolean
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: RequestMeta
  }
}

/** Options for reading one operation: the parameters of `queries.<resource>.<name>.options(input)`. */
export type ReadOptions<T, Key extends readonly unknown[]> = UseQueryOptions<T, ApiError, T, Key>

type QueryKeyOf<E> = readonly [resource: string, name: string, input: InputOf<E>]
type PagesKeyOf<E> = readonly [resource: string, name: string, input: InputOf<E>, form: 'pages']

type Extra<O> = Partial<
  Omit<O, 'queryKey' | 'queryFn' | 'select' | 'initialData' | 'getNextPageParam' | 'initialPageParam'>
>
type QueryExtra<E> = Extra<UseQueryOptions<OutputOf<E>, ApiError, OutputOf<E>, QueryKeyOf<E>>>
type PagesExtra<E> = {
  /** Whether a page will never change again, so that polling skips it. */
  settled?: (page: OutputOf<E>) => boolean
  /** Maximum number of pages that one poll reads again. The others wait for a later poll. Default: all. */
  maxPagesPerPoll?: number
  /** Reduces an answer to what is stored, for a long list that needs little of each item. */
  project?: (page: OutputOf<E>) => OutputOf<E>
  /** Number of pages read together after the first, so that a long list renders less often. Default: one. */
  pagesPerDraw?: number
} & Extra<
  UseInfiniteQueryOptions<
    OutputOf<E>,
    ApiError,
    InfiniteData<OutputOf<E>, string | undefined>,
    PagesKeyOf<E>,
    string | undefined
  >
>

/** Query options of every operation, such as `queries.runs.list.options(input)`. */
export type Queries = {
  [R in keyof Contract]: {
    [N in keyof Contract[R]]: Contract[R][N] extends infer E extends AnyEndpoint ? EndpointQueries<E> : never
  }
}

type EndpointQueries<E extends AnyEndpoint> = {
  options: (input: InputOf<E>, extra?: QueryExtra<E>) => ReturnType<typeof readOptions<E>>
  /** Options for `useInfiniteQuery`, for reads only. A list without a cursor has one page. */
  infinite: (input: InputOf<E>, extra?: PagesExtra<E>) => ReturnType<typeof pagesOptions<E>>
}

/** Returns the query options of every read, created from the contract when a resource is first used. */
export function createQueries(client: Client): Queries {
  const queries = {}
  for (const [resource, endpoints] of Object.entries<Record<string, AnyEndpoint>>(contract)) {
    let made: Record<string, unknown> | undefined
    const make = () =>
      Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, endpointQueries(client, endpoint)]))
    Object.defineProperty(queries, resource, { enumerable: true, get: () => (made ??= make()) })
  }
  return queries as Queries
}

/**
 * Marks the endpoint's resource and everything that it `refreshes` as outdated. What is on screen is read again.
 * `inputs` are those of the requests that were sent.
 */
export function refresh(
  queryClient: QueryClient,
  endpoint: AnyEndpoint,
  { inputs, ...filters }: Pick<QueryFilters, 'predicate'> & { inputs?: readonly object[] } = {},
): void {
  for (const resource of new Set([endpoint.resource, ...(endpoint.refreshes ?? [])]))
    void outdateAfterWrite(queryClient, { ...filters, queryKey: [resource] }, inputs)
}

function endpointQueries<E extends AnyEndpoint>(client: Client, endpoint: E): EndpointQueries<E> {
  return {
    options: (input, extra) => readOptions(client, endpoint, input, extra),
    infinite: (input, extra) => pagesOptions(client, endpoint, input, extra),
  }
}

function readOptions<E extends AnyEndpoint>(client: Client, endpoint: E, input: InputOf<E>, extra?: QueryExtra<E>) {
  requireRead(endpoint)
  const queryKey: QueryKeyOf<E> = [endpoint.resource, endpoint.name, input]
  return queryOptions<OutputOf<E>, ApiError, OutputOf<E>, QueryKeyOf<E>>({
    ...extra,
    queryKey,
    queryFn: context => client.call(endpoint, input, requestOptions(context)),
  })
}

function pagesOptions<E extends AnyEndpoint>(
  client: Client,
  endpoint: E,
  input: InputOf<E>,
  { settled, maxPagesPerPoll = Infinity, project = page => page, pagesPerDraw = 1, ...extra }: PagesExtra<E> = {},
) {
  requireRead(endpoint)
  const queryKey: PagesKeyOf<E> = [endpoint.resource, endpoint.name, input, 'pages']
  return infiniteQueryOptions<
    OutputOf<E>,
    ApiError,
    InfiniteData<OutputOf<E>, string | undefined>,
    PagesKeyOf<E>,
    string | undefined
  >({
    ...extra,
    queryKey,
    queryFn: async context => {
      const { pageParam, signal } = context
      const query = queryAt(context.client, context.queryKey)
      const states = query && statesBeingRead(query, signal)
      const state = client.stateOf(endpoint)
      const known = knownPage(context, { settled, maxPagesPerPoll }, state)
      if (known !== undefined) {
        client.budget.spare('pages')
        return known
      }
      const request = requestOptions(context)
      const reading = beginReading(context)
      const read = async (cursor: string | undefined) => {
        const size = pageSize(client, endpoint, input, context)
        const { value, text } = await client.exchange(
          endpoint,
          withCursor(endpoint, { ...input, ...size }, cursor),
          request,
        )
        if (cursor === undefined) noteFirstPage(query, { page: value, isPlain: size.limit === undefined })
        reading.pages += 1
        reading.text += text.length
        return project(value)
      }
      if (pageParam !== undefined) await yieldToInput()
      const isFull = () => reading.pages >= pagesPerDraw || reading.text >= MOST_TOGETHER
      const page =
        pageParam === undefined ? await read(undefined) : await followed({ endpoint, cursor: pageParam, read, isFull })
      if (state !== undefined) states?.set(pageParam, state)
      return page
    },
    initialPageParam: undefined,
    // A repeated cursor would page forever, so it ends the read.
    getNextPageParam: (page, _pages, _cursor, cursors) => {
      const next = nextCursor(endpoint, page)
      return next === undefined || cursors.includes(next) ? undefined : next
    },
  })
}

/**
 * Page size on a slow connection. A poll can skip pages that no longer change, and skips more of a list with small
 * pages.
 */
const SMALL_PAGE = 25

/** Lists that were started on a slow connection. A list keeps its page size. */
const smallLists = new WeakSet<object>()

function pageSize(client: Client, { cursor }: AnyEndpoint, input: object, context: PagesContext): { limit?: number } {
  const query = queryAt(context.client, context.queryKey)
  if (!query || cursor?.in !== 'query') return {}
  if (query.state.data === undefined && context.pageParam === undefined) {
    if (client.monitor.slowLine() === undefined) smallLists.delete(query)
    else smallLists.add(query)
  }
  const { limit = SMALL_PAGE } = input as { limit?: number }
  return smallLists.has(query) ? { limit: Math.min(limit, SMALL_PAGE) } : {}
}

/** Maximum characters of answers that are merged into one page. */
const MOST_TOGETHER = LIST_BOUNDS.text / 16

/**
 * Reads a page and merges it with the pages after it. A repeated cursor leads back to an earlier page and ends the
 * read.
 */
async function followed<Page>(options: {
  endpoint: AnyEndpoint
  cursor: string
  read: (cursor: string) => Promise<Page>
  isFull: () => boolean
}): Promise<Page> {
  const { endpoint, read, isFull } = options
  let last = await read(options.cursor)
  const pages = [last]
  const seen = new Set([options.cursor])
  for (let cursor = nextCursor(endpoint, last); cursor !== undefined; cursor = nextCursor(endpoint, last)) {
    if (seen.has(cursor)) return joined(pages, { nextCursor: options.cursor })
    if (isFull()) break
    seen.add(cursor)
    await yieldToInput()
    last = await read(cursor)
    pages.push(last)
  }
  return joined(pages, {})
}

/** Merges the items of pages. All other fields are those of the last page. */
function joined<Page>(pages: readonly Page[], changes: { nextCursor?: string }): Page {
  const items = (pages as readonly { items: readonly unknown[] }[]).flatMap(page => page.items)
  return pages.length === 1 && !('nextCursor' in changes) ? pages[0]! : { ...pages.at(-1)!, ...changes, items }
}

/** Refuses a write: as a query, it would be repeated by every poll. */
function requireRead(endpoint: AnyEndpoint): void {
  if (endpoint.risk !== 'read') throw new TypeError(`${endpoint.operation} is no read`)
}

type PagesContext = RequestContext & { pageParam: string | undefined }
type Rounds<Page> = { settled: ((page: Page) => boolean) | undefined; maxPagesPerPoll: number }

/**
 * Returns a page that was already read and that this round of polling need not read again, given the state of the
 * service.
 */
function knownPage<Page>(context: PagesContext, rounds: Rounds<Page>, now: string | undefined): Page | undefined {
  const { client, queryKey, pageParam } = context
  const state = client.getQueryState<InfiniteData<Page, string | undefined>>(queryKey)
  // The pages of an earlier session depend on cursors of that session.
  const known = state?.dataUpdateCount ? state.data : undefined
  const page = known?.pages[known.pageParams.indexOf(pageParam)]
  if (known === undefined || page === undefined) return undefined
  if (rounds.settled?.(page)) return page
  // Outdated data is read completely.
  if (state?.isInvalidated) return undefined
  const query = queryAt(client, queryKey)
  if (query && isUnchanged(query, pageParam, now)) return page
  return roundOf(context, known, rounds).has(pageParam) ? undefined : page
}

/** Cursors that the current poll of a list reads again, starting with the first page. */
const rounds = new WeakMap<object, ReadonlySet<string | undefined>>()

function roundOf<Page>(
  context: PagesContext,
  known: InfiniteData<Page, string | undefined>,
  { settled, maxPagesPerPoll }: Rounds<Page>,
): ReadonlySet<string | undefined> {
  const begun = rounds.get(known)
  if (begun && context.pageParam !== undefined) return begun
  const { pages, pageParams } = known
  const readings = readingsOf(context.client, context.queryKey)
  const round = pagesToRefresh(pageParams, {
    isOpen: cursor => !settled?.(pages[pageParams.indexOf(cursor)]!),
    readAt: cursor => readings?.get(cursor)?.at ?? 0,
    most: maxPagesPerPoll,
  })
  rounds.set(known, round)
  return round
}

/** When a page was last read, as a growing number, and how many answers and characters it needed. */
type Reading = { at: number; pages: number; text: number }

/** The last read of each page of a list, by cursor. The pages themselves are merged with earlier ones. */
const readings = new WeakMap<object, Map<string | undefined, Reading>>()

function readingsOf(client: QueryClient, queryKey: readonly unknown[]): Map<string | undefined, Reading> | undefined {
  const query = queryAt(client, queryKey)
  if (!query) return undefined
  const known = readings.get(query) ?? new Map<string | undefined, Reading>()
  readings.set(query, known)
  return known
}

let lastReading = 0

/** Records that a page is being read. All its requests are counted in the returned object. */
function beginReading({ client, queryKey, pageParam }: PagesContext): Reading {
  const known = readingsOf(client, queryKey)
  const data = client.getQueryData<InfiniteData<unknown, string | undefined>>(queryKey)
  // A list that gets new cursors each time must not keep data of all its earlier pages.
  if (pageParam === undefined)
    for (const cursor of known?.keys() ?? []) if (!data?.pageParams.includes(cursor)) known?.delete(cursor)
  lastReading += 1
  const reading = { at: lastReading, pages: 0, text: 0 }
  known?.set(pageParam, reading)
  return reading
}

/**
 * Returns, for each page of a cached list, the number of the service's pages in it, and of characters in their answers.
 */
export function readPages(
  client: QueryClient,
  queryKey: readonly unknown[],
  pageParams: readonly unknown[],
): { pages: number; text: number }[] {
  const known = readingsOf(client, queryKey)
  return pageParams.map(cursor => known?.get(cursor as string | undefined) ?? { pages: 1, text: 0 })
}

type RequestContext = {
  client: QueryClient
  queryKey: readonly unknown[]
  signal: AbortSignal
  meta: RequestMeta | undefined
  pageParam?: unknown
}

function requestOptions({ client, queryKey, signal, meta, pageParam }: RequestContext) {
  const isFirstLoad = client.getQueryState(queryKey)?.dataUpdateCount === 0
  const leftAt = datedRead(client, queryKey, pageParam !== undefined)
  const { owner, purpose, priority = isFirstLoad ? 'foreground' : 'visible' } = meta ?? {}
  return { signal, leftAt, owner, purpose, priority }
}
