import { useEffect, useRef, useState } from 'react'

/** What could be typed into a field, by its position and what is there; what fails suggests nothing. */
export type Suggest = (index: number, text: string, signal: AbortSignal) => Promise<readonly string[]>

/** How long nobody has to type before suggestions are asked for, in milliseconds. */
const PAUSE_MS = 250
const NONE: readonly string[] = []

/** Suggestions for the field that the person is in, asked for when they pause; taking one asks for no others. */
export function useSuggestions(suggest: Suggest | undefined, at: number, text: string | undefined): readonly string[] {
  const [shown, setShown] = useState<{ at: number; values: readonly string[] }>({ at: -1, values: NONE })
  const ask = useRef(suggest)
  ask.current = suggest
  const here = shown.at === at ? shown.values : NONE
  const isAsked = suggest !== undefined && text !== undefined && !here.includes(text)
  useEffect(() => {
    if (!isAsked || text === undefined) return undefined
    const asking = new AbortController()
    const show = (values: readonly string[]): void => {
      if (!asking.signal.aborted) setShown({ at, values })
    }
    const timer = setTimeout(() => {
      ask.current?.(at, text, asking.signal).then(show, () => show(NONE))
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [isAsked, at, text])
  const isTypedAlready = here.length === 1 && here[0] === text
  return isTypedAlready ? NONE : here
}
