import { ApiError, isLineFault, isMissing } from '../errors/api-error.ts'
import type { Client, CallOptions } from '../client.ts'
import { type Clock, wallClock } from '../../../lib/clock.ts'
import { allEndpoints } from '../../contract/contract.ts'
import { newIdempotencyKey, type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import { describeError } from '../errors/error-text.ts'
import { brokeOff } from '../journal/bulk.ts'
import type { Bulk, EntryResult, Finding, JournalEntry, Settlement } from '../journal/entry.ts'
import type { Claim, Intent, Journal } from '../journal/journal.ts'
import { type ReadBackAnswer, UNKNOWN } from './lookups.ts'
import { readBackOf, UNSHOWN } from './read-back.ts'
import { foundSentence, repeatedSentence, titleOf } from '../journal/labels.ts'

/** The outcome of one write of an earlier session. */
export type Resolution = {
  entry: JournalEntry
  /** Undefined if this version does not know the operation. */
  endpoint: AnyEndpoint | undefined
  /** `unresolved` if nothing could be read back now. */
  finding: Finding | 'unresolved'
  /** Whether the write stays in the list of writes with an unknown outcome. */
  isOpen: boolean
  /** Whether reading back later may show more. */
  isEarly?: boolean | undefined
  sentence: string
  /** The known effect of the write if it happened, or its probable result if that cannot be known. */
  result?: EntryResult
  /** The service's answer, if the write was sent just now. */
  answer?: { value: unknown; text: string }
}

export type ResolveOptions = {
  journal: Journal
  /** Client of the same profile as the journal. */
  client: Client
  clock?: Clock
  signal?: AbortSignal
  /** Selects the open writes to check. Default: all. */
  only?: (entry: JournalEntry) => boolean
}

/**
 * Milliseconds after its confirmation in which a write may be sent again. The contract says nothing about the age of
 * keys.
 */
export const REPEAT_WITHIN_MS = 24 * 60 * 60_000

type Found = ReadBackAnswer & {
  sentence: string
  settlement?: Settlement
  isOpen?: boolean
  answer?: { value: unknown; text: string }
}
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
 * Finds out the outcome of open writes of earlier processes. Plain records are sent again if a repeat is safe. All
 * other writes are only read back. They wait for a person if their outcome stays unknown, or if they did not happen and
 * would spend, expose, end, delete or act elsewhere. It is safe to run in several processes at once.
 * @throws if the journal cannot be read
 */
export async function resolveJournal(options: ResolveOptions): Promise<Resolution[]> {
  const { journal, client, clock = wallClock, signal, only = () => true } = options
  const resolutions: Resolution[] = []
  for (const entry of (await journal.unresolved()).filter(only)) {
    if (signal?.aborted) break
    const title = titleOf(entry, clock.now())
    const endpoint = endpointOf(entry)
    if (!endpoint) {
      const sentence = `${title} is unresolved: this mcpdeck does not know the operation.`
      resolutions.push({ entry, endpoint, finding: 'unresolved', isOpen: true, sentence })
      continue
    }
    const claim = await journal.claim(entry)
    if (!claim) continue
    const resolution = await resolveClaimed({ journal, client, clock, signal, entry, endpoint, claim, title })
    if (resolution) resolutions.push(resolution)
  }
  return resolutions
}

/** Returns what a read-only session reports about open writes, which it does not change. */
export async function listUnresolved(journal: Journal, clock: Clock = wallClock): Promise<Resolution[]> {
  return (await journal.unresolved()).map(entry => ({
    entry,
    endpoint: endpointOf(entry),
    finding: 'unresolved',
    isOpen: true,
    sentence: `${titleOf(entry, clock.now())} is unresolved; a start without read-only settles it.`,
  }))
}

/** Returns the operation of an entry; undefined if this version does not know it. */
export function endpointOf({ operation }: Pick<JournalEntry, 'operation'>): AnyEndpoint | undefined {
  return allEndpoints().find(endpoint => endpoint.operation === operation)
}

async function resolveClaimed(work: Work): Promise<Resolution | undefined> {
  const { entry, endpoint, claim, clock } = work
  let { title } = work
  if (entry.bulk) {
    claim.release({ finding: 'did-not-happen', because: brokeOff(entry.bulk), at: clock.now() })
    const sentence = `${title} ${brokeOff(entry.bulk)}.`
    return { entry, endpoint, finding: 'did-not-happen', isOpen: true, sentence }
  }
  try {
    const target = (await nameOfTarget(work)) ?? entry.readBack?.target
    title = titleOf(entry, clock.now(), target)
    const { finding, because, isEarly, sentence, settlement, isOpen = false } = await find({ ...work, title })
    if (isOpen) {
      claim.release({ finding, because, at: clock.now(), isEarly, target })
      return { entry, endpoint, finding, isOpen, isEarly, sentence }
    }
    const isOurs = claim.conclude(finding, settlement)
    return isOurs ? { entry, endpoint, finding, isOpen, sentence } : undefined
  } catch (error) {
    claim.release()
    return unresolved(work, title, error)
  }
}

/** Reads one open write back and leaves it open. Nothing is sent. @returns undefined for an unknown operation */
export async function lookBack(
  { journal, client, clock = wallClock, signal }: Omit<ResolveOptions, 'only'>,
  entry: JournalEntry,
): Promise<Resolution | undefined> {
  const endpoint = endpointOf(entry)
  if (!endpoint) return undefined
  let title = titleOf(entry, clock.now())
  const claim = await journal.claim(entry)
  if (!claim)
    return {
      entry: { ...entry, isClaimed: true },
      endpoint,
      finding: 'unresolved',
      isOpen: true,
      sentence: busy(title).sentence,
    }
  const work: Work = { journal, client, clock, signal, entry, endpoint, claim, title }
  try {
    const target = (await nameOfTarget(work)) ?? entry.readBack?.target
    title = titleOf(entry, clock.now(), target)
    const { finding, because, isEarly, sentence, result } = found({ ...work, title }, await look(work))
    const readBack = { finding, because, at: clock.now(), isEarly, target }
    claim.release(readBack)
    return { entry: { ...entry, readBack }, endpoint, finding, isOpen: true, sentence, ...(result && { result }) }
  } catch (error) {
    claim.release()
    return unresolved(work, title, error)
  }
}

function unresolved({ entry, endpoint }: Work, title: string, error: unknown): Resolution {
  const sentence = `${title} is unresolved: ${describeError(error).title}; the next start checks again.`
  return { entry, endpoint, finding: 'unresolved', isOpen: true, sentence }
}

/** Reads the thing that the write is about, to get its name. @throws ApiError if nothing can be read now */
async function nameOfTarget({ client, entry, endpoint, signal }: Work): Promise<string | undefined> {
  try {
    return await targetName(client, endpoint, entry, { signal })
  } catch (error) {
    if (isLineFault(error)) throw error
    return undefined
  }
}

/** @throws ApiError if the service cannot be asked now */
async function find(work: Work): Promise<Found> {
  const later = await work.journal.later(work.entry)
  const way = wayToRepeat(work, later)
  if (way === 'key') return await repeat(work)
  if (way === 'nature') {
    const answer = await look(work)
    return answer.finding === 'happened' ? found(work, answer) : await repeat(work)
  }
  const answer = await look(work)
  return { ...found(work, answer), isOpen: !later.same && waits(work.endpoint, answer) }
}

/** Whether a person has to decide about a write that was read back. */
function waits({ risk }: AnyEndpoint, { finding, isOver = false }: ReadBackAnswer): boolean {
  if (finding === 'happened' || isOver) return false
  return finding === 'cannot-be-known' || risk !== 'write'
}

/**
 * Returns why a write can safely be repeated without a person. Never repeated are writes that spend, expose, end,
 * delete or act elsewhere, that are old or incomplete, that were made again, or whose subject has changed since.
 */
function wayToRepeat(
  { clock, entry, endpoint }: Work,
  later: { same: boolean; place: boolean },
): 'key' | 'nature' | undefined {
  if (endpoint.risk !== 'write' || endpoint.leavesNothing !== undefined || !entry.complete) return undefined
  if (clock.now() - entry.intendedAt > REPEAT_WITHIN_MS) return undefined
  if (endpoint.idempotency === 'header' && entry.idempotencyKey !== undefined) return later.same ? undefined : 'key'
  return endpoint.idempotency === 'natural' && !later.place ? 'nature' : undefined
}

/** @throws ApiError if the service cannot be asked now */
async function look({ client, clock, endpoint, entry, journal, signal }: Work): Promise<ReadBackAnswer> {
  const readBack = readBackOf(endpoint)
  const because = 'it never left this machine'
  const { leavesNothing } = endpoint
  if (!readBack || leavesNothing !== undefined) {
    const isOver = leavesNothing !== undefined
    if (!entry.sent) return { finding: 'did-not-happen', because, isOver }
    return { ...UNKNOWN, because: leavesNothing ?? UNSHOWN[endpoint.operation] ?? UNKNOWN.because, isOver }
  }
  const knownRunIds = await journal.knownRunIds()
  const options = { signal }
  const hasRivals = (await journal.unresolved()).some(other => other.id !== entry.id && mayLaunch(other, entry))
  const context = { client, endpoint, entry, knownRunIds, hasRivals, now: clock.now(), options }
  const answer = await readBack(context).catch(whereGone)
  if (entry.sent) return answer
  // The request was never sent, so if its effect exists, someone else caused it.
  const isDone = answer.finding === 'happened' && !canBeTwice(endpoint)
  const seen = answer.finding === 'happened' ? answer.because : answer.seen
  return {
    finding: isDone ? 'happened' : 'did-not-happen',
    because: seen === undefined ? because : `${because}, and meanwhile ${seen}`,
    isOver: answer.isOver ?? false,
  }
}

/**
 * Whether an open write may have launched a run of the same project. Any write that spends may, such as a group of
 * runs.
 */
function mayLaunch(other: JournalEntry, { input }: JournalEntry): boolean {
  const { risk = 'spend' } = endpointOf(other) ?? {}
  return risk === 'spend' && other.input['projectId'] === input['projectId']
}

/** Returns the answer for a thing that is gone. Thrown as an error, it would stop this at every start. */
function whereGone(error: unknown): ReadBackAnswer {
  if (!isMissing(error)) throw error
  return { finding: 'cannot-be-known', because: 'what it is about is gone' }
}

/** Whether a second execution creates a second thing, as a launch does. */
function canBeTwice({ method, risk }: AnyEndpoint): boolean {
  return method === 'POST' && (risk === 'spend' || risk === 'write')
}

function found({ title }: Work, answer: ReadBackAnswer): Found {
  const { finding, because, result } = answer
  const settlement: Settlement | undefined =
    finding === 'happened' && result ? { outcome: 'succeeded', result } : undefined
  return { ...answer, ...(settlement && { settlement }), sentence: foundSentence(title, finding, because) }
}

/** Sends the same input again with the same key and the same entry. */
async function repeat(work: Work): Promise<Found> {
  const { client, endpoint, entry, claim, title, signal } = work
  let settlement: Settlement | undefined
  let answer: Found['answer']
  const intent: Intent = { sent: claim.sent, settle: end => (settlement = end) }
  const { idempotencyKey } = entry
  try {
    answer = await client.exchange(endpoint, entry.input, { idempotencyKey, intent, signal })
  } catch (error) {
    if (!isFinal(error) || settlement?.outcome !== 'refused') throw error
    const refuses = `the service refuses it (${settlement.code})`
    if (!entry.sent) return { ...found(work, { finding: 'did-not-happen', because: refuses }), settlement }
    // A refusal of the repeat says nothing about the first request.
    const { finding, because, isOver } = await look(work)
    const answer = { finding, because: `${refuses} when it is repeated, and ${because}`, ...(isOver && { isOver }) }
    return { ...found(work, answer), isOpen: waits(endpoint, answer) }
  }
  const result = settlement?.outcome === 'succeeded' ? settlement.result : {}
  return {
    finding: 'happened',
    because: 'the service confirms it',
    sentence: repeatedSentence(title, result, entry.sent),
    answer,
    ...(settlement && { settlement }),
  }
}

function resultIn(settlement: Settlement | undefined): EntryResult | undefined {
  return settlement?.outcome === 'succeeded' ? settlement.result : undefined
}

/** The result of a person's decision about one open write. */
export type Decision = Resolution | { finding: 'busy'; isOpen: true; sentence: string }

/**
 * Sends an open write again with its key, unless it has happened. Of a bulk action it sends what was never sent.
 * @throws ApiError if the service cannot tell
 */
export async function sendAgain(options: Omit<ResolveOptions, 'only'>, entry: JournalEntry): Promise<Decision> {
  const { journal, client, clock = wallClock, signal } = options
  const title = titleOf(entry, clock.now())
  const endpoint = endpointOf(entry)
  const claim = endpoint && (await journal.claim(entry))
  if (!claim) return busy(title)
  const work: Work = { journal, client, clock, signal, entry, endpoint, claim, title }
  try {
    if (entry.bulk) {
      // Some of its writes may have been sent since it was listed.
      const bulk = (await journal.unresolved()).find(({ id }) => id === entry.id)?.bulk
      return bulk ? await sendRest(work, bulk) : busy(title)
    }
    const looked = await look(work)
    const { finding, sentence, settlement, answer } =
      looked.finding === 'happened' ? found(work, looked) : await repeat(work)
    claim.conclude(finding, settlement)
    const result = resultIn(settlement)
    return { entry, endpoint, finding, isOpen: false, sentence, ...(result && { result }), ...(answer && { answer }) }
  } catch (error) {
    claim.release()
    throw error
  }
}

/**
 * Sends the writes of a bulk action that were never sent, one after the other. Each is a separate write with its own
 * record.
 */
async function sendRest(work: Work, { rest }: Bulk): Promise<Decision> {
  const { client, claim, entry, endpoint, signal, title } = work
  let [sent, meanwhile, refused] = [0, 0, 0]
  for (const write of rest) {
    const of = endpointOf(write)
    if (!of) throw new TypeError(`${write.operation} is unknown`)
    const looked = await look({ ...work, endpoint: of, entry: { ...entry, ...write, sent: false } })
    if (looked.finding === 'happened' || looked.isOver) {
      meanwhile += 1
      continue
    }
    // A process that takes over sends what has no record yet.
    if (!claim.renew()) return busy(title)
    const idempotencyKey = write.idempotencyKey ?? (of.idempotency === 'header' ? newIdempotencyKey() : undefined)
    try {
      await client.exchange(of, write.input, { idempotencyKey, signal })
      sent += 1
    } catch (error) {
      if (!isFinal(error)) throw error
      refused += 1
    }
  }
  const finding = refused > 0 ? 'did-not-happen' : 'happened'
  claim.conclude(finding)
  const counts = [
    `${sent} sent now`,
    meanwhile > 0 && `${meanwhile} over meanwhile`,
    refused > 0 && `${refused} refused`,
  ]
  return { entry, endpoint, finding, isOpen: false, sentence: `${title}: ${counts.filter(Boolean).join(', ')}.` }
}

/** Ends an open write as it is, without sending anything. */
export async function dismiss(
  { journal, clock = wallClock }: Pick<ResolveOptions, 'journal' | 'clock'>,
  entry: JournalEntry,
): Promise<Decision> {
  const title = titleOf(entry, clock.now())
  const claim = await journal.claim(entry)
  if (!claim) return busy(title)
  const finding = entry.readBack?.finding ?? 'cannot-be-known'
  claim.conclude(finding)
  const sentence = `${title} is dismissed; nothing was sent.`
  return { entry, endpoint: endpointOf(entry), finding, isOpen: false, sentence }
}

function busy(title: string): Decision {
  const sentence = `${title} was settled by another mcpdeck, or is being settled now.`
  return { finding: 'busy', isOpen: true, sentence }
}

/** Whether the service has decided about the write itself. A refused key or a limit says nothing about it. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.kind !== 'http' || error.retryable || error.leavesDoubt) return false
  return error.status !== 401 && error.status !== 403
}

type Fields = Record<string, unknown>

/**
 * Returns the name of what a write is about: a suite, the nearest readable part of its path, a tool with its server, or
 * the name in its own body.
 * @throws ApiError if a read fails
 */
async function targetName(
  client: Client,
  endpoint: AnyEndpoint,
  { input }: JournalEntry,
  options: CallOptions,
): Promise<string | undefined> {
  const body = (input['body'] ?? {}) as Fields
  const projectId = text(input['projectId'])
  const suiteId = text(body['suiteId'])
  if (projectId !== undefined && suiteId !== undefined)
    return nameIn(await client.suites.get({ projectId, suiteId }, options))
  const own = text(body['name']) ?? text(body['title'])
  const read = readAbove(endpoint)
  if (!read) return own
  const place = Object.fromEntries(pathParameters(read.path).map(name => [name, input[name]]))
  const name = nameIn(await client.call(read, place, options)) ?? own
  const toolName = text(body['toolName'])
  return toolName === undefined || name === undefined ? (toolName ?? name) : `${toolName} of ${name}`
}

/** Returns the read operation of the longest part of a path that names one thing. */
function readAbove({ path }: AnyEndpoint): AnyEndpoint | undefined {
  const reads = allEndpoints().filter(({ method }) => method === 'GET')
  for (let part = path; part.includes('{'); part = part.slice(0, part.lastIndexOf('/'))) {
    // Operations that only a local workspace offers concern things that are read at their usual paths.
    const paths = [part, part.replace(/^\/local(?=\/)/, '')]
    const read = part.endsWith('}') && reads.find(other => paths.includes(other.path))
    if (read) return read
  }
  return undefined
}

function nameIn(value: unknown): string | undefined {
  const { name, title, runNumber } = (value ?? {}) as Fields
  if (typeof runNumber === 'number') return `run #${runNumber}`
  return text(name) ?? text(title)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
