import '../../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TRIAL_CLASSES, type TrialClass } from '../../../domain/runs/trial-class.ts'
import type { Span } from '../../../components/viewer/source.ts'
import { paintSpans } from '../../../components/viewer/spans.ts'
import { createTheme } from '../../../tui/theme/theme.ts'
import { widthOf } from '../../../tui/theme/text.ts'
import { wallLegend, wallOf, wallRows } from './wall.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const drawn = (classes: readonly TrialClass[], total: number, room: { columns: number; rows: number }): string[] =>
  wallRows(wallOf(classes, total, room), symbols).map(spans => spans.map(({ text }) => text).join(''))

test('each trial has a cell at its position in the run, which shows the current state of the trial', () => {
  const room = { columns: 24, rows: 3 }
  expect(drawn(['passed', 'running', 'pending', 'pending'], 6, room)).toEqual(['■ ● · · ░ ░ '])
  expect(drawn(['passed', 'failed', 'running', 'pending', 'pending', 'timed_out'], 6, room)).toEqual(['■ ✗ ● · · ! '])
})

test('in a long run a cell covers several trials, and shows the worst of them', () => {
  const classes = Array.from({ length: 20_000 }, (_, index): TrialClass => (index === 12_345 ? 'failed' : 'passed'))
  const wall = wallOf(classes, 20_000, { columns: 57, rows: 4 })
  expect(wall).toMatchObject({ columns: 50, step: 1, trialsEach: 100 })
  expect(wall.cells.indexOf('failed')).toBe(123)
  const legend = wallLegend(wall, symbols).map(({ text }) => text)
  expect(legend.join('')).toBe('■ passed  ✗ failed  each the worst of 100')
})

test('a sign has the same colour in the legend', () => {
  const wall = wallOf(['passed', 'failed', 'timed_out', 'running'], 5, { columns: 24, rows: 3 })
  const signs = (spans: readonly Span[]) =>
    spans.filter(({ tone }) => tone !== 'muted').map(({ text, tone }) => [text.trim(), tone])
  expect(signs(wallLegend(wall, symbols))).toEqual(signs(wallRows(wall, symbols)[0]!))
})

test('the selected trial is inverse and keeps the color of its verdict', () => {
  const theme = createTheme({ level: 3, ascii: false })
  const wall = wallOf(['failed', 'passed'], 2, { columns: 24, rows: 3 })
  const row = (chosen: number) => paintSpans(theme, wallRows(wall, theme.symbols, chosen)[0]!)
  expect(row(0)).toContain(theme.paint('cursor', theme.paint('error', '✗')))
  expect(row(1)).toContain(theme.paint('cursor', theme.paint('ok', '■')))
})

test('any run fits, and no failure is hidden', () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...TRIAL_CLASSES), { maxLength: 400 }),
      fc.nat({ max: 500 }),
      fc.record({ columns: fc.integer({ min: 1, max: 120 }), rows: fc.integer({ min: 1, max: 8 }) }),
      fc.nat(),
      (classes, total, room, seed) => {
        const wall = wallOf(classes, total, room)
        const chosen = seed % Math.max(1, wall.cells.length)
        const rows = wallRows(wall, symbols, chosen)
        expect(rows.length).toBeLessThanOrEqual(room.rows)
        for (const row of rows)
          expect(
            widthOf(
              row
                .map(({ text }) => text)
                .join('')
                .trimEnd(),
            ),
          ).toBeLessThanOrEqual(room.columns)
        const cursors = rows.flat().filter(({ isCursor }) => isCursor)
        expect(cursors).toHaveLength(wall.cells.length > 0 ? 1 : 0)
        expect(wall.cells.includes('failed')).toBe(classes.includes('failed'))
        expect(wall.cells.every(cell => cell === 'passed')).toBe(
          classes.every(each => each === 'passed') && classes.length >= total,
        )
      },
    ),
  ))
