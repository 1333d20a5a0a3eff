import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileOf, folder, LOOKS, SIZES } from '../../scripts/pictures/screens.ts'
import { isShape } from '../../scripts/pictures/shapes.ts'
import type { Cell } from '../../scripts/pictures/cells.ts'
import { svgOf } from '../../scripts/pictures/svg.ts'
import { screens } from '../../src/app/registry.ts'
import { HOSTILE } from '../hostile-texts.ts'
import { frameOf, needlessCuts } from './recorded-frames.ts'

const PAGE = { ground: '#000000', text: '#ffffff' }
const PLAIN: Cell = {
  text: ' ',
  width: 1,
  ink: undefined,
  ground: undefined,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
}

const colour = fc.constantFrom(undefined, '#102030', '#a0b0c0')
const text = fc.oneof(
  // A cell without letters contains one space, and no other blank.
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }).filter(some => some.trim() !== ''),
  fc.constantFrom(' ', '&', '<', '─', '█', ...HOSTILE),
)
/** A character with the empty cell that follows a wide one. */
const cells = fc
  .record({ text, width: fc.constantFrom(1, 2), ink: colour, ground: colour, bold: fc.boolean() })
  .map((cell): Cell[] => [{ ...PLAIN, ...cell }, ...(cell.width === 2 ? [{ ...PLAIN, text: '', width: 0 }] : [])])
const row = fc.array(cells, { maxLength: 12 }).map(parts => parts.flat())

type Element = { '#text'?: string; '@_x': string; '@_y': string; '@_textLength'?: string }
type Group = { text?: Element[]; path?: { '@_d': string }[] }
type Parsed = { svg: { '@_width': string; g: Group } & Record<string, unknown> }

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  isArray: name => name === 'text' || name === 'path',
})
const printed = (written: string): string =>
  written.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD').replaceAll(/\s/g, '')

const shownParts = (group: object) => Object.keys(group).filter(name => !name.startsWith('@_') && name !== '#text')

test('the text of a picture is exactly the text of its screen, at the same cells, except for frames and bars', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), text, (rows, title) => {
      const xml = svgOf(rows, PAGE, title)
      expect(XMLValidator.validate(xml)).toBe(true)
      const { svg } = parser.parse(xml) as Parsed
      expect(shownParts(svg).toSorted()).toEqual(['g', 'rect', 'style', 'title'])
      expect(['path', 'text']).toEqual(expect.arrayContaining(shownParts(svg.g)))
      const texts = svg.g.text ?? []
      const shown = texts.map(each => each['#text'] ?? '').join('')
      const written = rows.flat().filter(cell => !isShape(cell))
      expect(printed(shown)).toBe(printed(written.map(cell => cell.text).join('')))
      for (const [index, { '@_x': x, '@_y': y, '@_textLength': length }] of texts.entries()) {
        const after = texts[index + 1]
        const end = after?.['@_y'] === y ? Number(after['@_x'].split(' ')[0]) : Number(svg['@_width'])
        expect(Number(x.split(' ').at(-1)) + Number(length ?? 1)).toBeLessThanOrEqual(end)
      }
    }),
  )
})

test('letters of the same look share a text, a wide letter has its own, and the next keeps its place', () => {
  const letters = [...'ab'].map(each => ({ ...PLAIN, text: each }))
  const wide = [
    { ...PLAIN, text: '世', width: 2, bold: true },
    { ...PLAIN, text: '', width: 0 },
  ]
  const svg = svgOf([[...letters, ...wide, { ...PLAIN, text: 'c', ground: '#102030' }]], PAGE, 'Letters')
  expect(svg.match(/<text.*|<path.*/g)).toEqual([
    '<path fill="#102030" d="M36 0H45v17H36z"/>',
    '<text x="0" textLength="18" y="13">ab</text>',
    '<text x="18" y="13" class="c0">世</text>',
    '<text x="36" y="13">c</text>',
  ])
})

test('a frame is drawn as lines that meet in any font, and a bar as one shape', () => {
  const rowOf = (text: string) => [...text].map(each => ({ ...PLAIN, text: each }))
  const svg = svgOf(['╭──╮', '│█▌│', '╰──╯'].map(rowOf), PAGE, 'Frame')
  const [frame, bar] = [...svg.matchAll(/<path.* d="(.*)"/g)].map(([, path]) => path)
  expect(bar).toBe('M9 17H22.5v17H9z')
  const corners = ['M4.5 17Q4.5 8.5 9 8.5', 'M31.5 17Q31.5 8.5 27 8.5', 'M4.5 34Q4.5 42.5 9 42.5']
  const sides = ['M9 8.5H27', 'M4.5 17V34', 'M31.5 17V34', 'M9 42.5H27']
  for (const piece of [...corners, ...sides]) expect(frame).toContain(piece)
  expect(frame!.match(/M/g)).toHaveLength(8)
})

describe('docs/screens.md', () => {
  const files = readdirSync(folder)

  test('has every screen in every size, on both backgrounds', () => {
    const wanted = screens.flatMap(({ route }) =>
      SIZES.flatMap(size => LOOKS.map(look => fileOf(route.screen, size, look))),
    )
    const present = new Set(files.map(name => join(folder, name)))
    expect(present).toEqual(new Set(wanted))
  })

  test('shows no text that is cut off beside blank columns', () => {
    const cuts = files.flatMap(name =>
      needlessCuts(frameOf(readFileSync(join(folder, name), 'utf8'))).map(cut => `${name}: ${cut}`),
    )
    expect(cuts).toEqual([])
  })

  test('is small enough for people who clone the repository', () => {
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    expect(bytes).toBeLessThan(2.5 * 1024 * 1024)
  })
})

test('the check of pictures finds a text that is cut off although its row or a neighbouring pane has room', () => {
  const frame = (...rows: string[]) => ({
    rows: ['', '', '', ...rows, '', ''].map(row => [...row]),
    edges: [...rows[0]!].flatMap((letter, column) => (letter === '│' ? [column] : [])),
  })
  const list = (text: string): string => `│${text.padEnd(60)}│`
  expect(needlessCuts(frame(list('Sample: total of a…  3') + 'short'.padEnd(70) + '│'))).toHaveLength(2)
  expect(needlessCuts(frame(list(`${'Sample '.repeat(8)}… 1`) + 'short'.padEnd(70) + '│'))).toHaveLength(1)
  expect(needlessCuts(frame(list(`${'Sample '.repeat(8)}… 1`) + 'long '.repeat(14) + '│'))).toEqual([])
  expect(needlessCuts(frame(list('Whole') + 'short'.padEnd(70) + '│'))).toEqual([])
})
