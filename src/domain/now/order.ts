import { NOW_KINDS, type NowLine, URGENCIES } from './line.ts'
import { markOf } from '../seen/seen.ts'
import type { StoredNow } from './memory.ts'

type Ordered = Pick<NowLine, 'urgency' | 'kind' | 'at' | 'key'> & Partial<Pick<NowLine, 'under'>>

/**
 * Sorts lines by urgency, then by kind, then latest first. Lines without a time come last, and ties are sorted by key.
 * Grouped lines follow the line of their group.
 */
export function orderLines<Line extends Ordered>(lines: readonly Line[]): Line[] {
  const members = Map.groupBy(lines, ({ under }) => under)
  return inOrder(members.get(undefined) ?? []).flatMap(line => [line, ...inOrder(members.get(line.key) ?? [])])
}

function inOrder<Line extends Ordered>(lines: readonly Line[]): Line[] {
  return lines.toSorted(
    (one, other) =>
      URGENCIES.indexOf(one.urgency) - URGENCIES.indexOf(other.urgency) ||
      NOW_KINDS.indexOf(one.kind) - NOW_KINDS.indexOf(other.kind) ||
      latestFirst(one.at, other.at) ||
      (one.key < other.key ? -1 : Number(one.key > other.key)),
  )
}

function latestFirst(one: number | undefined, other: number | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  return other - one
}

/** Whether the line was acknowledged in its current form. */
export function isAcknowledged(
  { key, fingerprint }: Pick<NowLine, 'key' | 'fingerprint'>,
  { acknowledged }: Pick<StoredNow, 'acknowledged'>,
): boolean {
  return acknowledged.get(key)?.mark === markOf(fingerprint)
}
