import { newId } from '../core/ids.ts'
import { insertInto, type Database } from '../core/database/database.ts'

type OrganizationRow = { id: string; name: string; createdAt: number }
type AccountRow = { id: string; name: string; createdAt: number; updatedAt: number }

export type OrganizationRows = {
  get(id: string): OrganizationRow | undefined
  insert(name: string): OrganizationRow
  /** Takes its projects with it and leaves its keys without an organization. */
  delete(id: string): void
  account(id: string): AccountRow | undefined
  insertAccount(name: string): AccountRow
}

export function createOrganizationRows(database: Database): OrganizationRows {
  return {
    get: id => database.get('SELECT * FROM organization WHERE id = :id', { id }),
    insert(name) {
      const row = { id: newId('org'), name, createdAt: Date.now() }
      database.run(insertInto('organization', Object.keys(row)), row)
      return row
    },
    delete: id => void database.run('DELETE FROM organization WHERE id = :id', { id }),
    account: id => database.get('SELECT * FROM account WHERE id = :id', { id }),
    insertAccount(name) {
      const now = Date.now()
      const row = { id: newId('acc'), name, createdAt: now, updatedAt: now }
      database.run(insertInto('account', Object.keys(row)), row)
      return row
    },
  }
}
