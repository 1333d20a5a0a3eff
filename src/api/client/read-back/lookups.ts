import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import { toEpochMs } from '../../contract/shapes.ts'
import { isMissing } from '../errors/api-error.ts'
import { serviceOffset } from '../transport/service-time.ts'
import type { Finding, JournalEntry, EntryResult } from '../journal/entry.ts'
import type { CallOptions, Client } from '../client.ts'

/** The result of a check, and the reason in a few words to follow "because" or a colon. */
export type ReadBackAnswer = {
  finding: Finding
  because: string
  /** What exists that may come from this write, or from somebody else's. */
  seen?: string
  /** What the write made, or is likely to have made if that is uncertain. */
  result?: EntryResult
  /** Whether it can no longer happen, or has no lasting effect, so that there is nothing to decide. */
  isOver?: boolean
  /** Like `isOver`, once the service can no longer carry out the request. */
  endsByItself?: boolean
  /** Whether the service may still carry out the request, so that a later check may find more. */
  isEarly?: boolean
}

export type ReadBackContext = {
  client: Client
  endpoint: AnyEndpoint
  entry: JournalEntry
  /** Runs that belong to other writes. */
  knownRunIds: ReadonlySet<string>
  /** Whether another open write may have launched a run of the same project. */
  hasRivals: boolean
  /** This machine's clock, in epoch milliseconds. */
  now: number
  options: CallOptions
}

/**
 * Determines by reads alone whether a write happened.
 * @throws ApiError if reading fails
 */
export type ReadBack = (context: ReadBackContext) => Promise<ReadBackAnswer>

export type Fields = Record<string, unknown>

/** Maximum difference between this machine's and the service's clock, in milliseconds. */
const SKEW_MS = 2 * 60_000
/** How long the service may take to carry out a request that was sent, in milliseconds. */
const SLOWEST_MS = 10 * 60_000

/** Reads the target of a write; undefined if it does not exist. */
export type LookUp = (context: ReadBackContext) => Promise<Fields | undefined>

export function single(read: AnyEndpoint): LookUp {
  return async ({ client, entry, options }) =>
    await unlessMissing(client.call(read, pathInput(read, entry), options) as Promise<Fields>)
}

/** The result of a read; undefined if the thing does not exist. */
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

/** A thing without a creation time counts as created then. */
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

/** The result if no read shows whether the write happened. */
export const UNKNOWN: ReadBackAnswer = { finding: 'cannot-be-known', because: 'no read shows it' }

/**
 * Evidence of a write that somebody else may have made, which is not proof.
 * @param who such as "who launched it"
 */
export function sign(seen: string, who: string): ReadBackAnswer {
  return { finding: 'cannot-be-known', because: `${seen}; the service does not say ${who}`, seen }
}
