import { isReady, mayHold, plainText, type Line, type LineSource } from './source.ts'

/** Maximum number of matches that are counted; more are shown as "and more". */
const MOST_MATCHES = 10_000
/** Number of texts searched between two checks of the clock. */
const TEXTS_A_CHECK = 64

/** A line to search and its position; `isHere` for the line from which the search goes forward. */
export type Candidate<Place> = { place: Place; line: Line; isHere?: boolean }

export type Search<Place> = {
  readonly text: string
  readonly places: readonly Place[]
  /** The first match from the starting position on, as an index of `places`; undefined until there is one. */
  readonly landing: number | undefined
  /** There are more matches than are kept. */
  readonly isCut: boolean
  readonly isDone: boolean
  /** The next text is not available yet; the search continues in a moment. */
  readonly isWaiting: boolean
  /** Searches further texts until that many milliseconds have passed. */
  advance(milliseconds: number): void
}

/** Searches texts, ignoring case, in slices, so that keys are handled in between. */
export function createSearch<Place>(candidates: Iterable<Candidate<Place>>, text: string): Search<Place> {
  const wanted = text.toLowerCase()
  const iterator = candidates[Symbol.iterator]()
  const places: Place[] = []
  let landing: number | undefined
  let isPast = false
  let isCut = false
  let isDone = false
  let awaited: Candidate<Place> | undefined
  /** Searches one more text; returns false if there is none. */
  const look = (): boolean => {
    const next = awaited ? { value: awaited, done: false as const } : iterator.next()
    awaited = undefined
    if (next.done) return false
    const { place, line, isHere } = next.value
    if (isHere) isPast = true
    if (!mayHold(line, wanted)) return true
    if (!isReady(line)) {
      awaited = next.value
      return true
    }
    if (!plainText(line).toLowerCase().includes(wanted)) return true
    if (places.length === MOST_MATCHES) {
      isCut = true
      return false
    }
    if (isPast) landing ??= places.length
    places.push(place)
    return true
  }
  return {
    text,
    places,
    get landing() {
      return landing ?? (isDone && places.length > 0 ? 0 : undefined)
    },
    get isCut() {
      return isCut
    },
    get isDone() {
      return isDone
    },
    get isWaiting() {
      return awaited !== undefined
    },
    advance(milliseconds) {
      const end = performance.now() + milliseconds
      for (let searched = 1; !isDone; searched += 1) {
        isDone = !look()
        if (awaited) return
        if (searched % TEXTS_A_CHECK === 0 && performance.now() >= end) return
      }
    },
  }
}

/** Yields every line of a source; `here` marks the current one. */
export function* lineCandidates(source: LineSource, here: number): Iterable<Candidate<number>> {
  for (let line = 0; line < source.count; line += 1) yield { place: line, line: source.at(line), isHere: line === here }
}
