import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Milliseconds without work and keys before memory is collected; longer than the time between two pages of one list.
 */
const REST_MS = 60
/**
 * Growth of resident memory in bytes after which garbage is collected again, and the milliseconds between two checks of
 * it.
 */
const MOST_GROWTH = 100_000_000
const CHECK_MS = 10_000
/**
 * Maximum growth in bytes after this many milliseconds without a collection: a program that polls for hours grows
 * slowly, and most of that is garbage.
 */
const SLOW_GROWTH = 10_000_000
const SLOW_MS = 5 * 60_000

/** Frees memory that only the start needed, and later growth. */
export type MemoryRelease = {
  /** Postpones the collection because of work, such as a key press. */
  putOff: () => void
  /** Nobody is using the program: collects garbage now. V8 would wait for minutes while the program is idle. */
  leave: () => void
}

/** Collects garbage, and measures memory and time. */
type Machine = { collect: () => void; resident: () => number; now: () => number }

const thisMachine: Machine = {
  collect: collectAll,
  resident: () => process.memoryUsage.rss(),
  now: () => performance.now(),
}

/**
 * Collects garbage as soon as there is no work and the person pauses. V8 does the same by itself, but some eight
 * seconds after its last work; until then a fifth of the resident memory is garbage, and a third after a list of 10,000
 * rows. Without such a pause it collects too little: hundreds of megabytes of empty pages remain.
 * @param isBusy whether something is being read or answered; the collection is also postponed when that ends
 */
export function createMemoryRelease(isBusy: () => boolean, machine: Machine = thisMachine): MemoryRelease {
  let timer: NodeJS.Timeout | undefined
  let floor: number | undefined
  let checkedAt = -Infinity
  let collectedAt = -Infinity
  let isLeft = false
  const end = (): void => {
    timer = undefined
    const growth = floor === undefined ? 0 : machine.resident() - floor
    // Waits for the end of the work, unless there is always some.
    if (isBusy() && growth < 2 * MOST_GROWTH) return
    checkedAt = machine.now()
    const isSlow = growth >= SLOW_GROWTH && machine.now() - collectedAt >= SLOW_MS
    if (floor !== undefined && growth < MOST_GROWTH && !isSlow && !isLeft) return
    isLeft = false
    machine.collect()
    collectedAt = machine.now()
    floor = machine.resident()
  }
  const putOff = (): void => {
    const isSettled = floor !== undefined && timer === undefined && !isLeft
    if (isSettled && machine.now() - checkedAt < CHECK_MS) return
    clearTimeout(timer)
    timer = setTimeout(end, REST_MS)
    timer.unref()
  }
  return {
    putOff,
    leave() {
      isLeft = true
      putOff()
    },
  }
}

/**
 * Collects until nothing more is freed, and shrinks the space for young objects; only a new context gives access to the
 * collector.
 */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  const collector = runInNewContext('gc') as (how: object) => void
  // V8 accepts stored code only if its flags match.
  setFlagsFromString('--no-expose-gc')
  collector({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** V8's optimizing compilers. */
const COMPILERS = ['opt', 'maglev']

/**
 * Sets whether V8 optimizes hot code, in all threads. While nobody presses a key it would keep compiling for hours, for
 * polls that take a millisecond each; compiled code is kept.
 */
export function setOptimizing(optimizes: boolean): void {
  // On other processors V8 lacks some of these compilers.
  if (process.arch !== 'x64' && process.arch !== 'arm64') return
  for (const compiler of COMPILERS) setFlagsFromString(optimizes ? `--${compiler}` : `--no-${compiler}`)
}
