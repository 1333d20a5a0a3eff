import { pathParameters } from '../../contract/endpoint.ts'
import type { JournalEntry } from './entry.ts'
import { choicesOf, endpointOf, type Choice } from './resolve.ts'

/** An open write as it is listed; times are epoch milliseconds, and nothing of its body is in it. */
export type OpenWrite = {
  id: number
  operation: string
  /** Name of what it is about, where reading returned it. */
  target: string | null
  /** Ids on its path, by their names in the contract. */
  place: Readonly<Record<string, string>>
  risk: string | null
  /** Whether the request may have left. */
  sent: boolean
  intendedAt: number
  readBack: { finding: string; because: string; at: number } | null
  /** What can be done about it. */
  choices: readonly Choice[]
}

/** @param now epoch milliseconds */
export function openWriteOf(entry: JournalEntry, now: number): OpenWrite {
  const endpoint = endpointOf(entry)
  const { id, operation, sent, intendedAt, readBack } = entry
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
    readBack: readBack ? { finding: readBack.finding, because: readBack.because, at: readBack.at } : null,
    choices: choicesOf(entry, now),
  }
}

const SAID: Readonly<Record<string, string>> = {
  happened: 'happened',
  'did-not-happen': 'did not happen',
  'cannot-be-known': 'may have happened',
}

/** What is known of an open write, as the end of a sentence. */
export function stateOf({ sent, readBack }: Pick<OpenWrite, 'sent' | 'readBack'>): string {
  if (readBack) return `${SAID[readBack.finding] ?? readBack.finding}: ${readBack.because}`
  return sent ? 'may have happened: its answer was lost' : 'was noted and may not have left'
}

/** Whether a write is about a thing, by an id on its path or in the reference of its body. */
export function isAbout({ input }: JournalEntry, ids: Readonly<Record<string, string>>): boolean {
  const body = Object(input['body']) as Record<string, unknown>
  return Object.entries(ids).every(([name, id]) => input[name] === id || body[name] === id)
}
