import type { Cell, Page } from './cells.ts'
import { CELL, DIM, isShape, shapesOf } from './shapes.ts'

const MARGIN = 9
const [SIZE, BASELINE] = [15, 13]
const FONTS = "ui-monospace,'Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
/** Characters that XML 1.0 cannot contain, even escaped. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replaceAll(NOT_XML, '\uFFFD').replaceAll(/[&<>"]/g, sign => ESCAPES[sign]!)
}

/** A character in its column. */
type Glyph = { x: number; width: number; text: string; style: string }

/** Characters of every monospaced font; others may come from another font, with another width. */
const LETTER = /^[\u0020-\u024F\u2010-\u2027]$/
const isLetter = ({ text, width }: Glyph): boolean => width === 1 && LETTER.test(text)
/** Maximum number of blanks that take less space than a new element. */
const LONGEST_GAP = 24

function styleOf({ ink, bold, dim, italic, underline }: Cell): string {
  return [
    ink && `fill:${ink}`,
    bold && 'font-weight:bold',
    dim && `fill-opacity:${DIM}`,
    italic && 'font-style:italic',
    underline && 'text-decoration:underline',
  ]
    .filter(Boolean)
    .join(';')
}

/** Groups glyphs for one element, all of one look: letters with the blanks between them, or other signs in a row. */
function groupsOf(row: readonly Cell[]): Glyph[][] {
  const groups: Glyph[][] = []
  for (const [x, cell] of row.entries()) {
    if (cell.width === 0 || isShape(cell) || (cell.text.trim() === '' && !cell.underline)) continue
    const glyph = { x, width: cell.width, text: cell.text, style: styleOf(cell) }
    const last = groups.at(-1)?.at(-1)
    const belongs =
      last?.style === glyph.style &&
      (isLetter(last)
        ? isLetter(glyph) && x - last.x - 1 <= LONGEST_GAP
        : !isLetter(glyph) && last.text.length === 1 && glyph.text.length === 1)
    if (belongs) groups.at(-1)!.push(glyph)
    else groups.push([glyph])
  }
  return groups
}

/**
 * Returns a group as an element: letters are as wide as their cells together, and each other sign has its own position.
 */
function textOf(glyphs: readonly Glyph[], y: number, classOf: (style: string) => string): string {
  const [first, last] = [glyphs[0]!, glyphs.at(-1)!]
  const element = (places: string, text: string): string =>
    `<text x="${places}" y="${y * CELL.height + BASELINE}"${classOf(first.style)}>${escaped(text)}</text>`
  if (!isLetter(first))
    return element(glyphs.map(({ x }) => x * CELL.width).join(' '), glyphs.map(({ text }) => text).join(''))
  const text = glyphs.reduce((so, { x, text }) => so.padEnd(x - first.x) + text, '')
  const width = (last.x + 1 - first.x) * CELL.width
  return element(`${first.x * CELL.width}${text.length > 1 ? `" textLength="${width}` : ''}`, text)
}

/** A screen of a film, and its duration in seconds. */
export type Frame = { rows: readonly (readonly Cell[])[]; seconds: number }

/**
 * Returns a screen as an SVG whose text can be selected. Every line of letters is as wide as its cells, with any font;
 * nothing in it is loaded from elsewhere.
 * @param title description for people who cannot see it
 */
export function svgOf(rows: readonly (readonly Cell[])[], page: Page, title: string): string {
  return filmOf([{ rows, seconds: 1 }], page, title)
}

/** Returns screens of one size one after the other, repeating; with reduced motion only the last one is shown. */
export function filmOf(frames: readonly Frame[], page: Page, title: string): string {
  const columns = Math.max(0, ...frames.flatMap(({ rows }) => rows.map(row => row.length)))
  const lines = Math.max(...frames.map(({ rows }) => rows.length))
  const [width, height] = [columns * CELL.width + 2 * MARGIN, lines * CELL.height + 2 * MARGIN]
  const classes = new Map<string, string>()
  const classOf = (style: string): string => {
    if (style === '') return ''
    if (!classes.has(style)) classes.set(style, `c${classes.size}`)
    return ` class="${classes.get(style)!}"`
  }
  const drawn = frames.map(({ rows }) => [
    ...shapesOf(rows, page.text),
    ...rows.flatMap((row, y) => groupsOf(row).map(glyphs => textOf(glyphs, y, classOf))),
  ])
  const styles = [...classes].map(([style, name]) => `.${name}{${style}}`)
  const film = frames.length > 1 ? filmStyle(frames.map(({ seconds }) => seconds)) : ''
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  const font = `text{font-family:${FONTS};font-size:${SIZE}px;fill:${page.text};white-space:pre}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} xml:space="preserve">`,
    `<title>${escaped(title)}</title>`,
    `<style>${font}${styles.join('')}${film}</style>`,
    `<rect width="100%" height="100%" rx="6" fill="${page.ground}" stroke="#808080" stroke-opacity=".4"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">`,
    ...drawn.flatMap((elements, index) =>
      frames.length > 1 ? [`<g class="f" id="f${index}">`, ...elements, '</g>'] : elements,
    ),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/** Returns styles that show each frame in its time, and hide it otherwise. */
function filmStyle(seconds: readonly number[]): string {
  const total = seconds.reduce((sum, each) => sum + each, 0)
  const starts = seconds.map((_, index) => seconds.slice(0, index).reduce((sum, each) => sum + each, 0))
  const percent = (at: number): string => `${((at / total) * 100).toFixed(2)}%`
  const frames = seconds.map((each, index) => {
    const [from, to] = [percent(starts[index]!), percent(starts[index]! + each)]
    const before = index === 0 ? '' : '0%{visibility:hidden}'
    const after = index === seconds.length - 1 ? '' : `${to}{visibility:hidden}`
    return `@keyframes k${index}{${before}${from}{visibility:visible}${after}}#f${index}{animation-name:k${index}}`
  })
  const still = `@media (prefers-reduced-motion:reduce){.f{animation:none}#f${seconds.length - 1}{visibility:visible}}`
  return `.f{visibility:hidden;animation:${total}s step-end infinite}${frames.join('')}${still}`
}
