import type { Database } from '../core/database/database.ts'

/** Facts about the workspace itself. */
type SettingName =
  | 'cursorSecret'
  | 'sealingKeyCheck'
  | 'localKeyId'
  | 'localAccountId'
  | 'localOrganizationId'
  | 'referenceServerId'

export type Settings = {
  get(name: SettingName): string | undefined
  set(name: SettingName, value: string): void
  /** The stored value, or the made one after storing it. */
  ensure(name: SettingName, make: () => string): string
}

export function createSettings(database: Database): Settings {
  const get = (name: SettingName) =>
    database.get<{ value: string }>('SELECT value FROM setting WHERE name = :name', { name })?.value
  const set = (name: SettingName, value: string) => {
    database.run(
      'INSERT INTO setting (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = :value',
      { name, value },
    )
  }
  return {
    get,
    set,
    ensure(name, make) {
      const known = get(name)
      if (known !== undefined) return known
      const value = make()
      set(name, value)
      return value
    },
  }
}
