import { isPlainText } from './plain-text.ts'

/** What the text packages use of `Intl.Segments`. */
export type Segments = {
  containing(index?: number): { segment: string; index: number; input: string } | undefined
  [Symbol.iterator](): Iterator<{ segment: string; index: number; input: string }>
}

/** What the text packages use of `Intl.Segmenter`. */
export type Segmenter = { segment(text: string): Segments }

let real: Intl.Segmenter | undefined

/**
 * Stands in for `new Intl.Segmenter(undefined, { granularity: 'grapheme' })`. Loading Unicode's rules takes as long
 * as loading a whole package, so that waits for a text in which they matter.
 */
export const lazySegmenter: Segmenter = {
  segment(text) {
    if (isPlainText(text)) return plainSegments(text)
    real ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    return real.segment(text)
  },
}

function plainSegments(text: string): Segments {
  return {
    containing(position = 0) {
      const index = Math.trunc(position) || 0
      return index >= 0 && index < text.length ? { segment: text.charAt(index), index, input: text } : undefined
    },
    *[Symbol.iterator]() {
      for (let index = 0; index < text.length; index += 1) yield { segment: text.charAt(index), index, input: text }
    },
  }
}
