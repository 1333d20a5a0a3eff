/** Makes something once for each object, for as long as that is there. */
export function onceFor<K extends WeakKey, T>(make: (key: K) => T): (key: K) => T {
  const all = new WeakMap<K, { made: T }>()
  return key => {
    const known = all.get(key) ?? { made: make(key) }
    all.set(key, known)
    return known.made
  }
}
