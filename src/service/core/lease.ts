import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** The process that does some work, and the time until which it counts as alive without renewal. */
export type Lease = { token: string; host: string; pid: number; expiresAt: number }

/** Milliseconds that a process counts as alive without renewal, and between renewals. */
const LEASE_MS = 15_000
export const RENEW_EVERY_MS = 5_000

/** Leases that this process holds in all its services. Their work is alive whatever the clock says. */
const held = new Set<string>()

export function takeLease(): Lease {
  const token = randomUUID()
  held.add(token)
  return { token, host: hostname(), pid: process.pid, expiresAt: leaseEnd() }
}

/** Releases a lease. Its work counts as abandoned from now on unless it has ended. */
export function releaseLease(lease: Lease | undefined): void {
  if (lease) held.delete(lease.token)
}

/** Returns the end of a lease that is renewed now. */
export function leaseEnd(): number {
  return Date.now() + LEASE_MS
}

/** Whether the process of unfinished work is gone or has not renewed its lease in time. */
export function isAbandoned(lease: Lease | undefined): boolean {
  if (!lease) return true
  if (held.has(lease.token)) return false
  if (lease.expiresAt < Date.now()) return true
  if (lease.host !== hostname()) return false
  // A lease with our process id but an unknown token belongs to an earlier process with the same id.
  return lease.pid === process.pid || !processExists(lease.pid)
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isDefunct(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process is a zombie, as in containers whose first process reaps none. */
function isDefunct(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Wraps work that is repeated soon, so that its failure is only reported. */
export function guarded(work: () => void, onError: (error: unknown) => void): () => void {
  return () => {
    try {
      work()
    } catch (error) {
      onError(error)
    }
  }
}
