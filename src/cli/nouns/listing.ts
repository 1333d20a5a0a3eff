import { onceFor } from '../../lib/once-for.ts'
import * as z from 'zod'
import { ApiError, isMissing } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import { LIST_BOUNDS, type ListBounds } from '../../api/client/pages.ts'
import { capabilitiesOf, refuseClosed } from '../../domain/projects/feature-gate.ts'
import { clean } from '../../tui/theme/text.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { Noun, NounParent, OperationName } from './noun.ts'
import { nounOf } from './nouns.ts'
import type { Item } from './states.ts'

/** Path parameters and query options. */
export type Fields = Readonly<Record<string, unknown>>

export function endpointOf(operation: OperationName): AnyEndpoint {
  const [resource = '', name = ''] = operation.split('.')
  const endpoint = (contract as Record<string, Record<string, AnyEndpoint>>)[resource]?.[name]
  if (!endpoint) throw new Error(`the contract has no operation ${operation}`)
  return endpoint
}

type ListQuery = { filters: readonly string[]; pageSize?: number }

/** The filters of a list, and the maximum page size if the contract states it. */
export const queryOf = onceFor(({ query, cursor }: AnyEndpoint): ListQuery => {
  if (!query) return { filters: [] }
  const { properties = {} } = z.toJSONSchema(query, { unrepresentable: 'any' })
  const { limit } = properties
  const most = typeof limit === 'object' ? limit.maximum : undefined
  // Zod limits every whole number to the largest safe integer, which is not a page size.
  const pageSize = most === Number.MAX_SAFE_INTEGER ? undefined : most
  const paging = ['limit', 'cursor', cursor?.name]
  const filters = Object.keys(properties).filter(name => !paging.includes(name))
  return { filters, ...(pageSize !== undefined && { pageSize }) }
})

/** What to list, and how. */
export type Listing = {
  client: Client
  noun: Noun
  /** Known path parameters, and filters of the list. */
  fields: Fields
  /** Number of items that the caller will take; more may be yielded. */
  limit?: number | undefined
  /** The caller leaves out some items, so the limit does not say how many to read. */
  isFiltered?: boolean | undefined
  /** Reads to the end, however long the list is. */
  all?: boolean | undefined
  /** Called if the service cuts the list off, so that there may be more. */
  onCut?: ((most: number) => void) | undefined
}

/** Yields the items of a noun, page by page within the budget. @throws ApiError, also if its feature is off */
export async function* listItems(listing: Listing): AsyncGenerator<Item, void> {
  const { client, noun, fields, all } = listing
  const { further } = noun
  const ofFurther = further && { client, noun: { ...noun, source: further.source }, fields, all }
  if (ofFurther && further.parent.parameter in fields) return yield* items(ofFurther, further.list, fields)
  const parent = noun.parents?.find(({ optional, parameter }) => optional && !(parameter in fields))
  if (parent) yield* ofAllParents(listing, parent, noun.list)
  else yield* withOlder(listing)
  if (ofFurther) yield* ofAllParents(ofFurther, further.parent, further.list)
}

async function* ofAllParents(
  listing: Listing,
  { of, parameter }: NounParent,
  operation: OperationName,
): AsyncGenerator<Item, void> {
  const noun = nounOf(of ?? '')
  if (!noun) return
  const { projectId } = listing.fields
  const { client, all } = listing
  for await (const { id } of listItems({ client, noun, fields: { projectId }, all }))
    yield* items(listing, operation, { ...listing.fields, [parameter]: id })
}

/**
 * Lists with the older path on a deployment that answers 404 for the newer one (differences, row 1). A 404 after the
 * first item says that the list broke off: the older path would list that item again.
 */
async function* withOlder(listing: Listing): AsyncGenerator<Item, void> {
  const { noun, fields } = listing
  const { older } = noun
  let isBegun = false
  try {
    for await (const item of items(listing, noun.list, fields)) {
      isBegun = true
      yield item
    }
  } catch (error) {
    if (!older || isBegun || !isMissing(error)) throw error
    yield* items(listing, older.list, fields)
  }
}

async function* items(listing: Listing, operation: OperationName, fields: Fields): AsyncGenerator<Item, void> {
  const { client, noun, limit, all, isFiltered, onCut } = listing
  const { source, further } = noun
  const endpoint = endpointOf(operation)
  const most = isFiltered ? undefined : limit
  const bounds = boundsOf(limit, all)
  const parameter = further?.parent.parameter ?? ''
  const parent = parameter in fields ? { [parameter]: fields[parameter] } : {}
  let count = 0
  let last: Item | undefined
  for await (const page of client.pages(endpoint, inputOf(endpoint, fields, most), { bounds })) {
    const { items: found = [] } = page as { items?: Item[] }
    count += found.length
    last = found.at(-1)
    yield* source === undefined ? found : found.map(item => ({ ...parent, ...item, source }))
  }
  if (count === 0 && endpoint.gate) refuseClosed(endpoint, await capabilitiesOf(client, String(fields['projectId'])))
  const { pageSize } = queryOf(endpoint)
  if (endpoint.cursor || pageSize === undefined || count !== pageSize || most === pageSize) return
  if (!(yield* itemsBefore(listing, fields, { before: last?.['id'], pageSize }))) onCut?.(pageSize)
}

/**
 * Yields the items that come before those of a full list, if more are wanted and the service can list them; returns
 * whether it did.
 */
async function* itemsBefore(
  { client, noun: { earlier }, limit = 0, all, isFiltered }: Listing,
  fields: Fields,
  { before, pageSize }: { before: unknown; pageSize: number },
): AsyncGenerator<Item, boolean> {
  const isWanted = all || limit > pageSize || (limit > 0 && isFiltered)
  if (!earlier || !isWanted) return false
  const endpoint = endpointOf(earlier)
  const input: object = { ...inputOf(endpoint, fields, undefined), before }
  try {
    for await (const page of client.pages(endpoint, input, { bounds: boundsOf(limit, all) }))
      yield* (page as { items: Item[] }).items
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'local-only') return false
    throw error
  }
}

const UNBOUNDED: ListBounds = { pages: Infinity, items: Infinity, text: Infinity }

/** Returns the bounds of a list: none if all of it, or more than the default number, is wanted. */
export function boundsOf(limit: number | undefined, all: boolean | undefined): ListBounds {
  return all || (limit ?? 0) > LIST_BOUNDS.items ? UNBOUNDED : LIST_BOUNDS
}

/** Returns the fields that an operation accepts, with the largest useful page size. */
function inputOf(endpoint: AnyEndpoint, fields: Fields, limit: number | undefined): object {
  const { filters, pageSize } = queryOf(endpoint)
  const taken = new Set([...pathParameters(endpoint.path), ...filters])
  const own = Object.fromEntries(Object.entries(fields).filter(([name]) => taken.has(name)))
  const paged = pageSize === undefined ? own : { ...own, limit: Math.min(pageSize, limit ?? pageSize) }
  return endpoint.body ? { ...paged, body: {} } : paged
}

/**
 * Reads a record by its id, else by its name.
 * @throws UsageError if no record or several records have that name
 * @throws ApiError if reading fails
 */
export async function readOne(listing: Listing, wanted: string): Promise<unknown> {
  const { client, noun, fields } = listing
  const { read, older, calledBy } = noun
  const get = async (id: string, { operation, parameter }: NonNullable<Noun['read']>) =>
    await client.call(endpointOf(operation), inputOf(endpointOf(operation), { ...fields, [parameter]: id }, undefined))
  if (read && calledBy === undefined) return await get(wanted, read)
  if (read) {
    try {
      return await get(wanted, read)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  const found = await findOne(listing, wanted)
  if (!read || typeof found['id'] !== 'string') return found
  try {
    return await get(found['id'], read)
  } catch (error) {
    if (!older?.read || !isMissing(error)) throw error
    return await get(found['id'], older.read)
  }
}

/**
 * Returns the record with this id or name, with the fields that only its list has. @throws UsageError as {@link
 * readOne}
 */
export async function readToPrint(listing: Listing, wanted: string): Promise<Item> {
  const record = (await readOne(listing, wanted)) as Item
  const missing = listing.noun.onlyListed?.filter(field => !(field in record)) ?? []
  if (missing.length === 0) return record
  const listed = await findOne(listing, String(record['id']))
  return { ...record, ...Object.fromEntries(Object.entries(listed).filter(([field]) => missing.includes(field))) }
}

/**
 * Returns the item of a list with this id, or the only item with this name.
 * @throws UsageError listing the items
 */
export async function findOne(listing: Listing, wanted: string): Promise<Item> {
  const { one, calledBy } = listing.noun
  const named: Item[] = []
  const names: string[] = []
  for await (const item of listItems(listing)) {
    if (item['id'] === wanted) return item
    const name = calledBy === undefined ? undefined : item[calledBy]
    if (name === wanted) named.push(item)
    if (typeof name === 'string') names.push(clean(name))
  }
  const [only, ...others] = named
  if (only && others.length === 0) return only
  if (only) {
    const ids = named.map(({ id }) => String(id)).join(', ')
    throw new UsageError(`There are ${named.length} called "${clean(wanted)}"; name the ${one} by its id: ${ids}.`)
  }
  const some = names.slice(0, 20)
  const more = names.length > some.length ? ` and ${names.length - some.length} more` : ''
  const known = names.length > 0 ? ` There ${names.length === 1 ? 'is' : 'are'}: ${some.join(', ')}${more}.` : ''
  throw new UsageError(`There is no ${one} "${clean(wanted)}".${didYouMean(wanted, names)}${known}`)
}
