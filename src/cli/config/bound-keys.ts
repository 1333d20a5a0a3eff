import type { Bindings } from '../../tui/keymap/binding.ts'
import type { Overrides } from '../../tui/keymap/overrides.ts'

/**
 * All bindings with the keys that the config gives them; undefined where it gives none. Reading it refused what cannot
 * be.
 */
export async function boundKeys(keys: Overrides): Promise<readonly Bindings[] | undefined> {
  if (Object.keys(keys).length === 0) return undefined
  const [{ applyOverrides }, { allBindings }] = await Promise.all([
    import('../../tui/keymap/overrides.ts'),
    import('../../app/shell/all-bindings.ts'),
  ])
  return applyOverrides(allBindings, keys).bindings
}
