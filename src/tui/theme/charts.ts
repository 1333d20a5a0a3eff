import type { Symbols } from './theme.ts'

/**
 * A bar of this many columns for a share from 0 to 1: only what is all fills it, and only what is nothing leaves it
 * empty. Nothing where the theme draws nothing.
 */
export function bar({ bar: [full, empty] }: Pick<Symbols, 'bar'>, share: number, columns: number): string {
  const part = Math.min(1, Math.max(0, Number.isNaN(share) ? 0 : share))
  const room = Math.max(0, Math.floor(columns))
  const least = part > 0 ? 1 : 0
  const most = part < 1 ? Math.max(least, room - 1) : room
  const filled = Math.min(room, most, Math.max(least, Math.round(part * room)))
  return full.repeat(filled) + empty.repeat(room - filled)
}

/** A character for each share from 0 to 1, a space for each that is unknown. Nothing where the theme draws nothing. */
export function sparkline({ spark }: Pick<Symbols, 'spark'>, shares: readonly (number | undefined)[]): string {
  if (spark.length === 0) return ''
  const top = spark.length - 1
  const signs = shares.map(share =>
    share === undefined || Number.isNaN(share) ? ' ' : spark[Math.min(top, Math.max(0, Math.floor(share * top)))]!,
  )
  return signs.join('')
}
