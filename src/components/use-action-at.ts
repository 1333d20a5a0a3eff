import type { Place } from '../tui/router/place.ts'
import { useRouter } from '../tui/router/router-context.tsx'
import { useKeymap } from '../tui/keymap/keymap-context.tsx'
import type { Verb } from '../tui/keymap/verbs.ts'

/** Longer than that nobody waits for what they asked for: it would come as a surprise, in milliseconds. */
const LONGEST_MS = 10_000

/**
 * Goes to a place and does there what the key of a verb does, as soon as that can be done: the lists of a screen are
 * read first. It is given up when the person leaves the screen meanwhile, or opens something on it.
 */
export function useActionAt(): (place: Place, verb: Verb) => void {
  const { dispatcher } = useKeymap()
  const router = useRouter()
  return (place, verb) => {
    router.go(place)
    const act = (): void => {
      const active = dispatcher.active()
      const isLeft = router.current().screen !== place.screen
      const isCovered = active.some(({ scope }) => scope === 'overlay' || scope === 'prompt' || scope === 'field')
      if (isLeft || isCovered) return stop()
      const found = active.find(each => each.verb === verb && each.screen === place.screen)
      if (!found || found.unavailable !== undefined) return
      stop()
      void dispatcher.perform(found)
    }
    const stops = [dispatcher.subscribe(act), router.subscribe(act)]
    const timer = setTimeout(() => stop(), LONGEST_MS)
    const stop = (): void => {
      clearTimeout(timer)
      for (const unsubscribe of stops) unsubscribe()
    }
    act()
  }
}
