import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HeatMap, HeatRow } from '../../domain/runs/heat.ts'
import { levelsOf, runTrend } from '../../domain/runs/trend.ts'
import { widthOf } from '../../tui/theme/text.ts'
import { createTheme, type Theme } from '../../tui/theme/theme.ts'
import { drawHeat, HEAT_HEAD, layoutHeat } from './heat-drawing.ts'

const themes = [
  createTheme({ level: 0, ascii: false }),
  createTheme({ level: 0, ascii: true }),
  createTheme({ level: 0, ascii: false, plain: true }),
]
const cells = fc.constantFrom<HeatRow['cells'][number]>(
  undefined,
  'unread',
  ...(['passed', 'failed', 'ungraded'] as const).map(outcome => ({ outcome, trialId: 't', error: undefined })),
)

function mapOf(titles: readonly string[], rows: readonly HeatRow['cells'][], runs: number): HeatMap {
  const columns = Array.from({ length: runs }, (_, index) => ({
    id: `r${index}`,
    suiteId: 's',
    runNumber: index + 1,
    status: 'completed',
    createdAt: index * 60_000,
    completedAt: index * 60_000 + (index < 3 ? 1000 : 4000),
    summary: { total: 10, passed: index < 3 ? 10 : 4, failed: index < 3 ? 0 : 6 },
  }))
  return {
    runs: columns,
    trend: runTrend(columns),
    rows: rows.map((row, index) => ({
      key: String(index),
      title: titles[index % titles.length] ?? '',
      cells: row,
      changes: index,
    })),
  }
}

const maps = fc
  .integer({ min: 0, max: 60 })
  .chain(runs =>
    fc.tuple(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }),
      fc.array(fc.array(cells, { minLength: runs, maxLength: runs }), { maxLength: 30 }),
      fc.constant(runs),
      fc.array(fc.option(fc.double(), { nil: undefined }), { minLength: runs, maxLength: runs }),
    ),
  )
  .map(([titles, rows, runs, values]) => {
    const figure = { values, levels: levelsOf(values, 0) }
    return { ...mapOf(titles, rows, runs), trend: { rate: figure, took: figure } }
  })

test.each(themes)('the heat map fits any size for any cases and runs, and shows the selected cell', theme =>
  fc.assert(
    fc.property(
      maps,
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 60 }),
      fc.nat(),
      (map, width, height, seed) => {
        const at = { row: seed % Math.max(1, map.rows.length), column: seed % Math.max(1, map.runs.length) }
        const layout = layoutHeat(map, at, { width, height }, theme)
        const lines = drawHeat(map, at, layout, theme, width)
        expect(Object.values({ ...layout, first: 0 }).every(Number.isInteger)).toBe(true)
        expect(lines.length).toBeLessThanOrEqual(Math.max(height, HEAT_HEAD + 1))
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
        if (layout.columns === 0 || map.rows.length === 0) return
        const line = lines[layout.head + at.row - layout.first.row]!
        const cell = map.rows[at.row]!.cells[at.column]
        const sign = cell === 'unread' ? cell : (cell?.outcome ?? 'absent')
        const column = layout.left + (at.column - layout.first.column) * layout.step
        // The text before the cell has the width of the layout.
        const before = [...new Intl.Segmenter().segment(line)].map(each => each.segment)
        let used = 0
        const there = before.find(segment => {
          used += widthOf(segment)
          return used > column
        })
        expect(there).toBe(theme.symbols.heat[sign])
      },
    ),
  ),
)

test('signs show the outcome without color, each by a letter if only ASCII is available', () => {
  const row: HeatRow['cells'] = [
    { outcome: 'passed', trialId: 't', error: undefined },
    { outcome: 'failed', trialId: 't', error: undefined },
    { outcome: 'ungraded', trialId: 't', error: undefined },
    undefined,
    'unread',
  ]
  const map = mapOf(['case'], [row], row.length)
  const at = { row: 0, column: 4 }
  const theme = themes[1]!
  const lines = drawHeat(map, at, layoutHeat(map, at, { width: 30, height: 3 }, theme), theme, 30)
  expect(lines).toEqual([' #1 to #5             -  ', '                      + v', '>case           P F B . ?'])
})

test('pass rate and duration are above the runs, with a mark where they changed', () => {
  const map = mapOf(['case'], [Array.from({ length: 6 }, () => undefined)], 6)
  const at = { row: 0, column: 0 }
  const drawn = (theme: Theme, height: number): string[] =>
    drawHeat(map, at, layoutHeat(map, at, { width: 30, height }, theme), theme, 30)
  expect(drawn(themes[0]!, 5)).toEqual([
    ' #1 to #6             ↓    ',
    ' Passed         ▇ ▇ ▇ ▃ ▃ ▃',
    ' Took to 4s     ▂ ▂ ▂ ▇ ▇ ▇',
    '                ▾     ↑    ',
    '▌case           · · · · · ·',
  ])
  // Taller bars would touch those of the plot above.
  expect(drawn(themes[0]!, 8).slice(1, 6)).toEqual([
    ' Passed         █ █ █      ',
    '                █ █ █ ▇ ▇ ▇',
    '',
    ' Took to 4s           █ █ █',
    '                ▄ ▄ ▄ █ █ █',
  ])
  expect(drawn(themes[2]!, 8)).toEqual([' #1 to #6', '', '>case           . . . . . .'])
})

test('cells are separated only if the titles, of at most forty columns, fit beside them', () => {
  const at = { row: 0, column: 0 }
  const layout = (title: number, width: number) => {
    const map = mapOf(['t'.repeat(title)], [Array.from({ length: 17 }, () => undefined)], 17)
    const { title: columns, step } = layoutHeat(map, at, { width, height: 20 }, themes[0]!)
    return { columns, step }
  }
  expect(layout(30, 68)).toEqual({ columns: 30, step: 2 })
  expect(layout(30, 67)).toEqual({ columns: 30, step: 1 })
  expect(layout(30, 50)).toEqual({ columns: 29, step: 1 })
  expect(layout(90, 78)).toEqual({ columns: 40, step: 2 })
})

test('two hundred cases in fifty runs are painted in stretches of equal cells', () => {
  const passed = { outcome: 'passed', trialId: 't', error: undefined } as const
  const failed = { outcome: 'failed', trialId: 't', error: undefined } as const
  const row = Array.from({ length: 50 }, (_, index) => (index < 40 ? passed : failed))
  const map = mapOf(
    ['case'],
    Array.from({ length: 200 }, () => row),
    50,
  )
  let paints = 0
  const theme = { ...themes[0]!, paint: (_tone: string, text: string) => ((paints += 1), text) }
  const at = { row: 0, column: 49 }
  const lines = drawHeat(map, at, layoutHeat(map, at, { width: 120, height: 202 }, theme), theme, 120)
  expect(lines).toHaveLength(202)
  // Each case has a title, a mark if it is flaky, and two colors; the selected case and the header have a few more.
  expect(paints).toBeLessThan(200 * 4 + 10)
})
