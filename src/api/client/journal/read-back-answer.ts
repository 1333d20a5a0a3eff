import type { CallOptions, Client } from '../client.ts'
import type { AnyEndpoint } from '../../contract/endpoint.ts'
import type { EntryResult, Finding, JournalEntry } from './entry.ts'

/** What reading showed, and the reason in a few words that can follow "because" or a colon. */
export type ReadBackAnswer = {
  finding: Finding
  because: string
  /** What is there that may be of this write, or of somebody else's. */
  seen?: string
  /** What it made where it happened, or what it is likely to have made where that cannot be known. */
  result?: EntryResult
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
  /** Whether another open write may have launched a run of the same project. */
  hasRivals: boolean
  /** By this machine's clock, in epoch milliseconds. */
  now: number
  options: CallOptions
}

/** Finds out by reads alone whether a write happened. @throws ApiError when reading fails */
export type ReadBack = (context: ReadBackContext) => Promise<ReadBackAnswer>
