import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** The distance that `nice` gives a command unless told otherwise. */
const NICENESS = 10

/**
 * Lets whoever answers keys and requests go before this thread, and before the server programs that it starts, where they share
 * processors: a run takes all that are there. Only Linux tells threads of a process apart; elsewhere nothing changes.
 */
export function comeAfterTheScreen(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(thread, NICENESS)
  } catch {
    // Without `/proc`, or in a sandbox that forbids it, runs execute as before.
  }
}
