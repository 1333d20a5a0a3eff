import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How long nothing may be worked on and no key pressed, in milliseconds; longer than between two pages of one list. */
const REST_MS = 60
/**
 * How much resident memory may grow until it is collected again, in bytes, and how often that is examined, in
 * milliseconds.
 */
const MOST_GROWTH = 100_000_000
const CHECK_MS = 10_000
/** The same where it was not collected for long: what polls for hours grows slowly, and most of that is rubbish. */
const SLOW_GROWTH = 10_000_000
const SLOW_MS = 5 * 60_000

/** Gives back the memory that a start needed and does not need any more, and what has grown since. */
export type MemoryRelease = {
  /** Something was worked on, such as a key: not now. */
  putOff: () => void
  /** Nobody is using the program: collects garbage now. V8 would wait for minutes while the program is idle. */
  leave: () => void
}

/** What is collected, and how memory and time are measured. */
type Machine = { collect: () => void; resident: () => number; now: () => number }

const thisMachine: Machine = {
  collect: collectAll,
  resident: () => process.memoryUsage.rss(),
  now: () => performance.now(),
}

/**
 * Collects as soon as nothing is worked on and the person rests. V8 does the same by itself, but some eight seconds
 * after its last work; until then a fifth of what is resident is rubbish, and a third after a list of 10,000 rows.
 * Where there is never so long a rest it collects too little: hundreds of megabytes of pages without objects remain.
 * @param isBusy whether something is being read or answered; it is put off at the end of that too
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
    // Only where something is always being worked on its end is not waited for.
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
 * Collects until nothing more comes free, and shrinks the space for young objects; a new context is the only way to ask
 * for it.
 */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  const collector = runInNewContext('gc') as (how: object) => void
  // V8 tells by its flags which compiled code may be stored and used.
  setFlagsFromString('--no-expose-gc')
  collector({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** V8's compilers of what runs often. */
const COMPILERS = ['opt', 'maglev']

/**
 * Whether V8 optimizes what runs often, in all threads. While nobody presses a key it would continue for hours,
 * compiling for polls that take a millisecond each; what it has compiled stays.
 */
export function setOptimizing(optimizes: boolean): void {
  // Elsewhere V8 has not all of them.
  if (process.arch !== 'x64' && process.arch !== 'arm64') return
  for (const compiler of COMPILERS) setFlagsFromString(optimizes ? `--${compiler}` : `--no-${compiler}`)
}
