import { markOf } from '../seen/seen.ts'
import type { NowLine } from './line.ts'
import type { StoredNow } from './memory.ts'

/** Whether the line was acknowledged as it stands; once it says something else it was not. */
export function isAcknowledged(
  { key, fingerprint }: Pick<NowLine, 'key' | 'fingerprint'>,
  { acknowledged }: Pick<StoredNow, 'acknowledged'>,
): boolean {
  return acknowledged.get(key)?.mark === markOf(fingerprint)
}
