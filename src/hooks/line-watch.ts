import type { Query, QueryCacheNotifyEvent, QueryClient } from '@tanstack/react-query'
import { isLineFault } from '../api/api-error.ts'
import { isPlainRead } from '../api/cache-contents.ts'
import type { Clock } from '../api/clock.ts'

/** Knows since when nothing comes back, and notices by itself when something does again. */
export type LineWatch = {
  /** When the line went down, in the clock's milliseconds; undefined while it is up. */
  since: () => number | undefined
  /** Watches until the returned function is called. */
  start: () => () => void
}

const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 15_000
const GROWTH = 1.5

/**
 * While reads on screen fail for want of an answer, one of them is repeated, ever more rarely; when it is answered, all
 * others are. Until then the line is down wherever the person goes. Only plain reads count and are repeated: a read over POST waits for somebody's MCP server.
 */
export function createLineWatch(queryClient: QueryClient, clock: Clock): LineWatch {
  let since: number | undefined
  /** What failed last for want of an answer, while nothing has been answered since. */
  let lastLost: Query | undefined
  let pause = FIRST_PAUSE_MS
  let cancel: (() => void) | undefined
  const unanswered = (): Query[] =>
    queryClient.getQueryCache().findAll({ type: 'active', predicate: isUnanswered })
  const onScreen = (): Query | undefined =>
    queryClient.getQueryCache().findAll({ type: 'active', predicate: isPlainRead })[0]
  const isOpen = (): boolean =>
    queryClient.getQueryCache().findAll({ type: 'active', predicate: isAskedAgain }).length > 0
  const look = (): void => {
    // Whoever goes to another place takes what failed from the screen, and what is there was read before.
    const isDown = unanswered().length > 0 || (since !== undefined && lastLost !== undefined)
    if (isDown === (since !== undefined) || (!isDown && isOpen())) return
    cancel?.()
    since = isDown ? clock.now() : undefined
    pause = FIRST_PAUSE_MS
    if (isDown) cancel = clock.after(pause, () => void probe())
  }
  const probe = async (): Promise<void> => {
    const [failed] = unanswered().sort((a, b) => a.state.errorUpdatedAt - b.state.errorUpdatedAt)
    const query = failed ?? onScreen() ?? lastLost
    if (!query) return
    await queryClient.refetchQueries(
      { predicate: candidate => candidate === query },
      { cancelRefetch: false },
    )
    if (!isUnanswered(query)) {
      await queryClient.refetchQueries({ type: 'active', predicate: isUnanswered }, { cancelRefetch: false })
    }
    if (since === undefined) return
    pause = Math.min(LONGEST_PAUSE_MS, pause * GROWTH)
    cancel?.()
    cancel = clock.after(pause, () => void probe())
  }
  return {
    since: () => since,
    start: () => {
      const unsubscribe = queryClient.getQueryCache().subscribe(event => {
        if (event.type === 'updated' && isAnswer(event.action)) lastLost = undefined
        else if (event.type === 'updated' && event.action.type === 'error' && isUnanswered(event.query))
          lastLost = event.query
        look()
      })
      lastLost = unanswered()[0]
      look()
      return () => {
        unsubscribe()
        cancel?.()
        since = undefined
      }
    },
  }
}

/** A query without data forgets its failure while it is asked again. */
function isAskedAgain({ state }: Query): boolean {
  return (
    state.fetchStatus === 'fetching' && state.error === null && state.errorUpdatedAt > state.dataUpdatedAt
  )
}

type Action = Extract<QueryCacheNotifyEvent, { type: 'updated' }>['action']

/** Whether the service has answered, be it with a refusal. */
function isAnswer(action: Action): boolean {
  if (action.type === 'success') return action.manual !== true
  return action.type === 'error' && !isLineFault(action.error)
}

function isUnanswered(query: Query): boolean {
  return isLineFault(query.state.error) && isPlainRead(query)
}
