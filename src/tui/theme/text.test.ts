import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clean, fit, truncate, widthOf, wrap } from './text.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    '\u001b[2J',
    '\u001b]52;c;AAAA\u0007',
    '\u202eevil',
    '日本語テキスト',
    '👩‍👩‍👧 family',
    'e\u0301',
    '\u009b31m',
    '\ud800',
  ),
)

describe('text from outside', () => {
  test('has visible control sequences after cleaning', () => {
    expect(clean('a\u001b[31mred')).toBe('a␛[31mred')
    expect(clean('line\nbreak')).toBe('line␊break')
    expect(clean('\u202eevil')).toBe('<202E>evil')
  })

  test('contains nothing that a terminal acts on after cleaning', () => {
    fc.assert(
      fc.property(hostile, text => {
        expect(clean(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })

  test('is fitted to exactly the width', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.integer({ min: 0, max: 40 }),
        fc.constantFrom('left' as const, 'right' as const),
        (text, width, align) => {
          expect(widthOf(fit(clean(text), width, align))).toBe(width)
        },
      ),
    )
  })

  test('is truncated to at most the width, and keeps what fits', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, width) => {
        const cleaned = clean(text)
        const cut = truncate(cleaned, width)
        expect(widthOf(cut)).toBeLessThanOrEqual(width)
        if (widthOf(cleaned) <= width) expect(cut).toBe(cleaned)
      }),
    )
  })

  /** Generates texts longer than the part that is measured first, with characters that end after it. */
  const long = fc
    .array(fc.oneof(hostile, fc.constantFrom('\u0301'.repeat(600), 'x'.repeat(999), '👩‍👩‍👧'.repeat(130), '🇩🇪', ' ')))
    .map(parts => clean(parts.join('')))

  test('is truncated without measuring all of a long text', () => {
    fc.assert(
      fc.property(long, fc.integer({ min: 1, max: 1500 }), (text, width) => {
        let used = 0
        let end = 0
        for (const { segment, index } of new Intl.Segmenter().segment(text)) {
          used += widthOf(segment)
          if (used < width) end = index + segment.length
        }
        expect(truncate(text, width)).toBe(used > width ? `${text.slice(0, end)}…` : text)
      }),
    )
  })

  test('wrapped into a limited number of lines, has the same lines as without the limit', () => {
    fc.assert(
      fc.property(long, fc.integer({ min: 2, max: 30 }), fc.integer({ min: 1, max: 9 }), (text, width, most) => {
        expect(wrap(text, width, { most })).toEqual(wrap(text, width).slice(0, most))
      }),
    )
  })

  test('starts each wrapped line with a word, however many spaces are before it', () => {
    expect(wrap('one two   three', 7)).toEqual(['one two', 'three'])
    expect(wrap('onetwothree    four', 7)).toEqual(['onetwot', 'hree', 'four'])
  })

  test('is not wrapped at non-breaking spaces', () => {
    expect(wrap('a\u00a0', 4)).toEqual(['a\u00a0'])
    expect(wrap('\u3000', 4)).toEqual(['\u3000'])
  })

  test('loses only spaces at line ends when it is wrapped', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 4, max: 30 }), (text, width) => {
        const cleaned = clean(text)
        const lines = wrap(cleaned, width)
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
        expect(lines.join('').replaceAll(' ', '')).toBe(cleaned.replaceAll(' ', ''))
      }),
    )
  })
})
