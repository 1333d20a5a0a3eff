import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** The process that does some work, and its time limit for the next heartbeat. */
export type Lease = { token: string; host: string; pid: number; expiresAt: number }

/** Time limit for the heartbeat of a run's process, and its interval, in milliseconds. */
const LEASE_MS = 15_000
export const RENEW_EVERY_MS = 5_000

/** Leases held by this process, over all its services: their runs are alive whatever the time. */
const held = new Set<string>()

export function takeLease(): Lease {
  const token = randomUUID()
  held.add(token)
  return { token, host: hostname(), pid: process.pid, expiresAt: leaseEnd() }
}

/** Releases a lease; its run now counts as abandoned unless it has ended. */
export function releaseLease(lease: Lease | undefined): void {
  if (lease) held.delete(lease.token)
}

/** The end of a lease that is renewed now. */
export function leaseEnd(): number {
  return Date.now() + LEASE_MS
}

/** Whether the process of a run in flight is gone, or silent for too long if it cannot be checked. */
export function isAbandoned(lease: Lease | undefined): boolean {
  if (!lease) return true
  if (held.has(lease.token)) return false
  if (lease.expiresAt < Date.now()) return true
  if (lease.host !== hostname()) return false
  // Our process id with an unknown token belonged to an earlier process.
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

/** Whether a process has ended but was not reaped, as in containers whose first process reaps none. */
function isDefunct(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Runs work that is repeated soon, so that a failure is only reported. */
export function guarded(work: () => void, onError: (error: unknown) => void): () => void {
  return () => {
    try {
      work()
    } catch (error) {
      onError(error)
    }
  }
}
