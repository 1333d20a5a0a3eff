import { formatCount } from '../../lib/format.ts'

/** Sentence about what every launch uses up. */
export const LAUNCH_COST = 'It occupies a run slot of the organization and spends whatever its models and servers cost.'

/** Returns names with their counts: `3 failed, 1 timed out`; `none` if there are none. */
export function tally(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name.replaceAll('_', ' ')}`)
  return parts.length > 0 ? parts.join(', ') : 'none'
}

/**
 * Returns a share in percent, cut after one decimal, so that 94.96% never reads as 95%.
 * @param fraction any number, since a service may send one
 */
export function shareLabel(fraction: number): string {
  const tenths = fraction * 1000
  return `${Number.isFinite(tenths) ? Math.floor(tenths + 1e-9) / 10 : fraction}%`
}
