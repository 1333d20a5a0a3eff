import { BOUNDS } from '../../lib/bounds.ts'

/** A run that a person follows from every screen. */
export type Pin = {
  projectId: string
  runId: string
  suiteId?: string | undefined
  /** What it is called where its number says too little, such as its target in a run group. */
  label?: string | undefined
}

/** The runs that are followed, oldest first. */
export type Pins = {
  /** The same array until it changes. */
  list(): readonly Pin[]
  /** Follows runs, each once; beyond {@link MOST_PINS} the oldest go. */
  add(pins: readonly Pin[]): void
  remove(runId: string): void
  subscribe(listener: () => void): () => void
}

/** Each is read with every poll, and a header has little room. */
export const MOST_PINS = BOUNDS.pins.most

export function withPins(before: readonly Pin[], added: readonly Pin[]): Pin[] {
  const fresh = new Map([...before, ...added].map(pin => [pin.runId, pin]))
  return [...fresh.values()].slice(-MOST_PINS)
}

/** @param update changes what is kept, and answers what is kept then */
export function createPins(
  first: () => readonly Pin[],
  update: (change: (pins: readonly Pin[]) => readonly Pin[]) => readonly Pin[],
): Pins {
  let pins: readonly Pin[] | undefined
  const listeners = new Set<() => void>()
  const set = (change: (pins: readonly Pin[]) => readonly Pin[]): void => {
    pins = update(change)
    for (const listener of listeners) listener()
  }
  const list = () => (pins ??= first())
  return {
    list,
    add: added => set(before => withPins(before, added)),
    remove: runId => set(before => before.filter(pin => pin.runId !== runId)),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Pins that end with the program. */
export function createPinsInMemory(): Pins {
  let kept: readonly Pin[] = []
  return createPins(
    () => kept,
    change => (kept = change(kept)),
  )
}
