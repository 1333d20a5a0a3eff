import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import type { JournalEntry, PlannedWrite } from '../journal/entry.ts'
import { lookBack, resolveJournal, type Resolution, type ResolveOptions } from './resolve.ts'

/** The open writes of a profile, read back before another one is sent. */
export type EarlierWrites = {
  /** Writes of the same operation and target. They stay open until they are superseded or sent again. */
  same: readonly Resolution[]
  settled: readonly Resolution[]
  open: number
}

/** Fields of a body that name what a write is about, if its path does not. */
const SUBJECTS = ['suiteId', 'suiteName', 'email', 'name', 'title']

/**
 * Reads open writes back before another write is sent. Those of the same target stay open, others are settled if
 * `settleOthers`.
 * @throws if the journal cannot be read
 */
export async function readEarlier(
  options: Omit<ResolveOptions, 'only'>,
  write: PlannedWrite,
  settleOthers: boolean,
): Promise<EarlierWrites> {
  const { journal } = options
  const same: Resolution[] = []
  for (const entry of await journal.unresolved()) {
    const looked = isSameWrite(entry, write) ? await lookBack(options, entry) : undefined
    if (looked) same.push(looked)
  }
  if (!settleOthers) return { same, settled: [], open: 0 }
  // Writes that were already read back wait for a person, and are not read again.
  const isNew = (entry: JournalEntry): boolean => !isSameWrite(entry, write) && entry.readBack === undefined
  const settled = (await resolveJournal({ ...options, only: isNew })).filter(({ isOpen }) => !isOpen)
  const open = (await journal.unresolved()).filter(entry => !isSameWrite(entry, write)).length
  return { same, settled, open }
}

/**
 * Whether an open single write has the same operation and target. Another idempotency key of the caller's is another
 * intent.
 */
export function isSameWrite(entry: JournalEntry, { endpoint, input, idempotencyKey }: PlannedWrite): boolean {
  // A bulk action has a rest to send, which a single write does not replace.
  if (entry.operation !== endpoint.operation || entry.bulk) return false
  if (idempotencyKey !== undefined && entry.idempotencyKey !== idempotencyKey) return false
  return subjectOf(endpoint, entry.input) === subjectOf(endpoint, input)
}

function subjectOf({ path }: AnyEndpoint, input: object): string {
  const fields = input as Record<string, unknown>
  const body = Object(fields['body']) as Record<string, unknown>
  const named = SUBJECTS.find(name => typeof body[name] === 'string')
  return JSON.stringify([...pathParameters(path).map(name => fields[name]), named === undefined ? null : body[named]])
}

/** Whether sending a write now may repeat what an earlier one did. */
export function mayRepeat({ entry, finding }: Resolution, { endpoint, idempotencyKey }: PlannedWrite): boolean {
  if (finding === 'did-not-happen') return false
  if (endpoint.idempotency === 'natural' || endpoint.method !== 'POST') return false
  return entry.idempotencyKey === undefined || entry.idempotencyKey !== idempotencyKey
}

/** Ends earlier writes that another one replaces, with the result of reading them back, even if it is only likely. */
export async function supersede(
  { journal }: Pick<ResolveOptions, 'journal'>,
  earlier: readonly Resolution[],
): Promise<void> {
  for (const { entry, finding, result } of earlier) {
    const claim = await journal.claim(entry)
    const settlement = result && { outcome: 'succeeded' as const, result }
    claim?.conclude(result ? 'happened' : finding === 'unresolved' ? 'cannot-be-known' : finding, settlement)
  }
}
