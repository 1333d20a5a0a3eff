import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import { toEpochMs } from '../../contract/shapes.ts'
import { isMissing } from '../errors/api-error.ts'
import { serviceOffset } from '../transport/service-time.ts'
import type { Finding, JournalEntry, EntryResult } from '../journal/entry.ts'
import type { CallOptions, Client } from '../client.ts'

/** The result of reading back, with the reason in a few words that can follow "because" or a colon. */
export type ReadBackAnswer = {
  finding: Finding
  because: string
  /** Something that exists and may come from this write, or from someone else's. */
  seen?: string
  /** The result of the write if it happened, or its probable result if that cannot be known. */
  result?: EntryResult
  /** Whether the write can no longer happen, or has no lasting effect, so that there is nothing to decide. */
  isOver?: boolean
  /** Like `isOver`, but only once the service can no longer act on the request. */
  endsByItself?: boolean
  /** Whether the service may still act on the request, so that reading back later may show more. */
  isEarly?: boolean
}

export type ReadBackContext = {
  client: Client
  endpoint: AnyEndpoint
  entry: JournalEntry
  /** Ids of runs that belong to other writes. */
  knownRunIds: ReadonlySet<string>
  /** Whether another open write may have launched a run of the same project. */
  hasRivals: boolean
  /** Epoch milliseconds by this machine's clock. */
  now: number
  options: CallOptions
}

/** Finds out by reads alone whether a write happened. @throws ApiError if a read fails */
export type ReadBack = (context: ReadBackContext) => Promise<ReadBackAnswer>

export type Fields = Record<string, unknown>

/** Milliseconds by which this machine's time may differ from the service's. */
const SKEW_MS = 2 * 60_000
/** Milliseconds that the service may need to act on a request that was sent. */
const SLOWEST_MS = 10 * 60_000

/** Reads the thing that a write is about; undefined if it does not exist. */
export type LookUp = (context: ReadBackContext) => Promise<Fields | undefined>

export function single(read: AnyEndpoint): LookUp {
  return async ({ client, entry, options }) =>
    await unlessMissing(client.call(read, pathInput(read, entry), options) as Promise<Fields>)
}

/** Returns the answer of a read; undefined if there is no such thing. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (!isMissing(error)) throw error
    return undefined
  }
}

export async function inList(
  list: AnyEndpoint,
  { client, entry, options }: ReadBackContext,
  wanted: (item: Fields) => boolean,
  query: Fields = {},
): Promise<Fields | undefined> {
  for await (const page of client.pages(list, { ...pathInput(list, entry), ...query }, options)) {
    const found = (page as { items?: Fields[] }).items?.find(wanted)
    if (found) return found
  }
  return undefined
}

/**
 * Returns when a write can have been carried out, in the service's time. Both known clock offsets count. `first` allows
 * for clocks whose offset is unknown, `earliest` does not.
 */
export function timeOf({ intendedAt, lastSeenAt, serviceOffset: then }: JournalEntry) {
  const now = serviceOffset() ?? 0
  const [least, most] = [Math.min(now, then ?? now), Math.max(now, then ?? now)]
  const earliest = intendedAt + least
  return { first: earliest - SKEW_MS, earliest, last: lastSeenAt + most + SLOWEST_MS }
}

/**
 * Whether a thing was created when the write can have been carried out. A thing without a time counts as created then.
 */
export function isFromThen({ createdAt }: Fields, entry: JournalEntry): boolean {
  const made = typeof createdAt === 'number' || typeof createdAt === 'string' ? toEpochMs(createdAt) : undefined
  const { first, last } = timeOf(entry)
  return made === undefined || (made >= first && made <= last)
}

export function pathInput(endpoint: AnyEndpoint, { input }: JournalEntry): Record<string, unknown> {
  return Object.fromEntries(pathParameters(endpoint.path).map(name => [name, input[name]]))
}

export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** The answer if no read shows whether the write happened. */
export const UNKNOWN: ReadBackAnswer = { finding: 'cannot-be-known', because: 'no read shows it' }

/**
 * Returns a sign of a write. It is no proof, because someone else may have made the same write.
 * @param who such as "who launched it"
 */
export function sign(seen: string, who: string): ReadBackAnswer {
  return { finding: 'cannot-be-known', because: `${seen}; the service does not say ${who}`, seen }
}
