import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** Half of what `nice` takes by default, so that a run still gets its share of a busy machine. */
const NICENESS = 5

/**
 * Gives the drawing thread, server programs and V8's helpers precedence over this thread, because a run takes all
 * processors. Linux only.
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

/** Lets each thread collect its young objects by itself: on a busy machine V8's helpers come late. */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge')
}

/**
 * Collects old objects once they have grown by two fifths instead of fivefold: a long run ended with 150 MB of them. At
 * start it would cost a seventh.
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
