import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** Half of the default of `nice`, so that a run still gets processor time on a busy machine. */
const NICENESS = 5

/**
 * Lowers the priority of this thread, so that the screen, the server programs and V8's helper threads take precedence:
 * a run uses all processors. Linux only.
 */
export function comeAfterTheScreen(): void {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    // The priority is relative to that of the program, which may have been started with `nice`.
    const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICENESS)
    for (const each of [thread, ...helpersOfV8()]) setPriority(each, niceness)
    // Otherwise the thread of the screen would wait for helper threads with a low priority.
    collectYoungAlone()
  } catch {
    // Without `/proc`, or in a sandbox that forbids this, runs have the normal priority.
  }
}

/** Makes each thread collect its young objects by itself, because V8's helper threads are slow on a busy machine. */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge')
}

/**
 * Collects old objects once they have grown by two fifths instead of fivefold. Otherwise a long run keeps 150 MB of
 * garbage. It is not set at startup, because the start would take a seventh longer.
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
