/** Who goes first: what a person waits for, what is on screen, pinned runs in hidden places, all else. */
export type Priority = 'foreground' | 'visible' | 'pinned' | 'background'

/** All priorities, the first to go first. */
export const ORDER: readonly Priority[] = ['foreground', 'visible', 'pinned', 'background']

/** One that waits. */
export type Waiter = { priority: Priority; owner: string }

/**
 * Waits by priority; within one, owners take turns and each owner's own are served in order,
 * so that one busy pane cannot starve its neighbour.
 */
export class WaitingLine<T extends Waiter> {
  /** A map keeps the order of its keys, so the first owner is the one whose turn it is. */
  readonly #owners: Record<Priority, Map<string, T[]>> = {
    foreground: new Map(),
    visible: new Map(),
    pinned: new Map(),
    background: new Map(),
  }
  #size = 0

  get size(): number {
    return this.#size
  }

  add(waiter: T): void {
    const owners = this.#owners[waiter.priority]
    const own = owners.get(waiter.owner)
    if (own) own.push(waiter)
    else owners.set(waiter.owner, [waiter])
    this.#size += 1
  }

  /** The next one, left in the line. */
  peek(): T | undefined {
    for (const priority of ORDER) {
      const [own] = this.#owners[priority].values()
      if (own) return own[0]
    }
    return undefined
  }

  /** Takes the next one out and gives the turn to the next owner. */
  shift(): T | undefined {
    const waiter = this.peek()
    if (!waiter) return undefined
    this.remove(waiter)
    const owners = this.#owners[waiter.priority]
    const own = owners.get(waiter.owner)
    if (own) {
      owners.delete(waiter.owner)
      owners.set(waiter.owner, own)
    }
    return waiter
  }

  /** Takes one out wherever it stands; false when it is not there. */
  remove(waiter: T): boolean {
    const owners = this.#owners[waiter.priority]
    const own = owners.get(waiter.owner)
    const index = own?.indexOf(waiter) ?? -1
    if (!own || index < 0) return false
    own.splice(index, 1)
    if (own.length === 0) owners.delete(waiter.owner)
    this.#size -= 1
    return true
  }
}
