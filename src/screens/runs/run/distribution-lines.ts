import { type Distribution, type Overlaid, scaleOf } from '../../../domain/runs/distribution.ts'
import { bar, box } from '../../../tui/theme/charts.ts'
import { formatCount, plural } from '../../../tui/theme/format.ts'
import { fit, widthOf } from '../../../tui/theme/text.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import { heading } from '../../../components/lines.ts'
import type { Span } from '../../../components/viewer/source.ts'
import type { Line } from '../../../components/viewer.tsx'

const LONGEST_BAR = 40
const LEAST_BAR = 6
const NAME = 7

/** `words` are those of an amount with its unit. */
type DistributionLook = { symbols: Symbols; width: number; words: (amount: number) => string }

/** How amounts spread: a line of percentiles, a box, and a bar for each range of amounts. */
export function distributionLines(distribution: Distribution, look: DistributionLook): Line[] {
  const { symbols } = look
  const { bins } = distribution
  const largest = Math.max(...bins.map(({ count }) => count))
  const { label, number, columns } = columnsFor([distribution], look)
  const drawn = boxOf(distribution, scaleOf([distribution]), symbols, columns)
  return [
    { text: percentiles(distribution, look), indent: 2 },
    ...(drawn === '' ? [] : [{ parts: [{ text: ' '.repeat(label + 3) + drawn, tone: 'muted' as const }] }]),
    ...bins.map(({ count }, index): Line => ({
      parts: [
        binLabel(distribution, index, label, look),
        { text: bar(symbols, count / largest, columns), tone: 'accent' },
        { text: ` ${fit(formatCount(count), number, 'right')}`, tone: 'plain' },
      ],
    })),
  ]
}

/** The boxes of two runs on one scale, each with its percentiles; none where one of them has no amounts. */
export function boxLines(title: string, both: Overlaid, look: DistributionLook): Line[] {
  if (!both) return []
  const scale = scaleOf([both.now, both.before])
  const columns = Math.max(LEAST_BAR, Math.min(2 * LONGEST_BAR, look.width - 60))
  return [
    heading(`${title} of ${plural(both.now.count, 'trial')}, before of ${formatCount(both.before.count)}`),
    ...(['now', 'before'] as const).map((side): Line => ({
      parts: [
        { text: `  ${fit(side, NAME)}`, tone: 'muted' },
        { text: boxOf(both[side], scale, look.symbols, columns), tone: side === 'now' ? 'accent' : 'muted' },
        { text: `  ${percentiles(both[side], look)}`, tone: 'plain' },
      ],
    })),
  ]
}

/** Boxes and ranges of two runs: the bar is of now, and its shade goes as far as that of before. */
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
        { text: ` ${fit(formatCount(bin.count), number, 'right')}`, tone: 'plain' },
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
  // Where before was less, its end is a gap in the bar.
  const end = lengthOf(before) < solid ? lengthOf(before) : undefined
  const text =
    end === undefined ? full.repeat(solid) : full.repeat(end) + symbols.lines.vertical + full.repeat(solid - end - 1)
  return [
    { text, tone: 'accent' },
    { text: empty.repeat(shade) + ' '.repeat(columns - solid - shade), tone: 'muted' },
  ]
}

function percentiles({ p50, p90, p95, most }: Distribution, { words }: DistributionLook): string {
  const marks = [
    ['p50', p50],
    ['p90', p90],
    ['p95', p95],
    ['most', most],
  ] as const
  return marks.map(([name, amount]) => `${name} ${words(amount)}`).join('   ')
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
  return { label, number, columns: Math.max(LEAST_BAR, Math.min(LONGEST_BAR, look.width - label - number - 6)) }
}
