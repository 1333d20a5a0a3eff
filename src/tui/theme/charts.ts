import type { Symbols } from './theme.ts'

/**
 * Returns a bar of this many columns for a share from 0 to 1. If there are several columns, only a share of 1 fills
 * all, and only a share of 0, or NaN, fills none. The bar is an empty text if the theme draws no charts.
 */
export function bar({ bar: [full, empty] }: Pick<Symbols, 'bar'>, share: number, columns: number): string {
  const part = Number.isNaN(share) ? 0 : within(share)
  const room = Math.max(0, Math.floor(columns))
  const least = part > 0 ? 1 : 0
  const most = part < 1 ? Math.max(least, room - 1) : room
  const filled = Math.min(room, most, Math.max(least, Math.round(part * room)))
  return full.repeat(filled) + empty.repeat(room - filled)
}

/**
 * Returns this many rows of text, the top one first, which draw a column for each share from 0 to 1. Only a share of 1
 * fills its column, and unknown shares are gaps. No rows if the theme draws no charts.
 */
export function plot(
  { spark, lowSpark }: Pick<Symbols, 'spark' | 'lowSpark'>,
  shares: readonly (number | undefined)[],
  rows: number,
): string[] {
  const signs = rows === 1 ? lowSpark : spark
  const levels = signs.length
  if (levels === 0) return []
  const heights = shares.map(share =>
    share === undefined || Number.isNaN(share) ? 0 : 1 + Math.floor(within(share) * (levels * rows - 1)),
  )
  return Array.from({ length: rows }, (_, row) =>
    heights.map(height => signs[Math.min(levels, height - levels * (rows - 1 - row)) - 1] ?? ' ').join(''),
  )
}

/** Returns a character for each share from 0 to 1, a space for each unknown one. Empty if the theme draws no charts. */
export function sparkline(
  symbols: Pick<Symbols, 'spark' | 'lowSpark'>,
  shares: readonly (number | undefined)[],
): string {
  return plot(symbols, shares, 1)[0] ?? ''
}

/**
 * Returns a box plot for five ascending shares from 0 to 1: the minimum, the middle half with its median, and the
 * maximum. Empty if the theme draws no charts.
 */
export function box({ box: [median, half], lines }: Symbols, shares: readonly number[], columns: number): string {
  const room = Math.max(1, Math.floor(columns))
  const places = shares.map(share => Math.round(within(share) * (room - 1)))
  const [least = 0, low = 0, middle = 0, high = 0, most = 0] = places
  const signs = Array.from({ length: median === '' ? 0 : room }, (_, at) => {
    if (at === middle) return median
    if (at >= low && at <= high) return half
    if (at === least) return lines.tees[2]
    return at === most ? lines.tees[3] : at > least && at < most ? lines.horizontal : ' '
  })
  return signs.join('')
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share))
}
