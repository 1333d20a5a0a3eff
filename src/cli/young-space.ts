/** Bytes at which the space for young objects stops growing while something is live; between two looks it may double once more. */
const LIVE_BYTES = 16 * 1024 * 1024
/** How often it is looked whether it has come to that, in milliseconds. */
const LOOK_MS = 100
/** How long something must be live, in milliseconds: what has ended counts as live until it was read. */
const LIVE_MS = 1000

type Growth = 'stopped' | 'doubling'

/** How V8 treats its space for young objects, the half of which is free at any time. */
export type YoungSpace = {
  setGrowth: (growth: Growth) => void
  /** Bytes that it takes now. */
  size: () => number
}

// Asked for only when called: this file is part of what an old Node reads.
const v8 = () => process.getBuiltinModule('node:v8')

const youngSpace: YoungSpace = {
  setGrowth: growth => v8().setFlagsFromString(`--semi-space-growth-factor=${growth === 'doubling' ? 2 : 1}`),
  size: () =>
    v8()
      .getHeapSpaceStatistics()
      .find(space => space.space_name === 'new_space')?.space_size ?? 0,
}

/**
 * Ends the growth of the space for young objects, which would double to many megabytes: most of what a start leaves resident.
 * Before the program is loaded this would cost a tenth of the start.
 */
export function keepYoungSpaceSmall(): void {
  youngSpace.setGrowth('stopped')
}

/**
 * Lets the space for young objects grow to some megabytes while something is live: in a small one each picture is collected several
 * times, and keys wait for that. When it is over V8 shrinks it again by itself.
 */
export function growWhileLive(
  budget: { subscribe: (listener: () => void) => unknown; snapshot: () => { pollers: number } },
  { setGrowth, size }: YoungSpace = youngSpace,
): void {
  let beginning: NodeJS.Timeout | undefined
  let looking: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(beginning)
    clearInterval(looking)
    setGrowth('stopped')
  }
  const look = (): void => {
    if (size() >= LIVE_BYTES) stop()
  }
  const begin = (): void => {
    setGrowth('doubling')
    looking = setInterval(look, LOOK_MS)
    looking.unref()
  }
  let wasLive = false
  budget.subscribe(() => {
    const isLive = budget.snapshot().pollers > 0
    if (isLive === wasLive) return
    wasLive = isLive
    if (!isLive) return stop()
    beginning = setTimeout(begin, LIVE_MS)
    beginning.unref()
  })
}
