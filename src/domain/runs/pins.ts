import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'
import { BOUNDS } from '../../lib/bounds.ts'

/** A run that a person follows on every screen. */
export type Pin = {
  projectId: string
  runId: string
  suiteId?: string | undefined
  /** A label if the number is not enough, such as the target in a run group. */
  label?: string | undefined
}

/** The followed runs, oldest first. */
export type Pins = {
  /** Returns the same array until it changes. */
  list(): readonly Pin[]
  /** Follows runs, each once; beyond {@link MOST_PINS} the oldest are removed. */
  add(pins: readonly Pin[]): void
  remove(runId: string): void
  subscribe(listener: () => void): () => void
}

/** Each pinned run is read with every poll, and the header has little room. */
export const MOST_PINS = BOUNDS.pins.most

export const pinsKey: ProfileKey<readonly Pin[]> = {
  name: 'followed',
  version: 1,
  empty: [],
  read: ({ runs }) => (Array.isArray(runs) ? runs.filter(isPin).slice(-MOST_PINS) : undefined),
  write: runs => ({ runs }),
}

function isPin(value: unknown): value is Pin {
  const { projectId, runId, suiteId, label } = Object(value) as Record<string, unknown>
  const isOptional = (text: unknown): boolean => text === undefined || typeof text === 'string'
  return typeof projectId === 'string' && typeof runId === 'string' && isOptional(suiteId) && isOptional(label)
}

export function withPins(before: readonly Pin[], added: readonly Pin[]): Pin[] {
  const fresh = new Map([...before, ...added].map(pin => [pin.runId, pin]))
  return [...fresh.values()].slice(-MOST_PINS)
}

/** Creates the pins. Without `stored` they are lost when the program ends. */
export function createPins(stored: Stored<readonly Pin[]> = storedInMemory(pinsKey)): Pins {
  return {
    list: stored.get,
    add: added => stored.change(before => withPins(before, added)),
    remove: runId => stored.change(before => before.filter(pin => pin.runId !== runId)),
    subscribe: stored.subscribe,
  }
}

/** Records the runs whose end was announced, so that only one of several windows rings the bell, once for each run. */
export type Rings = {
  /** Claims the announcement of a run's end. Returns false if any process has claimed it before. */
  claim(runId: string): boolean
}

export const ringsKey: ProfileKey<readonly string[]> = {
  name: 'rung',
  version: 1,
  empty: [],
  read: ({ runs }) => (Array.isArray(runs) ? runs.filter(run => typeof run === 'string') : undefined),
  write: runs => ({ runs }),
}

/** Creates the record of announced runs. Without `stored` it is lost when the program ends. */
export function createRings(stored: Stored<readonly string[]> = storedInMemory(ringsKey)): Rings {
  return {
    claim(runId) {
      let isFirst = false
      stored.change(before => {
        isFirst = !before.includes(runId)
        return isFirst ? withRung(before, runId) : before
      })
      return isFirst
    },
  }
}

/** Returns the announced runs including this one, within the limit. */
export function withRung(before: readonly string[], runId: string): string[] {
  return [...before, runId].slice(-BOUNDS.rung.most)
}
