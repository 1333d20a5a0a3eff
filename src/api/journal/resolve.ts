import { ApiError } from '../api-error.ts'
import type { Client } from '../client.ts'
import { type Clock, systemClock } from '../clock.ts'
import { allEndpoints } from '../contract/contract.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { describeError } from '../error-text.ts'
import type { Finding, JournalEntry, Settlement } from './entry.ts'
import type { Claim, Intent, Journal } from './journal.ts'
import { type ReadBackAnswer, readBackOf } from './read-back.ts'
import { foundSentence, repeatedSentence, titleOf } from './words.ts'

/** What became of one write of an earlier session. */
export type Resolution = {
  entry: JournalEntry
  /** Undefined when this version does not know the operation. */
  endpoint: AnyEndpoint | undefined
  /** `unresolved` stays in the journal for the next start. */
  finding: Finding | 'unresolved'
  /** For a person. */
  sentence: string
}

export type ResolveOptions = {
  journal: Journal
  /** Of the same profile as the journal. */
  client: Client
  clock?: Clock
  signal?: AbortSignal
}

/**
 * How long a write may be sent again after it was confirmed, in milliseconds. The contract does not say how long
 * a service knows a key, and nobody expects a launch of last week to begin by itself.
 */
const REPEAT_WITHIN_MS = 24 * 60 * 60_000

type Found = { finding: Finding; sentence: string; settlement?: Settlement }
type Work = {
  journal: Journal
  client: Client
  clock: Clock
  signal: AbortSignal | undefined
  entry: JournalEntry
  endpoint: AnyEndpoint
  claim: Claim
  title: string
}

/**
 * Finds out what became of the writes that an earlier process left open or in doubt: by sending them again where
 * a repeat is recognised by its key or harmless, by reading back otherwise. Safe in several processes at once;
 * each entry is told by one of them.
 * @throws when the journal itself cannot be read
 */
export async function resolveJournal(options: ResolveOptions): Promise<Resolution[]> {
  const { journal, client, clock = systemClock, signal } = options
  const resolutions: Resolution[] = []
  for (const entry of await journal.unresolved()) {
    if (signal?.aborted) break
    const title = titleOf(entry, clock.now())
    const endpoint = endpointOf(entry)
    if (!endpoint) {
      const sentence = `${title} is unresolved: this mcpdeck does not know the operation.`
      resolutions.push({ entry, endpoint, finding: 'unresolved', sentence })
      continue
    }
    const claim = await journal.claim(entry)
    if (!claim) continue
    const resolution = await resolveClaimed({ journal, client, clock, signal, entry, endpoint, claim, title })
    if (resolution) resolutions.push(resolution)
  }
  return resolutions
}

/** What a read-only session says about open writes, which it leaves as they are. */
export async function listUnresolved(journal: Journal, clock: Clock = systemClock): Promise<Resolution[]> {
  return (await journal.unresolved()).map(entry => ({
    entry,
    endpoint: endpointOf(entry),
    finding: 'unresolved',
    sentence: `${titleOf(entry, clock.now())} is unresolved; a start without read-only settles it.`,
  }))
}

function endpointOf({ operation }: JournalEntry): AnyEndpoint | undefined {
  return allEndpoints().find(endpoint => endpoint.operation === operation)
}

async function resolveClaimed(work: Work): Promise<Resolution | undefined> {
  const { entry, endpoint, claim, title } = work
  try {
    const { finding, sentence, settlement } = await find(work)
    return claim.conclude(finding, settlement) ? { entry, endpoint, finding, sentence } : undefined
  } catch (error) {
    claim.release()
    const sentence = `${title} is unresolved: ${describeError(error).title}; the next start looks again.`
    return { entry, endpoint, finding: 'unresolved', sentence }
  }
}

/** @throws ApiError when the service cannot be asked now */
async function find(work: Work): Promise<Found> {
  const { entry, endpoint } = work
  const way = await wayToRepeat(work)
  if (way === 'key') return await repeat(work)
  const readBack = readBackOf(endpoint)
  if (way === 'nature') {
    const answer = readBack && (await look(work, readBack))
    return answer?.finding === 'happened' ? answer : await repeat(work)
  }
  if (!entry.sent) return found(work, { finding: 'did-not-happen', because: 'it never left this machine' })
  if (readBack) return await look(work, readBack)
  return found(work, { finding: 'cannot-be-known', because: 'the contract shows no trace of it' })
}

/**
 * What makes a repeat safe, if anything does. A write that the person has since made again, or whose subject
 * has been changed since, is never repeated: that would do twice, or undo, what came later.
 */
async function wayToRepeat({ journal, clock, entry, endpoint }: Work): Promise<'key' | 'nature' | undefined> {
  if (!entry.complete || clock.now() - entry.intendedAt > REPEAT_WITHIN_MS) return undefined
  const later = await journal.later(entry)
  if (endpoint.idempotency === 'header' && entry.idempotencyKey !== undefined)
    return later.same ? undefined : 'key'
  // Opening or deleting anew could undo what somebody else has closed or made in between.
  const isGrave = endpoint.risk === 'expose' || endpoint.risk === 'delete'
  return endpoint.idempotency === 'natural' && !isGrave && !later.place ? 'nature' : undefined
}

async function look(work: Work, readBack: NonNullable<ReturnType<typeof readBackOf>>): Promise<Found> {
  const { client, endpoint, entry, journal, signal } = work
  const knownRunIds = await journal.knownRunIds()
  const options = { priority: 'background', signal } as const
  return found(work, await readBack({ client, endpoint, entry, knownRunIds, options }))
}

function found({ title }: Work, { finding, because }: ReadBackAnswer): Found {
  return { finding, sentence: foundSentence(title, finding, because) }
}

/** Sends the same input with the same key under the same entry. */
async function repeat({ client, endpoint, entry, claim, title, signal }: Work): Promise<Found> {
  let settlement: Settlement | undefined
  const intent: Intent = { sent: claim.sent, settle: end => (settlement = end) }
  const { idempotencyKey } = entry
  try {
    await client.call(endpoint, entry.input, { idempotencyKey, intent, signal, priority: 'background' })
  } catch (error) {
    if (!isFinal(error) || settlement?.outcome !== 'refused') throw error
    const because = `the service refuses it (${settlement.code})`
    return {
      finding: 'did-not-happen',
      sentence: foundSentence(title, 'did-not-happen', because),
      settlement,
    }
  }
  const result = settlement?.outcome === 'succeeded' ? settlement.result : {}
  return {
    finding: 'happened',
    sentence: repeatedSentence(title, result, entry.sent),
    ...(settlement && { settlement }),
  }
}

/** Whether the service has judged the write itself; a refused key or a limit says nothing about it. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.kind !== 'http' || error.retryable) return false
  return error.status !== 401 && error.status !== 403
}
