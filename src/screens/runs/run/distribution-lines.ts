import type { Distribution } from '../../../domain/runs/distribution.ts'
import { bar } from '../../../tui/theme/charts.ts'
import { formatCount } from '../../../tui/theme/format.ts'
import { fit, widthOf } from '../../../tui/theme/text.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import type { Line } from '../../../components/viewer.tsx'

/** Columns of the longest bar. */
const LONGEST_BAR = 40
const LEAST_BAR = 6

/** How amounts spread: a line of percentiles, and a bar for each range of amounts. */
export function distributionLines(
  { p50, p90, p95, most, bins }: Distribution,
  look: { symbols: Symbols; width: number; words: (amount: number) => string },
): Line[] {
  const { symbols, words } = look
  const marks = [
    ['p50', p50],
    ['p90', p90],
    ['p95', p95],
    ['most', most],
  ] as const
  const labels = bins.map(({ from, to }) => `${words(from)} to ${words(to)}`)
  const label = Math.max(...labels.map(widthOf))
  const largest = Math.max(...bins.map(({ count }) => count))
  const number = formatCount(largest).length
  const columns = Math.max(LEAST_BAR, Math.min(LONGEST_BAR, look.width - label - number - 6))
  return [
    { text: marks.map(([name, amount]) => `${name} ${words(amount)}`).join('   '), indent: 2 },
    ...bins.map(({ count }, index): Line => ({
      parts: [
        { text: `  ${fit(labels[index]!, label, 'right')} `, tone: 'muted' },
        { text: bar(symbols, count / largest, columns), tone: 'accent' },
        { text: ` ${fit(formatCount(count), number, 'right')}`, tone: 'plain' },
      ],
    })),
  ]
}
