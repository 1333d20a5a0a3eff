import type { Token } from 'marked'
import { WORK_LIMITS } from '../../lib/work-limits.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import { arrived } from '../viewer/arrivals.ts'
import type { Definitions } from './pieces.ts'

/** Maximum time for one piece, and for all pieces of a document by one reader. */
const PIECE_LIMIT_MS = WORK_LIMITS.markdownPiece.most
const DOCUMENT_LIMIT_MS = WORK_LIMITS.markdownDocument.most

/** The blocks of a piece of Markdown. Without `tokens` it is shown as source; `isPending` if the tokens will follow. */
export type Reading = { tokens?: readonly Token[] | undefined; isPending: boolean }

/** Parses a piece of a document into blocks, with the link definitions of the whole document. */
export type BlockReader = (source: string, definitions: Definitions) => Reading

/**
 * Number of pieces whose blocks are kept for the next document that contains them, so that a redrawn document does not
 * show its source for a moment.
 */
const MOST_RECENT = 200
/**
 * Maximum length of a kept piece, in UTF-16 units, so that the cache stays within some megabytes; longer ones are
 * parsed again.
 */
const LONGEST_RECENT = 20_000
const recent = new Map<string, readonly Token[]>()

/** Matches a reference: a name in brackets without brackets in it. */
const REFERENCE = /\[([^[\]]{1,200})\]/g

/**
 * Parses pieces of one document outside the screen's thread. A piece that takes too long is shown as source, and so is
 * the rest of a document whose pieces take too long together.
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
