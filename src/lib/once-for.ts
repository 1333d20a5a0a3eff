/** Computes a value once for each object, and keeps it as long as the object. */
export function onceFor<K extends WeakKey, T>(make: (key: K) => T): (key: K) => T {
  const all = new WeakMap<K, { made: T }>()
  return key => {
    const known = all.get(key) ?? { made: make(key) }
    all.set(key, known)
    return known.made
  }
}

/**
 * Computes a value once for each text, until the texts together have more than `most` characters; then all are dropped.
 * Callers share the value.
 */
export function onceForText<T>(make: (text: string) => T, most: number): (text: string) => T {
  const all = new Map<string, { made: T }>()
  let characters = 0
  return text => {
    const known = all.get(text)
    if (known) return known.made
    const made = make(text)
    characters += text.length
    if (characters > most) {
      all.clear()
      characters = text.length
    }
    if (text.length <= most) all.set(text, { made })
    return made
  }
}

/** Keeps the latest texts by name. The oldest are dropped when all together have more than `most` characters. */
export function latestTexts(most: number): {
  get(name: string): string | undefined
  /** Adds a text, and drops the texts that it is composed of. A text that is longer than the limit is not kept. */
  add(name: string, text: string, parts?: readonly string[]): void
} {
  const all = new Map<string, string>()
  let characters = 0
  const drop = (name: string) => {
    characters -= all.get(name)?.length ?? 0
    all.delete(name)
  }
  return {
    get: name => all.get(name),
    add(name, text, parts = []) {
      if (all.has(name) || text.length > most) return
      parts.forEach(drop)
      all.set(name, text)
      characters += text.length
      for (const oldest of all.keys()) {
        if (characters <= most) return
        drop(oldest)
      }
    },
  }
}

/** Computes a value for each object, and again when one of its other inputs has changed. */
export function renewedFor<K extends WeakKey, T>(): (key: K, of: readonly unknown[], make: () => T) => T {
  const all = new WeakMap<K, { of: readonly unknown[]; made: T }>()
  return (key, of, make) => {
    const known = all.get(key)
    if (known?.of.length === of.length && known.of.every((each, index) => each === of[index])) return known.made
    const made = make()
    all.set(key, { of, made })
    return made
  }
}

/** Like `renewedFor`, for a single value. */
export function renewed<T>(): (of: readonly unknown[], make: () => T) => T {
  const [keep, key] = [renewedFor<object, T>(), {}]
  return (of, make) => keep(key, of, make)
}
