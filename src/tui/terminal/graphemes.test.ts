import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { eachGrapheme } from './graphemes.ts'

const parts = [
  ['a', 'Z', ' ', '~', 'é', '│', '▌', '…', '語', '한'],
  ['✓', '✗', '⚠', '☀', '❤', '✔', '➜', '◽'],
  ['\u0301', '\u200d', '\ufe0f', '\ufe0e', '\u20e3', '\u{1f3fd}', '👩', '🏳', '🇩', 'ก', 'ำ'],
].flat()

function placed(text: string): [string, number][] {
  const graphemes: [string, number][] = []
  eachGrapheme(text, (grapheme, width) => graphemes.push([grapheme, width]))
  return graphemes
}

test('any text is split into graphemes as Unicode defines, with or without the fast path', () => {
  const segmenter = new Intl.Segmenter()
  let seed = 7
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let round = 0; round < 1000; round += 1) {
    const text = Array.from({ length: next(9) }, () => parts[next(parts.length)]).join('')
    const expected = [...segmenter.segment(text)]
      .map(({ segment }): [string, number] => [segment, stringWidth(segment)])
      .filter(([, width]) => width > 0)
    expect(placed(text)).toEqual(expected)
  }
})
