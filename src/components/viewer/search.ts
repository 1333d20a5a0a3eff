import { isReady, mayHold, plainText, type Line, type LineSource } from './source.ts'

/** As many matches are counted; more are shown as "and more". */
const MOST_MATCHES = 10_000
/** How many texts are searched between two checks of the clock. */
const TEXTS_A_CHECK = 64

/** A line to be searched and where it stands; `isHere` at the place from which the search looks forward. */
export type Candidate<Place> = { place: Place; line: Line; isHere?: boolean }

export type Search<Place> = {
  readonly text: string
  readonly places: readonly Place[]
  /** The first match from the starting place on, as an index of `places`; undefined until there is one. */
  readonly landing: number | undefined
  /** There are more matches than are kept. */
  readonly isCut: boolean
  readonly isDone: boolean
  /** The next text is not known yet; to be gone on with in a moment. */
  readonly isWaiting: boolean
  /** Looks at further texts until that many milliseconds have passed. */
  advance(milliseconds: number): void
}

/** Searches texts for one, capitals or not, in slices, so that keys are answered meanwhile. */
export function createSearch<Place>(candidates: Iterable<Candidate<Place>>, text: string): Search<Place> {
  const wanted = text.toLowerCase()
  const iterator = candidates[Symbol.iterator]()
  const places: Place[] = []
  let landing: number | undefined
  let isPast = false
  let isCut = false
  let isDone = false
  let awaited: Candidate<Place> | undefined
  /** Looks at one more text; false when there is none. */
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

/** Every line of a source, starting at one of them. */
export function* lineCandidates(source: LineSource, here: number): Iterable<Candidate<number>> {
  for (let line = 0; line < source.count; line += 1) yield { place: line, line: source.at(line), isHere: line === here }
}
