/** Makes something once for each object, for as long as that is there. */
export function onceFor<K extends WeakKey, T>(make: (key: K) => T): (key: K) => T {
  const all = new WeakMap<K, { made: T }>()
  return key => {
    const known = all.get(key) ?? { made: make(key) }
    all.set(key, known)
    return known.made
  }
}

/** Makes something for each object, and again once anything else that it is made of is another. */
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
