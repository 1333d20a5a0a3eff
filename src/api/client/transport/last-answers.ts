import type { AnyEndpoint } from '../../contract/endpoint.ts'

/** What one address answered last. */
type Last = { endpoint: AnyEndpoint; text: string; cursor: string | null | undefined; value: unknown }

/** Most characters that are kept, all addresses together. */
const MOST_CHARACTERS = 1_000_000
/** A longer answer is kept from the second time on: most pages of a long list are asked for once. */
const LONG = 50_000
/** Most addresses remembered for having given a long answer once. */
const MOST_ADDRESSES = 500

/** The last answer of each read: an unchanged answer is the same object, so nothing is parsed or drawn again. */
export type LastAnswers = {
  /** The value of the same answer, or what `parse` makes of a new one. */
  valueOf: (url: string, answer: Omit<Last, 'value'>, parse: () => unknown) => unknown
}

/** @param onSame called for each answer that is unchanged */
export function createLastAnswers(onSame: () => void = () => undefined): LastAnswers {
  const kept = new Map<string, Last>()
  let characters = 0
  const askedOnce = new Set<string>()
  /** Whether an address gives a long answer for the first time. */
  const isFirstLong = (url: string, text: string): boolean => {
    if (text.length <= LONG || kept.has(url) || askedOnce.delete(url)) return false
    askedOnce.add(url)
    for (const oldest of askedOnce) {
      if (askedOnce.size <= MOST_ADDRESSES) break
      askedOnce.delete(oldest)
    }
    return true
  }
  const forget = (url: string): void => {
    characters -= kept.get(url)?.text.length ?? 0
    kept.delete(url)
  }
  return {
    valueOf(url, answer, parse) {
      const last = kept.get(url)
      const isSame = last?.text === answer.text && last.cursor === answer.cursor && last.endpoint === answer.endpoint
      const value = isSame ? last.value : parse()
      if (isSame) onSame()
      if (isFirstLong(url, answer.text)) return value
      // What was asked for last goes last.
      forget(url)
      if (answer.text.length > MOST_CHARACTERS) return value
      kept.set(url, { ...answer, value })
      characters += answer.text.length
      for (const oldest of kept.keys()) {
        if (characters <= MOST_CHARACTERS) break
        forget(oldest)
      }
      return value
    },
  }
}
