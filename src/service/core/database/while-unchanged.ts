import type { Store } from './store.ts'

/**
 * Keeps what was made for each key until anything in the database has changed. Inside a `write`, which may still be
 * taken back, it is made every time.
 */
export function whileUnchanged<Key, Made>(store: Pick<Store, 'state'>): (key: Key, make: () => Made) => Made {
  let last: { state: string; made: Map<Key, Made> } | undefined
  return (key, make) => {
    const state = store.state()
    if (state === undefined) return make()
    if (last?.state !== state) last = { state, made: new Map() }
    const known = last.made.get(key)
    if (known !== undefined) return known
    const made = make()
    last.made.set(key, made)
    return made
  }
}
