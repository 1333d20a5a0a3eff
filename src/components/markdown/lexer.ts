import type { Token } from 'marked'
import { WORK_LIMITS } from '../../lib/work-limits.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import { arrived } from '../viewer/arrivals.ts'
import type { Definitions } from './pieces.ts'

/** Longest time for one piece, and for all pieces of a document that a reader works on. */
const PIECE_LIMIT_MS = WORK_LIMITS.markdownPiece.most
const DOCUMENT_LIMIT_MS = WORK_LIMITS.markdownDocument.most

/**
 * The blocks of a piece of Markdown; without `tokens` it is shown as it is written, `isPending` only until they are
 * there.
 */
export type Reading = { tokens?: readonly Token[] | undefined; isPending: boolean }

/** Reads a piece of a document into blocks, with the addresses that the whole document defines. */
export type BlockReader = (source: string, definitions: Definitions) => Reading

/**
 * Pieces whose blocks are kept for the next document that has them: one that is drawn again must not be unread for a
 * moment.
 */
const MOST_RECENT = 200
/** Longer pieces are parsed again when needed, so that cached ones take only a few megabytes; in UTF-16 units. */
const LONGEST_RECENT = 20_000
const recent = new Map<string, readonly Token[]>()

/** What a reference looks like: a name in brackets without brackets in it. */
const REFERENCE = /\[([^[\]]{1,200})\]/g

/**
 * Reads pieces of one document apart from the screen's thread. A piece that takes too long is shown as it is written,
 * and so is all that is left of a document whose pieces together do.
 */
export function readerInThread(): BlockReader {
  let left = DOCUMENT_LIMIT_MS
  let before: Promise<void> = Promise.resolve()
  return (source, definitions) => {
    const given = { source, definitions: referredTo(source, definitions) }
    const key = JSON.stringify(given)
    const known = recent.get(key)
    if (known) return { tokens: known, isPending: false }
    if (left <= 0) return { isPending: false }
    const reading: Reading = { isPending: true }
    const read = async (previous: Promise<void>): Promise<void> => {
      await previous
      const limitMs = Math.min(PIECE_LIMIT_MS, left)
      const outcome = limitMs > 0 ? await inThread('markdown', given, limitMs) : undefined
      if (outcome && 'answer' in outcome) reading.tokens = (outcome.answer as Token[] | null) ?? undefined
      if (reading.tokens) keep(key, reading.tokens)
      if (outcome) left -= outcome.tookMs
      reading.isPending = false
      arrived()
    }
    before = read(before)
    return reading
  }
}

function keep(key: string, tokens: readonly Token[]): void {
  if (key.length > LONGEST_RECENT) return
  recent.set(key, tokens)
  if (recent.size > MOST_RECENT) recent.delete(recent.keys().next().value!)
}

function referredTo(source: string, definitions: Definitions): Definitions {
  const named = [...source.matchAll(REFERENCE)].map(([, name = '']) =>
    name.trim().toLowerCase().replaceAll(/\s+/g, ' '),
  )
  return Object.fromEntries(named.flatMap(name => (definitions[name] ? [[name, definitions[name]] as const] : [])))
}
