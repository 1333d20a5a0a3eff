/** The latest entries of what is recorded: at most so many, of so much together. */
export type Ring<Entry> = {
  /** `size` must not change afterwards. */
  add(entry: Entry, size: number): void
  /** The oldest first. */
  entries(): Entry[]
  /** Of all entries together. */
  size(): number
  /** Whether entries had to go since it was cleared. */
  dropped(): boolean
  clear(): void
}

type Slot<Entry> = { entry: Entry; size: number }

/** A ring within both bounds; an entry that is larger than the second takes everything with it, itself too. */
export function createRing<Entry>(most: { entries: number; size: number }): Ring<Entry> {
  let slots: (Slot<Entry> | undefined)[] = []
  let first = 0
  let size = 0
  let isWhole = true
  const drop = (): void => {
    size -= slots[first]!.size
    slots[first] = undefined
    first += 1
    isWhole = false
    // Moved rarely, so that dropping one costs the same for any number of entries.
    if (first < most.entries) return
    slots = slots.slice(first)
    first = 0
  }
  return {
    add(entry, entrySize) {
      slots.push({ entry, size: entrySize })
      size += entrySize
      while (slots.length - first > most.entries || size > most.size) drop()
    },
    entries: () => slots.slice(first).map(slot => slot!.entry),
    size: () => size,
    dropped: () => !isWhole,
    clear() {
      slots = []
      first = 0
      size = 0
      isWhole = true
    },
  }
}
