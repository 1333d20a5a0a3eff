import { Text } from 'ink'
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { clean } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { textSearchKeys } from '../component-keys.ts'
import { Prompt } from '../prompt.tsx'
import { createSearch, type Candidate, type Search } from './search.ts'

/** Duration of a slice of a search, and interval at which a running search is drawn, in milliseconds. */
const SLICE_MS = 8
const DRAW_MS = 100
/** Milliseconds before checking again whether a text is available. */
const WAIT_MS = 5

export type Finder<Place> = {
  /** A line of the viewer shows the search. */
  shows: boolean
  asking: boolean
  typed: string
  type(text: string): void
  /** The text to search for; empty if there is no search. */
  wanted: string
  /** The current match; undefined if there is none. */
  place: Place | undefined
  /** `2 of 12`, `not found`. */
  status: string
  ask(): void
  accept(): void
  end(): void
}

type Job<Place> = { search: Search<Place>; hasLanded: boolean }

/** Runs the first slice at once, since the key for the next match may come at any time. */
function begin<Place>(candidates: Iterable<Candidate<Place>>, text: string, hasLanded: boolean): Job<Place> {
  const search = createSearch(candidates, text)
  search.advance(SLICE_MS)
  return { search, hasLanded }
}

/** Searches a document: the first slice at once, the rest between keys. The search restarts when `document` changes. */
export function useSearch<Place>(options: {
  document: unknown
  candidates: () => Iterable<Candidate<Place>>
  /** Moves to a place, and there to the text. */
  show: (place: Place, text: string) => void
  /** Whether `n` and `N` currently step through matches. */
  active: boolean
}): Finder<Place> {
  const [asking, setAsking] = useState(false)
  const [typed, type] = useState('')
  const [job, setJob] = useState<Job<Place>>()
  const [index, setIndex] = useState(0)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const current = useRef(options)
  useLayoutEffect(() => {
    current.current = options
  })
  const land = (begun: Job<Place>): void => {
    const { landing, places } = begun.search
    if (begun.hasLanded || landing === undefined) return
    begun.hasLanded = true
    setIndex(landing)
    current.current.show(places[landing]!, begun.search.text)
  }
  const { document } = options
  const searched = useRef(document)
  useEffect(() => {
    if (searched.current === document) return
    searched.current = document
    // Positions of matches have changed; the current line stays.
    setJob(now => now && begin(current.current.candidates(), now.search.text, true))
  }, [document])
  useEffect(() => {
    if (!job || job.search.isDone) return undefined
    let drawnAt = performance.now()
    let next: { [Symbol.dispose](): void } = setImmediate(function work() {
      job.search.advance(SLICE_MS)
      land(job)
      const now = performance.now()
      if (job.search.isDone || now - drawnAt > DRAW_MS) {
        drawnAt = now
        redraw()
      }
      if (job.search.isDone) return
      next = job.search.isWaiting ? setTimeout(work, WAIT_MS) : setImmediate(work)
    })
    return () => next[Symbol.dispose]()
  }, [job])
  const search = job?.search
  const count = search?.places.length ?? 0
  const at = Math.min(index, Math.max(0, count - 1))
  const step = (by: number): void => {
    const place = search?.places[(at + by + count) % count]
    if (!search || place === undefined) return
    setIndex((at + by + count) % count)
    options.show(place, search.text)
  }
  const end = (): void => {
    setJob(undefined)
    type('')
    setAsking(false)
  }
  useBindings(
    textSearchKeys,
    { next: () => step(1), previous: () => step(-1), end },
    { active: options.active && search !== undefined },
  )
  return {
    shows: asking || search !== undefined,
    asking,
    typed,
    type,
    wanted: search?.text ?? '',
    place: search?.places[at],
    status: search ? statusOf(search, at) : '',
    ask: () => setAsking(true),
    accept() {
      setAsking(false)
      if (typed === '') return setJob(undefined)
      const begun = begin(options.candidates(), typed, false)
      setIndex(0)
      land(begun)
      setJob(begun)
    },
    end,
  }
}

function statusOf(search: Search<unknown>, at: number): string {
  const count = search.places.length
  if (count === 0) return search.isDone ? 'not found' : 'searching…'
  const more = search.isCut ? ' and more' : search.isDone ? '' : ' so far'
  return `${at + 1} of ${count}${more}`
}

/** Shows the line in which the text is typed, and which then shows the result. */
export function SearchLine(props: { finder: Finder<unknown>; focused: boolean }) {
  const { finder } = props
  const theme = useTheme()
  if (finder.asking && props.focused)
    return <Prompt value={finder.typed} onChange={finder.type} onAccept={finder.accept} onLeave={finder.end} />
  if (finder.wanted === '') return null
  return <Text wrap="truncate">{` ${theme.paint('accent', `/${clean(finder.wanted)}`)}  ${finder.status}`}</Text>
}
