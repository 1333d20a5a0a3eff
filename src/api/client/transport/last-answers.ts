import { hash } from 'node:crypto'
import type { AnyEndpoint } from '../../contract/endpoint.ts'

/** The answer of one address. */
type Answer = { endpoint: AnyEndpoint; text: string; cursor: string | null | undefined }
/**
 * The last answer of an address. A digest replaces the text, since the texts of fifty projects would take megabytes.
 */
type Last = Omit<Answer, 'text'> & { digest: string; length: number; value: unknown }

/**
 * Maximum number of characters of the answers that are kept, all addresses together. What Now reads of fifty projects
 * in turns is a megabyte: with less room each answer would push out the one that comes next.
 */
const MOST_CHARACTERS = 4_000_000
/** The same limit for long answers, which are usually stored elsewhere, since a list shows little of its pages. */
const MOST_OF_LONG = 1_000_000
/** A longer answer is stored only from the second time on: most pages of a long list are requested once. */
const LONG = 50_000
/** Maximum number of addresses remembered for one long answer. */
const MOST_ADDRESSES = 500

/** The last answer of each read: an unchanged answer is the same object, so nothing is parsed or rendered again. */
export type LastAnswers = {
  /** The value of an unchanged answer, or the result of `parse` for a new one. */
  valueOf: (url: string, answer: Answer, parse: () => unknown) => unknown
}

/** @param onSame called for each answer that is unchanged */
export function createLastAnswers(onSame: () => void = () => undefined): LastAnswers {
  const [short, long] = [createShelf(MOST_CHARACTERS), createShelf(MOST_OF_LONG)]
  const askedOnce = new Set<string>()
  /** Whether an address gives a long answer for the first time. */
  const isFirstLong = (url: string, { length }: Last): boolean => {
    if (length <= LONG || short.has(url) || long.has(url) || askedOnce.delete(url)) return false
    askedOnce.add(url)
    for (const oldest of askedOnce) {
      if (askedOnce.size <= MOST_ADDRESSES) break
      askedOnce.delete(oldest)
    }
    return true
  }
  return {
    valueOf(url, { text, ...answer }, parse) {
      const known = short.get(url) ?? long.get(url)
      const digest = hash('sha256', text, 'base64')
      const isSame = known?.digest === digest && known.cursor === answer.cursor && known.endpoint === answer.endpoint
      const last = { ...answer, digest, length: text.length, value: isSame ? known.value : parse() }
      if (isSame) onSame()
      if (isFirstLong(url, last)) return last.value
      short.forget(url)
      long.forget(url)
      const shelf = text.length > LONG ? long : short
      shelf.put(url, last)
      return last.value
    },
  }
}

/** The latest answers by address: the least recently used are dropped when all exceed `most` characters. */
function createShelf(most: number) {
  const kept = new Map<string, Last>()
  let characters = 0
  const forget = (url: string): void => {
    characters -= kept.get(url)?.length ?? 0
    kept.delete(url)
  }
  return {
    has: (url: string) => kept.has(url),
    get: (url: string) => kept.get(url),
    forget,
    put(url: string, last: Last) {
      if (last.length > most) return
      kept.set(url, last)
      characters += last.length
      for (const oldest of kept.keys()) {
        if (characters <= most) break
        forget(oldest)
      }
    },
  }
}
