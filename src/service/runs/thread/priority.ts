import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Half of what `nice` takes unless told otherwise: on a busy machine a run still gets its share, and its deadlines still mean something. */
const NICENESS = 5

/**
 * Lets the thread that draws and hears keys go before this one, and before the server programs that it starts, where they share
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
