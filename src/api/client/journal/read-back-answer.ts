import type { CallOptions, Client } from '../client.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'
import type { Finding, JournalEntry } from './entry.ts'

/** What reading showed, and the reason in a few words that can follow "because" or a colon. */
export type ReadBackAnswer = {
  finding: Finding
  because: string
  /** What is there that may be of this write, or of somebody else's. */
  seen?: string
  /** Whether it did not happen and cannot any more, so that there is nothing to decide. */
  isOver?: boolean
  /** Whether the service may still act on the request, so that a later look may find more. */
  isEarly?: boolean
}

export type ReadBackContext = {
  client: Client
  endpoint: AnyEndpoint
  entry: JournalEntry
  /** Runs that other writes account for. */
  knownRunIds: ReadonlySet<string>
  /** By this machine's clock, in epoch milliseconds. */
  now: number
  options: CallOptions
}

/** Finds out by reads alone whether a write happened. @throws ApiError when reading fails */
export type ReadBack = (context: ReadBackContext) => Promise<ReadBackAnswer>
