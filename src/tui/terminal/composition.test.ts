import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../test/any-character.ts'
import { Composition, type Quiet } from './composition.ts'
import { PLACEHOLDER } from './graphemes.ts'
import { rowText } from './painter.ts'

const RED = (text: string): string => `\x1b[31m${text}\x1b[39m`
const GREY = (text: string): string => `\x1b[90m${text}\x1b[39m`
const BLUE = (text: string): string => `\x1b[34m${text}\x1b[39m`

const QUIET: Quiet = {
  page: { row: 1, column: 0, width: 10, height: 2 },
  above: { row: 2, column: 3, width: 4, height: 1 },
  look: GREY('x'),
  kept: [BLUE('x')],
}

function composed(lines: readonly string[]): Composition {
  const composition = new Composition()
  composition.resize(10, lines.length)
  composition.setFrame([...lines])
  return composition
}

/** Returns the rows that changed since the last call. */
function changed(composition: Composition): string[] {
  const rows: string[] = []
  composition.visitChanged((row, cells) => rows.push(`${row}: ${rowText(cells).replaceAll('\x1b', '').trimEnd()}`))
  return rows
}

test('of past frames, only rows that may be shown again are kept', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const composition = composed(['first', 'second'])
  const [frames, below] = [200, 'x'.repeat(500_000)]
  collect()
  const before = process.memoryUsage().heapUsed
  for (let frame = 0; frame < frames; frame += 1)
    composition.setFrame([`row ${String(frame).padStart(20)}`, 'second', below].join('\n').split('\n'))
  composition.setFrame(['first', 'second'])
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((frames * below.length) / 5)
  expect(changed(composition)).toContain('0: first')
})

test('the page behind an overlay is muted, except the overlay, header and footer, and text muted already', () => {
  const composition = composed([RED('header'), `${RED('red')} ${BLUE('blue')}`, RED('0123456789'), RED('footer')])
  const before = changed(composition)
  composition.quiet(QUIET)
  expect(changed(composition)).toEqual(['1: [90mred [34mblue[m', '2: [90m012[31m3456[90m789[m'])
  // A frame that arrives while the page is muted is muted too.
  composition.setFrame([RED('header'), RED('new'), RED('0123456789'), RED('footer')])
  expect(changed(composition)).toEqual(['1: [90mnew[m'])
  composition.setFrame([RED('header'), `${RED('red')} ${BLUE('blue')}`, RED('0123456789'), RED('footer')])
  composition.quiet(undefined)
  expect(changed(composition)).toEqual(before.slice(1, 3))
})

test('a picture that the terminal draws keeps the colors that identify it', () => {
  const picture = RED(`${PLACEHOLDER}\u0305\u0305`)
  const composition = composed(['header', `${picture} text`, 'footer'])
  const { styles } = composition.compose(1)
  composition.quiet(QUIET)
  expect(composition.compose(1).styles[0]).toBe(styles[0])
  expect(composition.compose(1).styles[2]).not.toBe(styles[2])
})

test('nothing is muted without colors', () => {
  const composition = composed(['header', 'plain', '0123456789', 'footer'])
  changed(composition)
  const rows = [0, 1, 2, 3].map(row => composition.compose(row))
  composition.quiet({ ...QUIET, look: 'x', kept: ['x'] })
  expect([0, 1, 2, 3].map(row => composition.compose(row))).toEqual(rows)
})

test('muting changes no character of any page', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 20 })
  const small = fc.nat({ max: 12 })
  const area = fc.record({ row: small, column: small, width: small, height: small })
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), area, area, (texts, page, above) => {
      const composition = composed(texts.map((each, index) => (index % 2 ? RED(each) : each)))
      const before = texts.map((_, row) => composition.compose(row).graphemes)
      composition.quiet({ ...QUIET, page, above })
      expect(texts.map((_, row) => composition.compose(row).graphemes)).toEqual(before)
    }),
  )
})
