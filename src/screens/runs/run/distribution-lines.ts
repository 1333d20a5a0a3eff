import { type Distribution, type Overlaid, scaleOf } from '../../../domain/runs/distribution.ts'
import { bar, box } from '../../../tui/theme/charts.ts'
import { formatCount, plural } from '../../../lib/format.ts'
import { fit, widthOf } from '../../../tui/theme/text.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import { heading } from '../../../components/lines.ts'
import type { Span } from '../../../components/viewer/source.ts'
import type { Line } from '../../../components/viewer.tsx'

const LONGEST_BAR = 40
/** Columns around label, bar and number: blanks between them, and the margins of the outline. */
const LEADS = 8
const LEAST_BAR = 6
const NAME = 7
const BETWEEN = '  '
/** Labels of amounts, from the smallest to the largest. */
const MARKS = ['least', 'p25', 'p50', 'p75', 'p90', 'p95', 'most'] as const
type Mark = (typeof MARKS)[number]

/** `words` formats an amount with its unit. */
type DistributionLook = { symbols: Symbols; width: number; words: (amount: number) => string }

/** Draws how amounts are distributed: two lines of percentiles, a box, and a bar for each range. */
export function distributionLines(distribution: Distribution, look: DistributionLook): Line[] {
  const { symbols } = look
  const { bins } = distribution
  const largest = Math.max(...bins.map(({ count }) => count))
  const { label, number, columns } = columnsFor([distribution], look)
  const drawn = boxOf(distribution, scaleOf([distribution]), symbols, columns)
  return [
    { parts: amounts(distribution, ['least', 'p25', 'p50', 'p75'], look) },
    { parts: amounts(distribution, ['p90', 'p95', 'most'], look) },
    ...(drawn === '' ? [] : [{ parts: [{ text: ' '.repeat(label + 3) + drawn, tone: 'muted' as const }] }]),
    ...bins.map(({ count }, index): Line => ({
      parts: [
        binLabel(distribution, index, label, look),
        { text: bar({ bar: [symbols.bar[0], symbols.bar[0] && ' '] }, count / largest, columns), tone: 'accent' },
        countSpan(count, number),
      ],
    })),
  ]
}

/**
 * Draws two runs below each other: their percentiles in columns, followed by the boxes on one scale if there is room.
 * Empty if one of the runs has no amounts.
 */
export function boxLines(title: string, both: Overlaid, { symbols, width, words }: DistributionLook): Line[] {
  if (!both) return []
  const sides = (['now', 'before'] as const).map(name => ({ name, distribution: both[name] }))
  const widths = MARKS.map(mark =>
    Math.max(widthOf(mark), ...sides.map(({ distribution }) => widthOf(words(distribution[mark])))),
  )
  const row = (name: string, textOf: (mark: Mark) => string): string =>
    `  ${fit(name, NAME)}${MARKS.map((mark, index) => fit(textOf(mark), widths[index]!, 'right')).join(BETWEEN)}`
  const scale = scaleOf([both.now, both.before])
  const titles = row('', mark => mark)
  const columns = Math.min(2 * LONGEST_BAR, width - widthOf(titles) - 2 * BETWEEN.length)
  const boxAfter = (distribution: Distribution): string =>
    columns < LEAST_BAR ? '' : BETWEEN + boxOf(distribution, scale, symbols, columns)
  return [
    heading(`${title} of ${plural(both.now.count, 'trial')}, before of ${formatCount(both.before.count)}`),
    { parts: [{ text: titles, tone: 'muted' }] },
    ...sides.map(({ name, distribution }): Line => ({
      parts: [
        { text: row(name, mark => words(distribution[mark])), tone: 'plain' },
        { text: boxAfter(distribution), tone: name === 'now' ? 'accent' : 'muted' },
      ],
    })),
  ]
}

/** Draws boxes and ranges of two runs: the bar is the current run, and its shade the earlier one. */
export function overlaidLines(title: string, both: Overlaid, look: DistributionLook): Line[] {
  if (!both) return []
  const { now, before } = both
  const { label, number, columns } = columnsFor([now, before], look)
  const shareOf = ({ bins, count }: Distribution, index: number): number => bins[index]!.count / count
  const largest = Math.max(...now.bins.flatMap((_, index) => [shareOf(now, index), shareOf(before, index)]))
  return [
    ...boxLines(title, both, look),
    ...now.bins.map((bin, index): Line => ({
      parts: [
        binLabel(now, index, label, look),
        ...overlaidBar(shareOf(now, index) / largest, shareOf(before, index) / largest, look.symbols, columns),
        countSpan(bin.count, number),
        { text: `, before ${formatCount(before.bins[index]!.count)}`, tone: 'muted' },
      ],
    })),
  ]
}

function overlaidBar(now: number, before: number, symbols: Symbols, columns: number): Span[] {
  const [full, empty] = symbols.bar
  const lengthOf = (share: number): number => (share > 0 ? Math.max(1, Math.round(share * columns)) : 0)
  const [solid, shade] = [lengthOf(now), Math.max(0, lengthOf(before) - lengthOf(now))]
  if (full === '') return []
  // If the earlier run had less, its end is a gap in the bar.
  const end = lengthOf(before) < solid ? lengthOf(before) : undefined
  const text =
    end === undefined ? full.repeat(solid) : full.repeat(end) + symbols.lines.vertical + full.repeat(solid - end - 1)
  return [
    { text, tone: 'accent' },
    { text: empty.repeat(shade) + ' '.repeat(columns - solid - shade), tone: 'muted' },
  ]
}

function countSpan(count: number, columns: number): Span {
  return { text: ` ${fit(formatCount(count), columns, 'right')}`, tone: count === 0 ? 'muted' : 'plain' }
}

function amounts(distribution: Distribution, marks: readonly Mark[], { words }: DistributionLook): Span[] {
  return marks.flatMap((mark, index): Span[] => [
    { text: `${' '.repeat(index > 0 ? 3 : 2)}${mark} `, tone: 'muted' },
    { text: words(distribution[mark]), tone: 'plain' },
  ])
}

function boxOf(
  { least, p25, p50, p75, most }: Distribution,
  scale: (amount: number) => number,
  symbols: Symbols,
  columns: number,
): string {
  return box(symbols, [least, p25, p50, p75, most].map(scale), columns)
}

function rangeOf({ bins }: Distribution, index: number, { words }: DistributionLook): string {
  return `${words(bins[index]!.from)} to ${words(bins[index]!.to)}`
}

function binLabel(distribution: Distribution, index: number, columns: number, look: DistributionLook): Span {
  return { text: `  ${fit(rangeOf(distribution, index, look), columns, 'right')} `, tone: 'muted' }
}

function columnsFor(all: readonly Distribution[], look: DistributionLook) {
  const [first] = all
  const label = Math.max(...first!.bins.map((_, index) => widthOf(rangeOf(first!, index, look))))
  const number = Math.max(...all.flatMap(({ bins }) => bins.map(({ count }) => formatCount(count).length)))
  return { label, number, columns: Math.max(LEAST_BAR, Math.min(LONGEST_BAR, look.width - label - number - LEADS)) }
}
