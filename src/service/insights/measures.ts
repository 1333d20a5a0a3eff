import type { ErrorCode } from '../../api/contract/error.ts'
import type { ObservedFailure } from './advice.ts'

/** With fewer iterations or sessions, what was seen says little about the others. */
export const CONFIDENT_COUNT = 5

/** Shares of what was analyzed from which on a failure is grave. */
const HIGH_SHARE = 0.5
const MEDIUM_SHARE = 0.2

export function severityOf({ count, total }: { count: number; total: number }): ObservedFailure['severity'] {
  if (count >= total * HIGH_SHARE) return 'high'
  return count >= total * MEDIUM_SHARE ? 'medium' : 'low'
}

/** Failures that another attempt may not meet; the others come from what was configured or asked. */
const PASSING_CODES: readonly ErrorCode[] = ['RATE_LIMITED', 'SERVER_UNREACHABLE', 'TIMEOUT', 'INTERNAL_ERROR']

/** Whether asking again could give another answer. */
export function isPassing(code: string): boolean {
  return (PASSING_CODES as readonly string[]).includes(code)
}
