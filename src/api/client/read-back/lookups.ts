import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import { toEpochMs } from '../../contract/shapes.ts'
import { isMissing } from '../errors/api-error.ts'
import { serviceOffset } from '../transport/service-time.ts'
import type { Finding, JournalEntry, EntryResult } from '../journal/entry.ts'
import type { CallOptions, Client } from '../client.ts'

/** What reading showed, and the reason in a few words that can follow "because" or a colon. */
export type ReadBackAnswer = {
  finding: Finding
  because: string
  /** What is there that may be of this write, or of somebody else's. */
  seen?: string
  /** What it made where it happened, or what it is likely to have made where that cannot be known. */
  result?: EntryResult
  /** Whether it cannot happen any more, or nothing of it lasts, so that there is nothing to decide. */
  isOver?: boolean
  /** The same as soon as the service cannot act on the request any more. */
  endsByItself?: boolean
  /** Whether the service may still act on the request, so that a later look may find more. */
  isEarly?: boolean
}

export type ReadBackContext = {
  client: Client
  endpoint: AnyEndpoint
  entry: JournalEntry
  /** Runs that other writes account for. */
  knownRunIds: ReadonlySet<string>
  /** Whether another open write may have launched a run of the same project. */
  hasRivals: boolean
  /** By this machine's clock, in epoch milliseconds. */
  now: number
  options: CallOptions
}

/** Finds out by reads alone whether a write happened. @throws ApiError when reading fails */
export type ReadBack = (context: ReadBackContext) => Promise<ReadBackAnswer>

export type Fields = Record<string, unknown>

/** How far a time of this machine may be off as the service's, in milliseconds. */
const SKEW_MS = 2 * 60_000
/** How long the service may take to act on a request that has left, in milliseconds. */
const SLOWEST_MS = 10 * 60_000

/** Reads the thing that a write was about; undefined when it is not there. */
export type LookUp = (context: ReadBackContext) => Promise<Fields | undefined>

export function single(read: AnyEndpoint): LookUp {
  return async ({ client, entry, options }) =>
    await unlessMissing(client.call(read, pathInput(read, entry), options) as Promise<Fields>)
}

/** What a read answers; undefined if there is no such thing. */
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
 * When a write can have taken effect, in the service's time; both known clock offsets count. `first` leaves room for
 * clocks of which no answer tells, `earliest` does not.
 */
export function timeOf({ intendedAt, lastSeenAt, serviceOffset: then }: JournalEntry) {
  const now = serviceOffset() ?? 0
  const [least, most] = [Math.min(now, then ?? now), Math.max(now, then ?? now)]
  const earliest = intendedAt + least
  return { first: earliest - SKEW_MS, earliest, last: lastSeenAt + most + SLOWEST_MS }
}

/** A thing that does not state when it was made counts as made then. */
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

/** The answer where no read shows whether the write happened. */
export const UNKNOWN: ReadBackAnswer = { finding: 'cannot-be-known', because: 'no read shows it' }

/**
 * A sign of a write that somebody else may have made as well, which is no proof.
 * @param who such as "who launched it"
 */
export function sign(seen: string, who: string): ReadBackAnswer {
  return { finding: 'cannot-be-known', because: `${seen}; the service does not say ${who}`, seen }
}
