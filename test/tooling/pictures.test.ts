import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { svgOf, type Cell } from '../../scripts/pictures/svg.ts'
import { HOSTILE } from '../hostile-texts.ts'

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
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  fc.constantFrom(' ', '&', '<', '─', '█', ...HOSTILE),
)
/** A character with the empty cell that a wide one has behind it. */
const cells = fc
  .record({ text, width: fc.constantFrom(1, 2), ink: colour, ground: colour, bold: fc.boolean() })
  .map((cell): Cell[] => [{ ...PLAIN, ...cell }, ...(cell.width === 2 ? [{ ...PLAIN, text: '', width: 0 }] : [])])
const row = fc.array(cells, { maxLength: 12 }).map(parts => parts.flat())

type Element = { '#text'?: string; '@_x'?: string; '@_y'?: string; '@_textLength'?: string }
type Parsed = { svg: { '@_width': string; text?: Element[] } & Record<string, unknown> }

const parser = new XMLParser({
  ignoreAttributes: false,
  trimValues: false,
  parseTagValue: false,
  isArray: name => name === 'text',
})
const printed = (written: string): string =>
  written.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD').replaceAll(/\s/g, '')

test('whatever a screen shows is text in its picture, in its cells, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), text, (rows, title) => {
      const xml = svgOf(rows, PAGE, title)
      expect(XMLValidator.validate(xml)).toBe(true)
      const { svg } = parser.parse(xml) as Parsed
      const parts = Object.keys(svg).filter(name => !name.startsWith('@_') && name !== '#text')
      expect(['rect', 'style', 'text', 'title']).toEqual(expect.arrayContaining(parts))
      const texts = svg.text ?? []
      const shown = texts.map(each => each['#text'] ?? '').join('')
      expect(printed(shown)).toBe(printed(rows.flatMap(cells => cells.map(cell => cell.text)).join('')))
      for (const [index, { '@_x': x, '@_y': y, '@_textLength': length }] of texts.entries()) {
        const after = texts[index + 1]
        const end = after?.['@_y'] === y ? Number(after?.['@_x']) : Number(svg['@_width'])
        expect(Number(x) + Number(length)).toBeLessThanOrEqual(end)
      }
    }),
  )
})

test('letters of one look share a run, a wide one has its own, and what follows stands behind it', () => {
  const letters = [...'ab'].map(each => ({ ...PLAIN, text: each }))
  const wide = [
    { ...PLAIN, text: '世', width: 2, bold: true },
    { ...PLAIN, text: '', width: 0 },
  ]
  const svg = svgOf([[...letters, ...wide, { ...PLAIN, text: 'c', ground: '#102030' }]], PAGE, 'Letters')
  expect(svg.match(/<text.*|<rect x.*/g)).toEqual([
    '<rect x="45" y="9" width="9" height="17" fill="#102030"/>',
    '<text x="9" y="22" textLength="18">ab</text>',
    '<text x="27" y="22" textLength="18" class="c0">世</text>',
    '<text x="45" y="22" textLength="9">c</text>',
  ])
})
