import type { Database } from '../core/database/database.ts'

/** Values that were set for one organization; what is not set has its declared default (`limits/limits.ts`). */
export type OrganizationSettingRows = {
  get(organizationId: string, name: string): string | undefined
  set(organizationId: string, name: string, value: string): void
  /** Back to the default. */
  unset(organizationId: string, name: string): void
}

export function createOrganizationSettingRows(database: Database): OrganizationSettingRows {
  const where = 'WHERE organizationId = :organizationId AND name = :name'
  return {
    get: (organizationId, name) =>
      database.get<{ value: string }>(`SELECT value FROM organizationSetting ${where}`, {
        organizationId,
        name,
      })?.value,
    set(organizationId, name, value) {
      database.run(
        `INSERT INTO organizationSetting (organizationId, name, value) VALUES (:organizationId, :name, :value)
         ON CONFLICT (organizationId, name) DO UPDATE SET value = :value`,
        { organizationId, name, value },
      )
    },
    unset: (organizationId, name) =>
      void database.run(`DELETE FROM organizationSetting ${where}`, { organizationId, name }),
  }
}
