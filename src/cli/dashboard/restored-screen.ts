import { localTime } from '../../lib/times.ts'
import type { QueryClient } from '@tanstack/react-query'
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
/** The age of the data at the end of the header; a stored picture is never fresh. */
const FRESH = /fresh(?=(?:\s|\x1b\[[\d;]*m)*$)/

type Screen = Pick<TerminalScreen, 'release' | 'snapshot' | 'columns' | 'rows'>

/**
 * From one start to the next: holds a restored picture until its screen has data, which `shown` waits for, and keeps a
 * screen and its place when `keepScreen` is called. A start that comes back to where it was left wants what is there at
 * the end; one that names its place wants what it showed first.
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

/** What the opened place showed once complete, or when somebody moved on with all of its data. */
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
    // The next place has rendered nothing yet.
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

/** Whether no query waits for its first data. */
function isComplete(queryClient: QueryClient): boolean {
  return queryClient.isFetching({ predicate: query => query.state.data === undefined }) === 0
}

/** Resolves, and shows frames, once the screen is complete, or when that takes too long. */
async function releaseWhen(complete: Promise<void>, screen: Pick<Screen, 'release'>): Promise<void> {
  const patience = Promise.withResolvers<void>()
  const timer = setTimeout(patience.resolve, HOLD_AT_MOST_MS)
  await Promise.race([complete, patience.promise])
  clearTimeout(timer)
  screen.release()
}

/** Resolves once no query waits for its first data. */
function allData(queryClient: QueryClient): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let quiet: NodeJS.Timeout | undefined
  const unsubscribe = queryClient.getQueryCache().subscribe(() => {
    const hasAll = isComplete(queryClient)
    if (!hasAll) clearTimeout(quiet)
    // New data may show something that needs more data.
    quiet = hasAll ? (quiet ?? setTimeout(done, QUIET_MS)) : undefined
  })
  const done = (): void => {
    unsubscribe()
    resolve()
  }
  return promise
}

/** The last row of a stored screen: its time, while the program loads. */
function lastSeenLine(columns: number): string {
  return fit(` Last seen ${localTime(Date.now())}, opening…`, columns)
}
