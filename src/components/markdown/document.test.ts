import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHere } from '../../../test/markdown-reader.ts'
import { rowsOf, UNFOLDED } from '../../../test/outline-rows.ts'
import { widthOf } from '../../tui/theme/text.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { AS_GIVEN, outline, outlineCandidates, toggled, type OutlineNode } from '../viewer/outline-tree.ts'
import { paintLine, plainRow } from '../viewer/paint.ts'
import { createSearch } from '../viewer/search.ts'
import { plainText, type Line } from '../viewer/source.ts'
import { markdown } from './document.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const theme = createTheme({ level: 0, ascii: false })

function read(text: string, slice = Infinity): readonly OutlineNode[] {
  const document = markdown(text, theme.symbols, '', readHere)
  while (!document.isDone) document.scan(slice)
  return document.roots()
}

const rows = (text: string, width = 62) => rowsOf(read(text), { width })

/** Returns the line of a document whose visible text begins like this. */
function lineWith(roots: readonly OutlineNode[], text: string): Line {
  const shown = outline(roots, AS_GIVEN)
  for (let line = 0; line < shown.count; line += 1) {
    const { entry, offset } = shown.at(line)
    const found = entry.lines.at(offset)
    if (paintLine(found, { theme, width: 62, wraps: true })[0]!.slice(1).startsWith(text)) return found
  }
  throw new Error(`no line begins with ${text}`)
}

describe('Markdown layout', () => {
  test('renders headings, emphasis, code, links with their address, images by their text, and entities', () => {
    expect(
      rows(
        '# One *two*\n\n**a** _b_ `c` ~~d~~ [e](https://e.test/) <https://f.test/> ![g](https://g.test/h.png) &lt;&#x41;&notathing;\n',
        100,
      ),
    ).toEqual([
      '# One two',
      'a b `c` ~~d~~ e (https://e.test/) https://f.test/ [image g] (https://g.test/h.png) <A&notathing;',
      '',
    ])
  })

  test('renders nested lists, keeps numbers as written, and shows tasks', () => {
    expect(rows('- one\n  - two\n\n    more of two\n- [x] done\n- [ ] open\n\n9. nine\n10. ten\n')).toEqual([
      '· one',
      '  · two',
      '',
      '    more of two',
      '· [x] done',
      '· [ ] open',
      '',
      ' 9. nine',
      '10. ten',
      '',
    ])
  })

  test('renders nested quotes, rules and hard breaks, and shows HTML as text', () => {
    const text = '> a\n> > b\n\n---\n\nx\\\ny\n\n<script>alert(1) // and more than fits</script>\n'
    expect(rows(text, 40)).toEqual([
      '│ a',
      '│',
      '│ │ b',
      '',
      '─'.repeat(38),
      '',
      'x',
      'y',
      '',
      '<script>alert(1) // and more than',
      'fits</script>',
      '',
    ])
  })

  test('aligns the columns of a table with wide characters, and continues long cells below', () => {
    const table = '| a | 数量 |\n|:--|--:|\n| 日本 | 1 |\n| b | a long text for a narrow column |\n'
    const drawn = rows(table, 30)
    expect(drawn).toEqual([
      'a    │                  数量',
      '────────────────────────────',
      '日本 │                     1',
      'b    │     a long text for a',
      '     │         narrow column',
      '',
    ])
    const bars = drawn.filter(row => row.includes('│')).map(row => widthOf(row.slice(0, row.indexOf('│'))))
    expect(new Set(bars).size).toBe(1)
  })

  test('shows a table with too many columns as it is written', () => {
    const table = `${'| a '.repeat(20)}|\n${'|---'.repeat(20)}|\n`
    expect(rows(table, 40).join('')).toContain('| a | a |')
  })

  test('finds addresses that are defined elsewhere, and copies them in order', () => {
    const text = 'see [one][A] and [two](https://two.test/)\n\n# h\n\n[a]: https://one.test/\n'
    const line = lineWith(read(text), 'see one (https://one.test/)')
    expect(typeof line === 'object' && 'block' in line && line.links?.()).toEqual([
      'https://one.test/',
      'https://two.test/',
    ])
  })

  test('copies a block as it is written, and a code block without its fences', () => {
    const roots = read('*a* b\n\n```js\nlet x = 1\n\n# no heading\n```\n')
    const copied = (line: Line) => typeof line === 'object' && 'block' in line && line.copy?.()
    expect(copied(lineWith(roots, 'a b'))).toBe('*a* b')
    expect(copied(lineWith(roots, '│ js'))).toBe('let x = 1\n\n# no heading')
  })
})

describe('folding a heading', () => {
  const text = 'before\n\n# One\n\na\n\n## Two\n\nb\n\nThree\n=====\n\nc\n'

  test('hides what is below it, including headings of lower rank', () => {
    const roots = read(text)
    const [first] = roots.filter(root => root.head !== undefined)
    expect(rowsOf(roots)).toEqual(['before', '', '# One', 'a', '', '## Two', 'b', '', '# Three', 'c', ''])
    expect(rowsOf(roots, { folding: toggled(AS_GIVEN, first!.id, false) })).toEqual([
      'before',
      '',
      '# One',
      '# Three',
      'c',
      '',
    ])
    expect(first!.copy?.()).toBe('# One\n\na\n\n## Two\n\nb')
  })

  test('is undone by a search that finds text inside', () => {
    const roots = read(text)
    const search = createSearch(outlineCandidates(roots, undefined), 'b')
    search.advance(1000)
    expect(search.places).toHaveLength(2)
  })
})

const snippet = fc.oneof(
  fc.constantFrom(
    '# ',
    '###### ',
    '> ',
    '- ',
    '* ',
    '1. ',
    '- [x] ',
    '  ',
    '    ',
    '\t',
    '\n',
    '\n\n',
    '```',
    '~~~js',
    '`',
    '**',
    '_',
    '~~',
    '[',
    '](',
    ')',
    '![',
    '<b>',
    '</b>',
    '<!--',
    '-->',
    '| a | b |\n|---|:-:|\n',
    '|',
    '---',
    '===',
    '\\',
    '&amp;',
    '&#27;',
    '&#x9b;',
    '[a]: http://x\n',
    '[a]',
    'https://x.test/',
    '\u001b]8;;http://evil\u0007',
    '\u001b[2J',
    '\u009b31m',
    '\u202e',
    '日本語テキスト',
    '👩‍👩‍👧',
    'e\u0301',
    '\r\n',
    '\u0000',
    '\ud800',
    'word ',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
)
const hostile = fc.array(snippet, { maxLength: 60 }).map(parts => parts.join(''))

describe('hostile Markdown', () => {
  test('never produces a control character or a row that is too wide', { timeout: 60_000 }, () => {
    const links = createTheme({ level: 0, ascii: false, links: true })
    fc.assert(
      fc.property(hostile, fc.integer({ min: 12, max: 90 }), (text, width) => {
        for (const row of rowsOf(read(text), { width, folding: UNFOLDED, theme: links })) {
          const bare = plainRow(` ${row}`)
          expect(bare).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
          expect(widthOf(bare)).toBeLessThanOrEqual(width)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('has the same rows in a window as in full, and read in slices as read at once', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(hostile, fc.nat(30), fc.integer({ min: 1, max: 40 }), (text, from, slice) => {
        const whole = outline(read(text), UNFOLDED)
        const lines = (shown: typeof whole, first: number) =>
          Array.from({ length: Math.max(0, shown.count - first) }, (_, at) => {
            const { entry, offset } = shown.at(first + at)
            return paintLine(entry.lines.at(offset), { theme, width: 50, wraps: true })
          })
        expect(lines(outline(read(text, slice), UNFOLDED), from)).toEqual(lines(whole, 0).slice(from))
      }),
    )
  })

  test('is found by a search at the visible words', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom('word', 'a', 'b 日', 'wo', '1', '(', 'x.test'), (text, wanted) => {
        const roots = read(text)
        const shown = outline(roots, UNFOLDED)
        const seen = Array.from({ length: shown.count }, (_, line) => {
          const { entry, offset } = shown.at(line)
          return plainText(entry.lines.at(offset)).toLowerCase().includes(wanted)
        })
        const search = createSearch(outlineCandidates(roots, undefined), wanted)
        while (!search.isDone) search.advance(10)
        expect(search.places).toHaveLength(seen.filter(Boolean).length)
      }),
      { numRuns: 300, examples: [['~~~jsword\ncode\n~~~\n', 'word']] },
    )
  })

  test('keeps every word and keeps its pieces small', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('- ', '> ', 'word', ' ', '\n', '# '), { maxLength: 80 }), parts => {
        const text = parts.join('')
        const shown = rowsOf(read(text), { folding: UNFOLDED }).join(' ')
        expect(shown.split('word').length).toBe(text.split('word').length)
      }),
    )
  })

  test.each([
    ['quotes', '>'.repeat(100_000)],
    ['lists', '- '.repeat(50_000)],
    ['indented lists', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n')],
    ['brackets', '['.repeat(100_000)],
    ['emphasis', '**a *'.repeat(20_000)],
    ['underscores', '_a_'.repeat(30_000)],
    ['one line', 'word '.repeat(20_000)],
    ['an open fence', `\`\`\`\n${'x'.repeat(100_000)}`],
    ['a table', `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(5000)}`],
  ])('with nested or endless %s is still laid out', (_name, text) => {
    const drawn = rowsOf(read(text), { folding: UNFOLDED, width: 60 })
    expect(drawn.length).toBeGreaterThan(10)
    for (const row of drawn) expect(widthOf(row)).toBeLessThan(60)
  })
})

test('of 50 MB only the blocks that a window needs are parsed', { timeout: 60_000 }, () => {
  const chapter = `## Chapter\n\n${'A paragraph with **strong** words and a [link](https://x.test/).\n\n'.repeat(20)}- a\n- b\n\n`
  const text = chapter.repeat(Math.ceil(50_000_000 / chapter.length))
  const document = markdown(text, theme.symbols, '', readHere)
  document.scan(200_000)
  expect(document.isDone).toBe(false)
  const window = (first: number): void => {
    const shown = outline(document.roots(), AS_GIVEN)
    for (let line = first; line < first + 40; line += 1) {
      const { entry, offset } = shown.at(Math.min(line, shown.count - 1))
      paintLine(entry.lines.at(offset), { theme, width: 80, wraps: true })
    }
  }
  window(0)
  expect(document.lexed).toBeLessThanOrEqual(40)
  document.scan(Infinity)
  expect(document.isDone).toBe(true)
  window(500_000)
  expect(document.lexed).toBeLessThanOrEqual(80)
  const paragraphs = outline(document.roots(), AS_GIVEN).count - 2 * text.split(chapter).length
  const search = createSearch(outlineCandidates(document.roots(), undefined), 'no such word')
  search.advance(20)
  expect(search.isDone).toBe(false)
  expect(document.lexed).toBeLessThan(paragraphs / 100)
})
