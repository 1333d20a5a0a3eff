import { pathParameters } from '../../contract/endpoint.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { brokeOff } from '../journal/bulk.ts'
import { titleOf } from '../journal/labels.ts'
import { endpointOf, REPEAT_WITHIN_MS } from './resolve.ts'

/** A person's choice about an open write. */
export type Choice = 'send' | 'dismiss'

/**
 * Returns what a person can do about an open write. It can be sent again if it was read back, its input is complete and
 * a repeat is safe.
 * @param now epoch milliseconds
 */
export function choicesOf(entry: JournalEntry, now: number): Choice[] {
  if (entry.isClaimed) return []
  const endpoint = endpointOf(entry)
  if (!endpoint || !entry.complete || !entry.readBack) return ['dismiss']
  if (entry.bulk) return now - entry.intendedAt <= REPEAT_WITHIN_MS ? ['send', 'dismiss'] : ['dismiss']
  const isRecognised =
    endpoint.idempotency === 'natural' ||
    // A thing can be deleted only once.
    endpoint.method === 'DELETE' ||
    (endpoint.idempotency === 'header' &&
      entry.idempotencyKey !== undefined &&
      now - entry.intendedAt <= REPEAT_WITHIN_MS)
  return entry.readBack.finding === 'did-not-happen' || isRecognised ? ['send', 'dismiss'] : ['dismiss']
}

/** An open write as it is listed. Times are epoch milliseconds. It contains nothing of the body. */
export type OpenWrite = {
  id: number
  operation: string
  /** Name of the thing that the write is about, if reading returned it. */
  target: string | null
  /** Ids in its path, by their names in the contract. */
  place: Readonly<Record<string, string>>
  risk: string | null
  /** Whether the request may have been sent. */
  sent: boolean
  intendedAt: number
  readBack: { finding: string; because: string; at: number } | null
  /** Whether a process is reading it back now. Nothing else can be done about it meanwhile. */
  beingReadBack: boolean
  /** Progress of a bulk action; null for a single write. */
  bulk: { of: number; done: number; refused: number; inDoubt: number; unsent: number } | null
  choices: readonly Choice[]
}

/** @param now epoch milliseconds */
export function openWriteOf(entry: JournalEntry, now: number): OpenWrite {
  const endpoint = endpointOf(entry)
  const { id, operation, sent, intendedAt, readBack, bulk } = entry
  const place = Object.fromEntries(
    pathParameters(endpoint?.path ?? '').flatMap(name => {
      const value = entry.input[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  return {
    id,
    operation,
    target: readBack?.target ?? null,
    place,
    risk: endpoint?.risk ?? null,
    sent,
    intendedAt,
    beingReadBack: entry.isClaimed,
    readBack: readBack ? { finding: readBack.finding, because: readBack.because, at: readBack.at } : null,
    bulk: bulk
      ? { of: bulk.of, done: bulk.done, refused: bulk.refused, inDoubt: bulk.inDoubt, unsent: bulk.rest.length }
      : null,
    choices: choicesOf(entry, now),
  }
}

const SAID: Readonly<Record<string, string>> = {
  happened: 'happened',
  'did-not-happen': 'did not happen',
  'cannot-be-known': 'may have happened',
}

/** Returns what is known of an open write, as the end of a sentence. */
export function stateOf(entry: Pick<JournalEntry, 'sent' | 'isClaimed' | 'readBack' | 'bulk'>): string {
  const { sent, isClaimed, readBack, bulk } = entry
  if (isClaimed) return 'is being read back'
  if (bulk) return brokeOff(bulk)
  if (readBack) return `${SAID[readBack.finding] ?? readBack.finding}: ${readBack.because}`
  return sent ? 'may have happened: no answer to it is known' : 'was noted and may not have left'
}

/**
 * Returns an open write with what is known of it, as one sentence without its full stop. @param now epoch milliseconds
 */
export function openWriteSentence(entry: JournalEntry, now: number): string {
  return `${titleOf(entry, now)} ${stateOf(entry)}`
}

/** Whether a write is about a thing: each of these ids is in its path or directly in its body. */
export function isAbout({ input }: JournalEntry, ids: Readonly<Record<string, string>>): boolean {
  const body = Object(input['body']) as Record<string, unknown>
  return Object.entries(ids).every(([name, id]) => input[name] === id || body[name] === id)
}
