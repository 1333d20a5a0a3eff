import { shortRunName } from '../../api/contract/runs.ts'
import { isFlaky, type HeatMap, type HeatRow } from '../../domain/runs/heat.ts'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import type { Theme, Tone } from '../../tui/theme/theme.ts'

export type HeatSign = keyof Theme['symbols']['heat']
type At = { row: number; column: number }

const TONES: Record<HeatSign, Tone> = {
  passed: 'ok',
  failed: 'error',
  ungraded: 'warn',
  absent: 'muted',
  unread: 'muted',
}
/** Lines above the cases: the numbers of the runs, and the mark of the chosen one. */
export const HEAT_HEAD = 2
/** Columns before the cells beside the title: pointer, flaky mark and the blanks around it. */
const AROUND = 4
const LEAST_TITLE = 12

/** Where what is drawn stands: a page of rows and one of columns, so that most moves of the cursor scroll nothing. */
export type HeatLayout = { title: number; step: number; left: number; first: At; rows: number; columns: number }

/** @param size of everything that is drawn, with the lines above the cases */
export function layoutHeat(map: HeatMap, at: At, size: { width: number; height: number }): HeatLayout {
  const count = map.runs.length
  const room = Math.max(0, size.width - AROUND)
  const widest = map.rows.reduce((most, { title }) => Math.max(most, widthOf(clean(title))), 0)
  const step = 2 * count + Math.min(LEAST_TITLE, widest) <= room ? 2 : 1
  const title = Math.min(widest, room, Math.max(LEAST_TITLE, room - step * count))
  const columns = Math.min(count, Math.floor((room - title) / step))
  const page = columns === 0 ? 0 : Math.floor((count - 1 - at.column) / columns)
  const perPage = Math.max(1, size.height - HEAT_HEAD)
  const row = Math.floor(at.row / perPage) * perPage
  return {
    title,
    step,
    left: title + AROUND,
    first: { row, column: Math.max(0, count - columns * (page + 1)) },
    rows: Math.max(0, Math.min(perPage, map.rows.length - row)),
    columns,
  }
}

export function signOf(cell: HeatRow['cells'][number]): HeatSign {
  return cell === 'unread' ? cell : (cell?.outcome ?? 'absent')
}

/** The lines of a heat map, none wider than asked for; the chosen cell is inverse, its row and column are marked. */
export function drawHeat(map: HeatMap, at: At, layout: HeatLayout, theme: Theme, width: number): string[] {
  const { first, rows, columns, left, step } = layout
  const marker = (): string => ' '.repeat(left + (at.column - first.column) * step) + theme.symbols.unfolded
  const shown = map.rows.slice(first.row, first.row + rows)
  return [
    theme.paint('muted', truncate(' '.repeat(left) + axis(map, layout), width)),
    columns === 0 || theme.plain ? '' : theme.paint('accent', truncate(marker(), width)),
    ...shown.map((row, index) =>
      drawRow(row, first.row + index === at.row ? at.column : undefined, layout, theme, width),
    ),
  ]
}

/** The oldest and the newest run that show. */
function axis({ runs }: HeatMap, { first, columns, step }: HeatLayout): string {
  const last = runs[first.column + columns - 1]
  if (columns === 0 || !last) return ''
  const [from, to] = [shortRunName(runs[first.column]!), shortRunName(last)].map(clean) as [string, string]
  const between = columns * step - (step - 1) - widthOf(from) - widthOf(to)
  return between > 0 ? from + ' '.repeat(between) + to : to
}

function drawRow(row: HeatRow, chosen: number | undefined, layout: HeatLayout, theme: Theme, width: number): string {
  const { symbols } = theme
  const { title, step, first, columns } = layout
  if (width <= AROUND) return truncate(clean(row.title), width)
  const isChosen = chosen !== undefined
  const name = theme.paint(isChosen ? 'strong' : 'plain', fit(clean(row.title), title))
  const mark = isFlaky(row) ? theme.paint('warn', symbols.changed) : ' '
  const start = `${isChosen ? theme.paint('accent', symbols.pointer) : ' '}${name} ${mark} `
  return start + drawCells(row.cells.slice(first.column, first.column + columns), chosen, { first, step }, theme)
}

/** Neighbours of one colour are painted at once; the blank behind a cell has its colour, but for the chosen one. */
function drawCells(
  cells: HeatRow['cells'],
  chosen: number | undefined,
  { first, step }: Pick<HeatLayout, 'first' | 'step'>,
  theme: Theme,
): string {
  const spans: { tone: Tone; text: string }[] = []
  const add = (tone: Tone, text: string): void => {
    const last = spans.at(-1)
    if (last?.tone === tone) last.text += text
    else spans.push({ tone, text })
  }
  cells.forEach((cell, index) => {
    const sign = signOf(cell)
    const gap = index + 1 < cells.length ? ' '.repeat(step - 1) : ''
    const isChosen = first.column + index === chosen
    add(isChosen ? 'cursor' : TONES[sign], theme.symbols.heat[sign] + (isChosen ? '' : gap))
    if (isChosen) add('plain', gap)
  })
  return spans.map(({ tone, text }) => theme.paint(tone, text)).join('')
}
