import { hash } from 'node:crypto'
import type { AnyEndpoint } from '../../contract/endpoint.ts'

/** The answer of one address. */
type Answer = { endpoint: AnyEndpoint; text: string; cursor: string | null | undefined }
/**
 * The last answer of an address. The digest of its text is enough: the texts of fifty projects would take megabytes.
 */
type Last = Omit<Answer, 'text'> & { digest: string; length: number; value: unknown }

/**
 * Maximum number of characters of all kept answers that are not long. The screen Now reads a megabyte of fifty projects
 * in turns: with less room, each answer would displace the one that is needed next.
 */
const MOST_CHARACTERS = 4_000_000
/** Maximum number of characters of long answers, which are kept separately because a list shows little of its pages. */
const MOST_OF_LONG = 1_000_000
/**
 * Length in characters from which an answer is kept only when it arrives for the second time. Most pages of a long list
 * are requested once.
 */
const LONG = 50_000
/** Maximum number of addresses remembered because they returned a long answer once. */
const MOST_ADDRESSES = 500

/**
 * Keeps the last answer of each read. An unchanged answer is the same object, so nothing is parsed or rendered again.
 */
export type LastAnswers = {
  /** Returns the value of the same answer, or the result of `parse` for a new one. */
  valueOf: (url: string, answer: Answer, parse: () => unknown) => unknown
}

/** @param onSame called for each unchanged answer */
export function createLastAnswers(onSame: () => void = () => undefined): LastAnswers {
  const [short, long] = [createShelf(MOST_CHARACTERS), createShelf(MOST_OF_LONG)]
  const askedOnce = new Set<string>()
  /** Whether an address returns a long answer for the first time. */
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

/**
 * Keeps the latest answers by address. Those requested longest ago are removed when the total length exceeds the limit.
 */
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
