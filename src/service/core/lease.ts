import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { isGone, selfOn, thisMachine } from '../../lib/machine.ts'

/** The process that does some work, and the time until which it counts as alive on other hosts without renewal. */
export type Lease = { token: string; host: string; pid: number; expiresAt: number }

/** Milliseconds that a process counts as alive on other hosts without renewal, and between renewals. */
const LEASE_MS = 15_000
export const RENEW_EVERY_MS = 5_000

/** Separates the random part of a token from the start of its process, which tells it from later ones with its id. */
const BEFORE_START = '@'

/** Leases that this process holds in all its services. Their work is alive whatever the clock says. */
const held = new Set<string>()

export function takeLease(): Lease {
  const token = `${randomUUID()}${BEFORE_START}${selfOn(thisMachine).start}`
  held.add(token)
  return { token, host: hostname(), pid: process.pid, expiresAt: leaseEnd() }
}

/** Releases a lease. This process counts its work as abandoned from now on unless it has ended. */
export function releaseLease(lease: Lease | undefined): void {
  if (lease) held.delete(lease.token)
}

/** Returns the new end of a lease that is renewed now, in epoch milliseconds. */
export function leaseEnd(): number {
  return Date.now() + LEASE_MS
}

/**
 * Whether the process of unfinished work is gone. A process of this host can be checked: its lease also ends while the
 * machine is suspended, though the work continues afterwards. On another host the end of the lease decides.
 */
export function isAbandoned(lease: Lease | undefined): boolean {
  if (!lease) return true
  if (held.has(lease.token)) return false
  const silentMs = Date.now() - lease.expiresAt
  if (lease.host !== hostname()) return silentMs > 0
  // A lease with our process id but an unknown token belongs to an earlier process with the same id.
  if (lease.pid === process.pid) return true
  const [, start = ''] = lease.token.split(BEFORE_START)
  return isGone({ machine: thisMachine.name, pid: lease.pid, start }, silentMs, thisMachine)
}

/** Wraps repeated work so that a failure is reported and does not end the repetition. */
export function guarded(work: () => void, onError: (error: unknown) => void): () => void {
  return () => {
    try {
      work()
    } catch (error) {
      onError(error)
    }
  }
}
