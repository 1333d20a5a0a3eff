import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ENTER } from './modes.ts'
import { pictureOf } from './picture.ts'
import type { Rectangle } from './region.ts'
import { createScreen, type Screen } from './screen.ts'
import { Emulator } from '../../../test/terminal/emulator.ts'

type Colour = { kind: 'default' } | { kind: '16' | '256'; index: number } | { kind: 'rgb'; value: number }
type Look = { bold: boolean; dim: boolean; underline: boolean; inverse: boolean; fg: Colour; bg: Colour }
type Token = { text: string; width: number; sure: boolean }
type Span = { look: Look; tokens: Token[] }
type Line = Span[]
type Cell = { piece: object; token: Token; offset: number; look: Look }
type Step =
  | { do: 'frame'; lines: Line[] }
  | { do: 'paint' | 'move'; id: string; at: Rectangle; lines: Line[] }
  | { do: 'hide' | 'close'; id: string }
  | { do: 'resize'; columns: number; rows: number }
  | { do: 'redraw' }

const PLAIN_LOOK: Look = {
  bold: false,
  dim: false,
  underline: false,
  inverse: false,
  fg: { kind: 'default' },
  bg: { kind: 'default' },
}
const SPACE: Token = { text: ' ', width: 1, sure: true }

const token: fc.Arbitrary<Token> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'ab7 .  Zé─Жα…✓✗').map(text => ({ text, width: 1, sure: true })) },
  { weight: 2, arbitrary: fc.constantFrom(...'漢한カ').map(text => ({ text, width: 2, sure: true })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('😀', '👩‍👩‍👧', '❤️', '🇩🇪', '👍🏽', '⌚', '1️⃣').map(text => ({ text, width: 2, sure: false })),
  },
  { weight: 1, arbitrary: fc.constantFrom('e\u0301', 'ä\u0323').map(text => ({ text, width: 1, sure: false })) },
)
const colour: fc.Arbitrary<Colour> = fc.oneof(
  fc.constant<Colour>({ kind: 'default' }),
  // This color is frequent, so that rows often end in the color that the pen has from the row before.
  fc.constant<Colour>({ kind: '256', index: 246 }),
  fc.record({ kind: fc.constant('16' as const), index: fc.nat(15) }),
  fc.record({ kind: fc.constant('256' as const), index: fc.integer({ min: 16, max: 255 }) }),
  fc.record({ kind: fc.constant('rgb' as const), value: fc.nat(0xffffff) }),
)
const flag = fc.boolean()
const look: fc.Arbitrary<Look> = fc.oneof(
  fc.constant(PLAIN_LOOK),
  fc.record({ bold: flag, dim: flag, underline: flag, inverse: flag, fg: colour, bg: colour }),
)
const gap = fc.integer({ min: 6, max: 16 }).map(cells => Array.from({ length: cells }, () => SPACE))
const tokens = fc.oneof({ weight: 4, arbitrary: fc.array(token, { maxLength: 8 }) }, { weight: 1, arbitrary: gap })
const line: fc.Arbitrary<Line> = fc.array(fc.record({ look, tokens }), { maxLength: 4 })
const lines = fc.array(line, { maxLength: 8 })
const id = fc.constantFrom('list', 'dialog')
const at = fc.record({
  row: fc.nat(6),
  column: fc.nat(18),
  width: fc.integer({ min: 1, max: 12 }),
  height: fc.integer({ min: 1, max: 4 }),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('frame' as const), lines }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('paint' as const, 'move' as const), id, at, lines }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('hide' as const, 'close' as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('resize' as const),
      columns: fc.integer({ min: 4, max: 24 }),
      rows: fc.integer({ min: 2, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redraw' as const) }) },
)

for (const modernWidths of [false, true]) {
  test(`the emulator shows the composed grid with ${modernWidths ? 'modern' : 'old'} widths`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async steps => {
        const emulator = new Emulator({ columns: 20, rows: 6, modernWidths })
        const screen = createScreen(emulator)
        screen.enter()
        const model = new Model()
        for (const next of steps) {
          apply(next, screen, emulator, model)
          await Promise.resolve()
          await emulator.drawn()
          expectShown(emulator, model.compose(emulator.columns, emulator.rows))
        }
        expect(emulator.terminal.buffer.active.baseY).toBe(0)
      }),
      { numRuns: 150 },
    )
  })
}

test('a screen continues from an adopted frame as if it had painted it', async () => {
  await fc.assert(
    fc.asyncProperty(lines, lines, fc.array(step, { maxLength: 6 }), async (first, second, steps) => {
      const before = createScreen(new Emulator({ columns: 20, rows: 6 }))
      before.stdout.write(first.map(lineText).join('\n') || '\n')
      await Promise.resolve()
      const picture = before.snapshot()
      const emulator = new Emulator({ columns: 20, rows: 6 })
      emulator.write(ENTER + pictureOf(picture, emulator))
      const screen = createScreen(emulator)
      const model = new Model()
      screen.adopt(picture)
      screen.stdout.write(second.map(lineText).join('\n') || '\n')
      await Promise.resolve()
      await emulator.drawn()
      model.frame = first
      expectShown(emulator, model.compose(20, 6))
      screen.release()
      model.frame = second
      await emulator.drawn()
      expectShown(emulator, model.compose(20, 6))
      for (const next of steps) apply(next, screen, emulator, model)
      await Promise.resolve()
      await emulator.drawn()
      expectShown(emulator, model.compose(emulator.columns, emulator.rows))
    }),
    { numRuns: 150 },
  )
})

function apply(step: Step, screen: Screen, emulator: Emulator, model: Model): void {
  if (step.do === 'frame') {
    model.frame = step.lines
    screen.stdout.write(`\x1b[2K\x1b[1A\x1b[2K\x1b[G${step.lines.map(lineText).join('\n') || '\n'}`)
  } else if (step.do === 'paint' || step.do === 'move') {
    const known = model.regions.get(step.id)
    const region = screen.region(step.id, step.at)
    const shown = step.do === 'paint' ? step.lines : (known?.lines ?? [])
    // A moved region shows its old lines at the new position, as many rows as were painted.
    const painted = step.do === 'paint' ? step.at.height : Math.min(step.at.height, known?.painted ?? 0)
    if (step.do === 'paint') region.paint(step.lines.map(lineText))
    model.regions.set(step.id, { at: step.at, lines: shown, painted })
  } else if (step.do === 'hide' || step.do === 'close') {
    const known = model.regions.get(step.id)
    if (known === undefined) return
    const region = screen.region(step.id, known.at)
    region[step.do]()
    if (step.do === 'close') model.regions.delete(step.id)
    else model.regions.set(step.id, { ...known, lines: [], painted: 0 })
  } else if (step.do === 'resize') emulator.resizeTo(step.columns, step.rows)
  else screen.redraw()
}

/** The expected grid, built from tokens without the code under test. */
class Model {
  frame: Line[] = []
  readonly regions = new Map<string, { at: Rectangle; lines: Line[]; painted: number }>()

  compose(columns: number, rows: number): Cell[][] {
    const grid = Array.from({ length: rows }, (_, row) => cells(this.frame[row] ?? [], columns))
    for (const { at, lines: shown, painted } of this.regions.values()) {
      for (let index = 0; index < Math.min(at.height, painted); index++) {
        const under = grid[at.row + index]
        if (under === undefined) continue
        const above = cutHalves(cells(shown[index] ?? [], at.width))
        for (const [offset, cell] of above.entries()) {
          if (at.column + offset < columns) under[at.column + offset] = cell
        }
        grid[at.row + index] = cutHalves(under)
      }
    }
    return grid.map(cutHalves)
  }
}

function cells(from: Line, width: number): Cell[] {
  const row: Cell[] = []
  for (const span of from) {
    for (const placed of span.tokens) {
      const piece = {}
      for (let offset = 0; offset < placed.width; offset++) row.push({ piece, token: placed, offset, look: span.look })
    }
  }
  while (row.length < width) row.push({ piece: {}, token: SPACE, offset: 0, look: PLAIN_LOOK })
  return row.slice(0, width)
}

/** Replaces the remaining cells of cut wide characters with blanks of the same style. */
function cutHalves(row: Cell[]): Cell[] {
  return row.map((cell, column) => {
    const whole = Array.from({ length: cell.token.width }, (_, offset) => row[column - cell.offset + offset])
    const isWhole = whole.every((part, offset) => part?.piece === cell.piece && part.offset === offset)
    return isWhole ? cell : { piece: {}, token: SPACE, offset: 0, look: cell.look }
  })
}

function lineText(from: Line): string {
  return from.map(span => `\x1b[0${sgr(span.look)}m${span.tokens.map(({ text }) => text).join('')}`).join('') + '\x1b[m'
}

function sgr(wanted: Look): string {
  const flags = `${wanted.bold ? ';1' : ''}${wanted.dim ? ';2' : ''}${wanted.underline ? ';4' : ''}${wanted.inverse ? ';7' : ''}`
  return flags + colourSgr(wanted.fg, 30) + colourSgr(wanted.bg, 40)
}

function colourSgr(wanted: Colour, base: number): string {
  if (wanted.kind === 'default') return ''
  if (wanted.kind === '256') return `;${base + 8};5;${wanted.index}`
  if (wanted.kind === 'rgb') {
    return `;${base + 8};2;${wanted.value >> 16};${(wanted.value >> 8) & 255};${wanted.value & 255}`
  }
  return `;${wanted.index < 8 ? base + wanted.index : base + 52 + wanted.index}`
}

function expectShown(emulator: Emulator, grid: Cell[][]): void {
  const wrong = grid.flatMap((expected, row) =>
    expected.flatMap((wanted, column) => {
      // If terminals disagree on the width, each chooses the content of the second cell.
      if (wanted.offset > 0 && !wanted.token.sure) return []
      const cell = emulator.cell(row, column)
      const shown = cell.getChars() === '' && cell.getWidth() === 1 ? ' ' : cell.getChars()
      const { text, sure } = wanted.token
      const isText = sure ? shown === (wanted.offset === 0 ? text : '') : startsWith(text, shown)
      const shows = shown === ' ' ? seenOnBlank : sgr
      const [look, wantedLook] = [shows(shownLook(cell)), shows(wanted.look)]
      return isText && look === wantedLook ? [] : [{ row, column, shown, text, look, wantedLook }]
    }),
  )
  expect(wrong).toEqual([])
}

/**
 * Compares without joiners: a terminal without grapheme clusters keeps all joiners of a cluster cut by the right edge.
 */
function startsWith(text: string, shown: string): boolean {
  const start = shown.replaceAll('\u200d', '')
  return start !== '' && text.replaceAll('\u200d', '').startsWith(start)
}

/** The foreground color and weight of a blank are visible only if it is underlined or inverse. */
function seenOnBlank(wanted: Look): string {
  return sgr(wanted.underline || wanted.inverse ? wanted : { ...PLAIN_LOOK, bg: wanted.bg })
}

function shownLook(cell: ReturnType<Emulator['cell']>): Look {
  return {
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    underline: cell.isUnderline() !== 0,
    inverse: cell.isInverse() !== 0,
    fg: shownColour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    bg: shownColour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
  }
}

function shownColour(isDefault: boolean, isRgb: boolean, value: number): Colour {
  if (isDefault) return { kind: 'default' }
  if (isRgb) return { kind: 'rgb', value }
  return { kind: value < 16 ? '16' : '256', index: value }
}
