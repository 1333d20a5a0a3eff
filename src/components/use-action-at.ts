import type { Place } from '../tui/router/place.ts'
import { useRouter } from '../tui/router/router-context.tsx'
import { useKeymap } from '../tui/keymap/keymap-context.tsx'
import type { Verb } from '../tui/keymap/verbs.ts'
import { useToasts } from './toasts.tsx'

/** Maximum wait in milliseconds: a later action would surprise the person. */
const LONGEST_MS = 10_000

/**
 * Goes to a place and runs the action of a verb there as soon as possible: the lists of a screen are read first.
 * `isThere` says whether the screen shows the intended item, such as the row in the place. Gives up if the person
 * leaves the screen or opens something on it, and after ten seconds with the reason.
 */
export function useActionAt(): (place: Place, verb: Verb, isThere?: (params: Place['params']) => boolean) => void {
  const { dispatcher } = useKeymap()
  const router = useRouter()
  const toasts = useToasts()
  return (place, verb, isThere = () => true) => {
    router.go(place)
    const found = () => dispatcher.active().find(each => each.verb === verb && each.screen === place.screen)
    const act = (): void => {
      const isLeft = router.current().screen !== place.screen
      const isCovered = dispatcher
        .active()
        .some(({ scope }) => scope === 'overlay' || scope === 'prompt' || scope === 'field')
      if (isLeft || isCovered) return stop()
      const action = found()
      if (!action || action.unavailable !== undefined || !isThere(router.here().params)) return
      stop()
      void dispatcher.perform(action)
    }
    const stops = [dispatcher.subscribe(act), router.subscribe(act)]
    const timer = setTimeout(() => {
      stop()
      toasts.show('warn', found()?.unavailable ?? 'What it is about is not listed here, so nothing was done.')
    }, LONGEST_MS)
    timer.unref()
    const stop = (): void => {
      clearTimeout(timer)
      for (const unsubscribe of stops) unsubscribe()
    }
    act()
  }
}
