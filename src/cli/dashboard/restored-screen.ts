import { setImmediate } from 'node:timers/promises'
import type { QueryClient } from '@tanstack/react-query'
import { localTime } from '../../lib/times.ts'
import type { Place } from '../../tui/router/place.ts'
import type { Router } from '../../tui/router/router.ts'
import { pictureOf } from '../../tui/terminal/picture.ts'
import type { Screen as TerminalScreen } from '../../tui/terminal/screen.ts'
import { fit } from '../../tui/theme/text.ts'
import { keepLastScreen } from './last-screen.ts'
import { locatorOf } from './opening-place.ts'
import type { Log } from '../output/log.ts'

/**
 * Longest time that a restored picture stays without data, and time without requests after which data counts as
 * complete.
 */
const HOLD_AT_MOST_MS = 1500
const QUIET_MS = 30
/**
 * Turns of the event loop after that time. On a busy machine it can pass before React has drawn the last data and
 * requested what that data leads to.
 */
const TURNS_TO_DRAW = 5
/** The age of the data at the end of the header; a saved picture is never fresh. */
const FRESH = /fresh(?=(?:\s|\x1b\[[\d;]*m)*$)/

type Screen = Pick<TerminalScreen, 'release' | 'snapshot' | 'columns' | 'rows'>

/**
 * Connects one start with the next: holds a restored picture until its screen has data, which `shown` waits for, and
 * saves a screen and its place when `keepScreen` is called. A start that returns to the last place saves the final
 * screen; one that names its place saves the first screen that it showed.
 */
export function passScreenOn(
  options: {
    lastScreenFile?: string | undefined
    leftScreenFile?: string | undefined
    namesPlace?: boolean
    log: Pick<Log, 'error'>
  },
  isRestored: boolean,
  own: { screen: Screen; router: Router; queryClient: QueryClient },
): { shown: Promise<void> | undefined; keepScreen: () => void } {
  const { lastScreenFile: file, leftScreenFile: leftFile, namesPlace = false, log } = options
  const { screen, router, queryClient } = own
  const complete = isRestored || namesPlace ? allData(queryClient) : undefined
  const shown = complete && releaseWhen(complete, screen)
  const first =
    complete && namesPlace && file !== undefined
      ? firstScreen({ ...own, log }, Promise.all([complete, shown]))
      : undefined
  const keepIn = (to: string | undefined, of: () => Kept | undefined): void => {
    if (to === undefined) return
    try {
      const kept = of()
      if (kept) keepLastScreen(to, { ...kept, picture: pictureOf(kept.lines, kept) })
    } catch (error) {
      log.error(error)
    }
  }
  const keepScreen = (): void => {
    const left = () => keptNow(screen, router.here())
    keepIn(file, first ?? left)
    keepIn(leftFile, left)
  }
  return { shown: isRestored ? shown : undefined, keepScreen }
}

/** Remembers what the opened place showed once its data was complete, or when the person left it with all its data. */
function firstScreen(
  {
    screen,
    router,
    queryClient,
    log,
  }: { screen: Screen; router: Router; queryClient: QueryClient; log: Pick<Log, 'error'> },
  complete: Promise<unknown>,
): () => Kept | undefined {
  const opening = router.current()
  let kept: Kept | undefined
  const hasLeft = () => router.current().screen !== opening.screen
  const keep = async (): Promise<void> => {
    await complete
    if (!hasLeft()) kept = keptNow(screen, opening)
  }
  keep().catch(log.error)
  const unsubscribe = router.subscribe(() => {
    if (!hasLeft()) return
    unsubscribe()
    // The next place has not drawn anything yet.
    if (isComplete(queryClient)) kept ??= keptNow(screen, opening)
  })
  return () => kept
}

type Kept = Omit<Parameters<typeof keepLastScreen>[1], 'picture'>

function keptNow(screen: Screen, place: Place): Kept {
  const { columns, rows } = screen
  const [header = '', ...others] = screen.snapshot().slice(0, rows - 1)
  const lines = [header.replace(FRESH, 'stale'), ...others, lastSeenLine(columns)]
  return { columns, rows, place: locatorOf(place), lines }
}

/** Whether every query has its first data. */
function isComplete(queryClient: QueryClient): boolean {
  return queryClient.isFetching({ predicate: query => query.state.data === undefined }) === 0
}

/** Shows frames, and resolves, once the screen is complete or that takes too long. */
async function releaseWhen(complete: Promise<void>, screen: Pick<Screen, 'release'>): Promise<void> {
  const patience = Promise.withResolvers<void>()
  const timer = setTimeout(patience.resolve, HOLD_AT_MOST_MS)
  await Promise.race([complete, patience.promise])
  clearTimeout(timer)
  screen.release()
}

/** Resolves once every query has its first data. */
function allData(queryClient: QueryClient): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let quiet: NodeJS.Timeout | undefined
  const unsubscribe = queryClient.getQueryCache().subscribe(() => {
    const hasAll = isComplete(queryClient)
    if (!hasAll) clearTimeout(quiet)
    // New data may show something that requests more.
    quiet = hasAll ? (quiet ?? setTimeout(() => void confirm(), QUIET_MS)) : undefined
  })
  const confirm = async (): Promise<void> => {
    const own = quiet
    for (let turn = 0; turn < TURNS_TO_DRAW; turn += 1) await setImmediate()
    if (quiet !== own || !isComplete(queryClient)) return
    unsubscribe()
    resolve()
  }
  return promise
}

/** Returns the last row of a saved screen: when it was saved, while the program loads. */
function lastSeenLine(columns: number): string {
  return fit(` Last seen ${localTime(Date.now())}, opening…`, columns)
}
