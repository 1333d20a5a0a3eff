import { localTime } from '../../lib/times.ts'
import type { QueryClient } from '@tanstack/react-query'
import { screens } from '../../app/registry.ts'
import { formatPlace } from '../../tui/router/place.ts'
import type { Router } from '../../tui/router/router.ts'
import { pictureOf } from '../../tui/terminal/picture.ts'
import type { Screen } from '../../tui/terminal/screen.ts'
import { fit } from '../../tui/theme/text.ts'
import { keepLastScreen } from './last-screen.ts'
import type { Log } from '../output/log.ts'

/**
 * How long a restored picture stays at most without data, and how long nothing may be asked before data counts as
 * there.
 */
const HOLD_AT_MOST_MS = 1500
const QUIET_MS = 30
/** The age of the data at the header's end; a kept picture is never fresh. */
const FRESH = /fresh(?=(?:\s|\x1b\[[\d;]*m)*$)/
const routes = screens.map(screen => screen.route)

/** Where the router is, below the profile. */
export function locatorOf(router: Router): string {
  return formatPlace(routes, router.here())
}

/** Keeps what is on the screen, and its place, for the next start; without a file it does nothing. */
export function screenKeeper(options: {
  file: string | undefined
  screen: Screen
  router: Router
  log: Log
}): () => void {
  const { file, screen, router, log } = options
  return () => {
    if (file === undefined) return
    try {
      const { columns, rows } = screen
      const [header = '', ...others] = screen.snapshot().slice(0, rows - 1)
      const lines = [header.replace(FRESH, 'stale'), ...others, lastSeenLine(columns)]
      const place = locatorOf(router)
      keepLastScreen(file, { columns, rows, place, lines, picture: pictureOf(lines, screen) })
    } catch (error) {
      log.error(error)
    }
  }
}

/** Shows frames, and resolves, once nothing waits for its first data any more, or when that takes too long. */
export function releaseWithData(screen: Pick<Screen, 'release'>, queryClient: QueryClient): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const release = (): void => {
    unsubscribe()
    clearTimeout(patience)
    clearTimeout(quiet)
    screen.release()
    resolve()
  }
  let quiet: NodeJS.Timeout | undefined
  const patience = setTimeout(release, HOLD_AT_MOST_MS)
  const unsubscribe = queryClient.getQueryCache().subscribe(() => {
    const isComplete = queryClient.isFetching({ predicate: query => query.state.data === undefined }) === 0
    if (!isComplete) clearTimeout(quiet)
    // What arrived may show something that asks for more.
    quiet = isComplete ? (quiet ?? setTimeout(release, QUIET_MS)) : undefined
  })
  return promise
}

/** The last row of a kept screen: from when it is, while the program loads. */
function lastSeenLine(columns: number): string {
  return fit(` Last seen ${localTime(Date.now())}, opening…`, columns)
}
