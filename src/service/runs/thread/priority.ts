import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/**
 * Half of what `nice` takes by default: on a busy machine a run still gets its share, and its deadlines
 * still mean something.
 */
const NICENESS = 5

/**
 * Lets the thread that draws and hears keys go before this one, before the server programs that it starts, and before
 * V8's helpers, which collect for this thread most of all, where they share processors: a run takes all that are there.
 * Only Linux tells threads of a process apart; elsewhere nothing changes.
 */
export function comeAfterTheScreen(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    // Whatever priority the program was started with, such as under `nice`.
    const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICENESS)
    for (const each of [thread, ...helpersOfV8()]) setPriority(each, niceness)
    // The screen's would wait for helpers that come last now.
    collectYoungAlone()
  } catch {
    // Without `/proc`, or in a sandbox that forbids it, runs execute as before.
  }
}

/**
 * Lets each thread of the process collect its young objects by itself, a millisecond's work: on a busy machine it
 * waits longer for V8's helpers than it saves.
 */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge')
}

/**
 * Collects old objects of each thread once they have grown by two fifths, where V8 may wait for five times as many:
 * what is read anew at the end of a long run was 150 MB by then. From the first on this would cost a start a seventh.
 */
export function collectOldSooner(): void {
  setFlagsFromString('--heap-growing-percent=40')
}

function helpersOfV8(): number[] {
  const nameOf = (thread: string) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
  return readdirSync('/proc/self/task')
    .filter(thread => nameOf(thread) === 'V8Worker')
    .map(Number)
}
