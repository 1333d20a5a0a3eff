import { shortRunName } from '../../api/contract/runs.ts'
import { isFlaky, type HeatMap, type HeatRow } from '../../domain/runs/heat.ts'
import { outcomeOfRun } from '../../domain/runs/outcome.ts'
import type { Figure } from '../../domain/runs/trend.ts'
import { plot } from '../../tui/theme/charts.ts'
import { formatDuration } from '../../lib/format.ts'
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
/** Minimum number of lines above the cases: the numbers of the runs, and the mark of the selected one. */
export const HEAT_HEAD = 2
/** Maximum number of rows of each plot. */
const MOST_PLOT = 4
/** Columns before the cells in addition to the title: pointer, flaky mark and the blanks around it. */
const AROUND = 4
const LEAST_TITLE = 12
/** Cells get a gap only if a title of this many columns fits beside them. */
const LONGEST_TITLE = 40

/** The visible part of a heat map: a page of rows and one of columns, so that most cursor moves scroll nothing. */
export type HeatLayout = {
  title: number
  step: number
  left: number
  first: At
  rows: number
  columns: number
  /** Lines above the cases, and rows of each of the two plots in them. */
  head: number
  plot: number
}

/** @param size size of the whole drawing, including the lines above the cases */
export function layoutHeat(
  map: HeatMap,
  at: At,
  size: { width: number; height: number },
  theme: Pick<Theme, 'symbols'>,
): HeatLayout {
  const count = map.runs.length
  const room = Math.max(0, size.width - AROUND)
  const widest = map.rows.reduce((most, { title }) => Math.max(most, widthOf(clean(title))), LEAST_TITLE)
  const step = 2 * count + Math.min(widest, LONGEST_TITLE) <= room ? 2 : 1
  const title = Math.min(widest, room, Math.max(LEAST_TITLE, room - step * count))
  const columns = Math.min(count, Math.floor((room - title) / step))
  const page = columns === 0 ? 0 : Math.floor((count - 1 - at.column) / columns)
  // The plots get the rows that the cases do not need, or a third of theirs.
  const most = size.height - HEAT_HEAD
  const above = Math.max(most - map.rows.length, most / 3)
  const plots = Math.max(Math.min(1, Math.floor(above / 2)), Math.floor((above - 1) / 2))
  const plot = theme.symbols.spark.length === 0 || columns === 0 ? 0 : Math.max(0, Math.min(MOST_PLOT, plots))
  const head = HEAT_HEAD + 2 * plot + gapOf(plot)
  const perPage = Math.max(1, size.height - head)
  const row = Math.floor(at.row / perPage) * perPage
  return {
    title,
    step,
    left: title + AROUND,
    first: { row, column: Math.max(0, count - columns * (page + 1)) },
    rows: Math.max(0, Math.min(perPage, map.rows.length - row)),
    columns,
    head,
    plot,
  }
}

/** Returns the rows between the two plots: without a gap, high bars would touch the other plot. */
function gapOf(plot: number): number {
  return plot > 1 ? 1 : 0
}

export function signOf(cell: HeatRow['cells'][number]): HeatSign {
  return cell === 'unread' ? cell : (cell?.outcome ?? 'absent')
}

/**
 * Returns the lines of a heat map, none wider than requested; the selected cell is inverse, its row and column are
 * marked.
 */
export function drawHeat(map: HeatMap, at: At, layout: HeatLayout, theme: Theme, width: number): string[] {
  const { first, rows, columns } = layout
  const { rate, took } = map.trend
  const head = headOf(layout, theme, width)
  const [from, to] = [map.runs[first.column], map.runs[first.column + columns - 1]]
  const isMarked = columns > 0 && !theme.plain
  const pointer: Cell = { text: theme.ascii ? 'v' : theme.symbols.unfolded, tone: 'accent' }
  const slower = marks(took, theme, ['warn', 'ok'])
  const slowest = took.values.reduce<number>((most, time) => (time !== undefined && time > most ? time : most), 0)
  const shares = took.values.map(time => time && time / slowest)
  const verdicts = map.runs.map((run, index): Tone => {
    const outcome = outcomeOfRun(run)
    return outcome === 'failed' ? 'error' : outcome === 'passed' && rate.values[index] === 1 ? 'ok' : 'warn'
  })
  const shown = map.rows.slice(first.row, first.row + rows)
  return [
    head(from && to ? `${shortRunName(from)} to ${shortRunName(to)}` : '', marks(rate, theme, ['ok', 'error'])),
    ...plots('Passed', rate.values, verdicts, { layout, theme, head }),
    ...Array.from({ length: gapOf(layout.plot) }, () => ''),
    ...plots(`Took to ${formatDuration(slowest)}`, shares, [], { layout, theme, head }),
    isMarked ? head('', column => (column === at.column ? pointer : slower(column))) : '',
    ...shown.map((row, index) =>
      drawRow(row, first.row + index === at.row ? at.column : undefined, layout, theme, width),
    ),
  ]
}

type Cell = { text: string; tone: Tone }
type CellOf = (column: number) => Cell

/** Draws a line above the cases: words at the left, and a cell for each visible run. */
function headOf({ left, first, columns, step }: HeatLayout, theme: Theme, width: number) {
  return (words: string, cellOf: CellOf): string => {
    const label = truncate(fit(` ${clean(words)}`, left - 1), width)
    if (columns === 0 || theme.plain) return theme.paint('muted', label.trimEnd())
    const cells = Array.from({ length: columns }, (_, index) => cellOf(first.column + index))
    return `${theme.paint('muted', label)} ${drawCells(cells, step, theme)}`
  }
}

const NO_MARK: Cell = { text: ' ', tone: 'plain' }

/** Marks where a figure rose or fell. */
function marks({ levels }: Figure, { symbols }: Theme, [up, down]: readonly [Tone, Tone]): CellOf {
  const at = new Map(levels.map(({ from }, index) => [from, index]))
  return column => {
    const index = at.get(column) ?? 0
    if (index === 0) return NO_MARK
    const isUp = levels[index]!.mean > levels[index - 1]!.mean
    return isUp ? { text: symbols.ascending, tone: up } : { text: symbols.descending, tone: down }
  }
}

function plots(
  title: string,
  shares: readonly (number | undefined)[],
  tones: readonly Tone[],
  { layout, theme, head }: { layout: HeatLayout; theme: Theme; head: ReturnType<typeof headOf> },
): string[] {
  if (layout.plot === 0) return []
  return plot(theme.symbols, shares, layout.plot).map((signs, row) => {
    const cells = [...signs]
    return head(row === 0 ? title : '', column => ({ text: cells[column]!, tone: tones[column] ?? 'accent' }))
  })
}

function drawRow(row: HeatRow, chosen: number | undefined, layout: HeatLayout, theme: Theme, width: number): string {
  const { symbols } = theme
  const { title, step, first, columns } = layout
  if (width <= AROUND) return truncate(clean(row.title), width)
  const isChosen = chosen !== undefined
  const name = theme.paint(isChosen ? 'strong' : 'plain', fit(clean(row.title), title))
  const mark = isFlaky(row) ? theme.paint('warn', symbols.flaky) : ' '
  const start = `${isChosen ? theme.paint('accent', symbols.pointer) : ' '}${name} ${mark} `
  const cells = row.cells.slice(first.column, first.column + columns).map((cell, index): Cell => {
    const sign = signOf(cell)
    return { text: symbols.heat[sign], tone: first.column + index === chosen ? 'cursor' : TONES[sign] }
  })
  return start + drawCells(cells, step, theme)
}

/** Paints neighbors of one color together; the blank after a cell has its color, except for the selected one. */
function drawCells(cells: readonly Cell[], step: number, theme: Theme): string {
  const spans: Cell[] = []
  const add = (tone: Tone, text: string): void => {
    const last = spans.at(-1)
    const isBlank = text.trim() === '' && last?.tone !== 'cursor'
    if (last && (last.tone === tone || isBlank)) last.text += text
    else spans.push({ tone, text })
  }
  cells.forEach(({ text, tone }, index) => {
    const gap = index + 1 < cells.length ? ' '.repeat(step - 1) : ''
    add(tone, tone === 'cursor' ? text : text + gap)
    if (tone === 'cursor') add('plain', gap)
  })
  return spans.map(({ tone, text }) => theme.paint(tone, text)).join('')
}
