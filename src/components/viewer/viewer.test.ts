import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTheme } from '../../tui/theme/theme.ts'
import { fieldLines } from '../lines.ts'
import { markMatches, paintLine, paintLines, paintMemory } from './paint.ts'
import { pairFields } from '../viewer.tsx'
import { compare, lastTop, moved, TOP, visible, within, type Rows } from './scroll.ts'
import { createSearch, lineCandidates } from './search.ts'
import { copyText, plainText, textSource, toSource, type Line, type LineSource, type Span } from './source.ts'
import { wrap, widthOf, clean } from '../../tui/theme/text.ts'
import { cleanSpans, truncateSpans, widthOfSpans, wrapSpans } from './spans.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const theme = createTheme({ level: 0, ascii: false })

/** Returns a search that ran to its end. */
function searched(source: LineSource, text: string, from = 0) {
  const search = createSearch(lineCandidates(source, from), text)
  while (!search.isDone) search.advance(50)
  return search
}

describe('scrolling', () => {
  const rowCounts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 40 })
  const rowsOf = (counts: number[]): Rows => ({ count: counts.length, rowsOf: line => counts[line]! })

  test('goes through the same rows as a text that is wrapped as a whole', () => {
    fc.assert(
      fc.property(rowCounts, fc.nat(300), fc.integer({ min: -300, max: 300 }), (counts, from, by) => {
        const all = counts.flatMap((count, line) => Array.from({ length: count }, (_, row) => ({ line, row })))
        const start = Math.min(from, all.length - 1)
        const end = Math.max(0, Math.min(all.length - 1, start + by))
        expect(moved(rowsOf(counts), all[start]!, by)).toEqual(all[end])
        expect(visible(rowsOf(counts), all[start]!, 9)).toEqual(all.slice(start, start + 9))
        const last = Math.max(0, all.length - 9)
        expect(lastTop(rowsOf(counts), 9)).toEqual(all[last])
        expect(within(rowsOf(counts), all[start]!, 9)).toEqual(all[Math.min(start, last)])
      }),
    )
  })

  test('orders positions by line, then by row', () => {
    expect(compare({ line: 1, row: 0 }, { line: 0, row: 9 })).toBeGreaterThan(0)
    expect(compare(TOP, { line: 0, row: 1 })).toBeLessThan(0)
  })
})

describe('fields in a wide pane', () => {
  const painted = (lines: readonly Line[], width: number): string[] =>
    lines.flatMap(line => paintLine(line, { theme, width, wraps: true }))
  const paired = (lines: readonly Line[], width: number): readonly Line[] =>
    pairFields(lines, width - 2) as readonly Line[]

  test('are side by side if both fit, and are copied one per line', () => {
    const lines = [
      { text: 'Server', tone: 'accent' } as const,
      ...fieldLines([
        ['Name', 'everything'],
        ['Kind', 'stdio'],
        ['Address', 'https://example.com/a/path/that/is/long/enough/for/a/row'],
        ['State', 'ready'],
      ]),
    ]
    expect(paired(lines, 93)).toBe(lines)
    expect(painted(paired(lines, 100), 100)).toEqual([
      ' Server',
      ` Name     everything${' '.repeat(29)}Kind     stdio`,
      ' Address  https://example.com/a/path/that/is/long/enough/for/a/row',
      ' State    ready',
    ])
    expect(paired(lines, 100).map(copyText).join('\n')).toBe(lines.map(copyText).join('\n'))
  })

  test('hide no part of a value that was whole in its own row', () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 70 })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), fc.integer({ min: 20, max: 220 }), (all, width) => {
        const lines = fieldLines(all)
        const shown = painted(paired(lines, width), width).join('\n')
        const alone = lines.map(line => paintLine(line, { theme, width, wraps: true }))
        for (const [index, rows] of alone.entries()) {
          const value = clean(all[index]![1]).trim()
          if (rows.length === 1 && rows[0]!.includes(value)) expect(shown).toContain(value)
        }
      }),
    )
  })
})

describe('the lines of a text', () => {
  test('are the parts between its line breaks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter, maxLength: 20 })), texts => {
        const lines = texts.map(text => text.replaceAll('\n', ''))
        const source = textSource(lines.join('\n'))
        expect(Array.from({ length: source.count }, (_, index) => source.at(index))).toEqual(
          lines.length === 0 ? [''] : lines,
        )
      }),
    )
  })

  test('are pieces of a very long line that keep every character whole', () => {
    const text = '😀'.repeat(40_001)
    const source = textSource(text)
    const pieces = Array.from({ length: source.count }, (_, index) => plainText(source.at(index)))
    expect(pieces.length).toBeGreaterThan(7)
    expect(pieces.join('')).toBe(text)
    for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
  })
})

test('50 MB of text are opened, paged and scrolled to the end by examining only the visible lines', () => {
  const line = 'the quick brown fox jumps over the lazy dog, again and again and again, until it is tired\n'
  const text = line.repeat(Math.ceil(50_000_000 / line.length))
  const source = toSource(text)
  let asked = 0
  const counted: LineSource = {
    count: source.count,
    at(index) {
      asked += 1
      return source.at(index)
    },
  }
  const painted = paintLines(counted, { theme, width: 60, wraps: true })
  const rows: Rows = { count: counted.count, rowsOf: at => painted.rows(at).length }
  let top = within(rows, TOP, 40)
  visible(rows, top, 40)
  expect(asked).toBeLessThanOrEqual(41)
  for (let page = 0; page < 10; page += 1) {
    top = within(rows, moved(rows, top, 39), 40)
    visible(rows, top, 40)
  }
  expect(asked).toBeLessThanOrEqual(420)
  visible(rows, lastTop(rows, 40), 40)
  expect(asked).toBeLessThanOrEqual(470)
  const found = searched(source, 'LAZY DOG')
  expect(found).toMatchObject({ isCut: true, landing: 0 })
  expect(found.places).toHaveLength(10_000)
})

test('a long value continues below itself, and no part is cut', () => {
  const theme = createTheme({ level: 0, ascii: false })
  const fields = fieldLines([
    ['Name', 'short'],
    ['Description', 'ten cases on the reference server'],
    ['Unknown', ''],
  ])
  const rows = fields.flatMap(line => paintLine(line, { theme, width: 34, wraps: true }))
  expect(rows.map(row => row.trimEnd())).toEqual([
    ' Name         short',
    ' Description  ten cases on the',
    '              reference server',
    ' Unknown      —',
  ])
})

test('a value of one word is below its label if it fits only there', () => {
  const theme = createTheme({ level: 0, ascii: false })
  const id = 'fnd_01m80kss130000kcr1wyycfrdv'
  const fields = fieldLines([
    ['Acknowledged', 'no'],
    ['Id', id],
    ['Huge', id + id],
  ])
  const rows = (width: number) =>
    fields.flatMap(line => paintLine(line, { theme, width, wraps: true })).map(row => row.trimEnd())
  expect(rows(36)).toEqual([
    ' Acknowledged  no',
    ' Id',
    `   ${id}`,
    ' Huge          fnd_01m80kss130000kc',
    '               r1wyycfrdvfnd_01m80k',
    '               ss130000kcr1wyycfrdv',
  ])
  expect(rows(46)).toContain(` Id            ${id}`)
})

test('a search finds lines of any kind, and marks the match in a row', () => {
  const source = toSource([
    'Alpha',
    { text: 'beta ALPHA', indent: 2 },
    {
      parts: [
        { text: 'al', tone: 'ok' },
        { text: 'pha', tone: 'warn' },
      ],
    },
    '',
  ])
  expect(searched(source, 'alpha').places).toEqual([0, 1, 2])
  const coloured = createTheme({ level: 1, ascii: false })
  const marked = markMatches(coloured, ' one alpha and ALPHA', 'alpha')
  expect(marked).toBe(` one ${coloured.paint('match', 'alpha')} and ${coloured.paint('match', 'ALPHA')}`)
  expect(markMatches(coloured, ' nothing', 'alpha')).toBe(' nothing')
})

describe('a search in a text', () => {
  const source: LineSource = { count: 100_000, at: line => (line % 1000 === 7 ? `needle ${line}` : 'hay') }

  test('runs in slices and reports the next match as soon as it is found', () => {
    const search = createSearch(lineCandidates(source, 50_000), 'NEEDLE')
    let slices = 0
    for (; !search.isDone; slices += 1) {
      search.advance(0)
      const past = search.places.findIndex(place => place >= 50_000)
      expect(search.landing).toBe(past === -1 ? undefined : past)
    }
    expect(slices).toBeGreaterThan(1000)
    expect(search.places).toHaveLength(100)
    expect(search.landing).toBe(50)
  })

  test('starts again at the other end if there is no further match', () => {
    const search = searched(source, 'needle 7', 50_000)
    expect([search.places[search.landing!], search.isCut]).toEqual([70_007, false])
    expect(searched(source, 'needle 7', 90_000).landing).toBe(0)
    expect(searched(source, 'nowhere').landing).toBeUndefined()
  })
})

test('a text that is replaced is drawn again, and wrapped only where it changed', () => {
  const tone = fc.constantFrom('plain' as const, 'strong' as const)
  const text = fc.constantFrom('one', 'one two three four five', '日本語 '.repeat(9), '')
  const line: fc.Arbitrary<Line> = fc.oneof(
    text,
    fc.record({ text, tone, indent: fc.nat(2) }),
    fc.record({ spans: fc.array(fc.record({ text, tone }), { maxLength: 2 }), lead: fc.constant([]) }),
    fc.record({ parts: fc.array(fc.record({ text, tone }), { maxLength: 2 }) }),
    text.map(inside => ({ block: () => [inside], text: () => inside })),
  )
  const given = fc.record({ lines: fc.array(line, { maxLength: 6 }), width: fc.integer({ min: 9, max: 11 }) })
  const coloured = createTheme({ level: 1, ascii: false })
  fc.assert(
    fc.property(fc.array(given, { minLength: 1, maxLength: 6 }), texts => {
      const memory = paintMemory()
      for (const { lines, width } of texts) {
        const look = { theme: coloured, width, wraps: true }
        const first = paintLines(toSource(lines), look, memory)
        const again = paintLines(toSource(copyOf(lines)), look, memory)
        for (const [index, each] of lines.entries()) {
          expect(first.rows(index)).toEqual(paintLine(each, look))
          expect(again.rows(index)).toBe(first.rows(index))
        }
      }
    }),
  )
})

/** Returns copies of the lines with the same content. Blocks cannot be compared and stay the same. */
function copyOf(lines: readonly Line[]): Line[] {
  return lines.map(line => (typeof line === 'object' && 'block' in line ? line : structuredClone(line)))
}

describe('styled text', () => {
  const tones = fc.constantFrom('plain', 'strong', 'accent')
  const spans: fc.Arbitrary<Span[]> = fc.array(
    fc.record({
      text: fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: anyCharacter }), fc.constant('a b  c ')),
      tone: tones,
    }),
    { maxLength: 8 },
  )

  test('wraps at the same places as the same text without styles', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 2, max: 30 }), (given, width) => {
        const cleaned = cleanSpans(given)
        const text = cleaned.map(span => span.text).join('')
        const rows = wrapSpans(cleaned, width)
        expect(rows.map(row => row.map(span => span.text).join(''))).toEqual(wrap(text, width))
        expect(
          truncateSpans(cleaned, width)
            .map(span => span.text)
            .join(''),
        ).toSatisfy(cut => widthOf(String(cut)) <= width)
        for (const tone of ['strong', 'accent'] as const) {
          const of = (list: readonly Span[]) =>
            list
              .filter(span => span.tone === tone)
              .map(span => span.text)
              .join('')
          expect(of(rows.flat()).replaceAll(' ', '')).toBe(of(cleaned).replaceAll(' ', ''))
        }
      }),
    )
  })

  test('has its lead before the first row and its indent before the others, whether wrapped or cut', () => {
    const line = {
      spans: [{ text: 'one two three four', tone: 'plain' as const }],
      lead: [{ text: '- ', tone: 'muted' as const }],
      rest: [{ text: '  ', tone: 'plain' as const }],
    }
    expect(paintLine(line, { theme, width: 14, wraps: true })).toEqual([' - one two', '   three four'])
    expect(paintLine(line, { theme, width: 14, wraps: false })).toEqual([' - one two t…'])
  })

  test('continues below its own words after a symbol', () => {
    const line = { text: `${theme.symbols.warn} one two three four`, indent: 2 }
    expect(paintLine(line, { theme, width: 16, wraps: true })).toEqual([
      `   ${theme.symbols.warn} one two`,
      '     three four',
    ])
    expect(paintLine(line, { theme, width: 16, wraps: false })).toEqual([`   ${theme.symbols.warn} one two t…`])
  })

  test('has links only if the terminal supports them, and only to plain addresses', () => {
    const links = createTheme({ level: 0, ascii: false, links: true })
    const line = (link: string) => ({ spans: [{ text: 'here', tone: 'plain' as const, link }] })
    const look = { width: 20, wraps: true }
    expect(paintLine(line('https://a.test/'), { ...look, theme })).toEqual([' here'])
    expect(paintLine(line('https://a.test/'), { ...look, theme: links })).toEqual([
      ' \u001b]8;;https://a.test/\u001b\\here\u001b]8;;\u001b\\',
    ])
    expect(paintLine(line('https://a.test/\u001b]52;c;AAAA\u0007'), { ...look, theme: links })).toEqual([' here'])
    const [row = ''] = paintLine(line('https://a.test/'), { ...look, theme: links })
    expect(markMatches(links, row, 'her')).toBe(' here')
    expect(widthOfSpans(cleanSpans([{ text: clean('日本'), tone: 'plain' }]))).toBe(4)
  })
})
