import { assignments, insertInto, type Database } from '../core/database/database.ts'

export type ProjectRow = {
  id: string
  organizationId: string
  name: string
  description: string | null
  icon: string | null
  visibility: 'public' | 'private'
  createdAt: number
  updatedAt: number
}

export type ProjectRows = {
  get(id: string): ProjectRow | undefined
  /** Oldest first. */
  list(organizationId: string): ProjectRow[]
  insert(row: ProjectRow): void
  update(row: ProjectRow): void
  /** Takes everything in it with it. */
  delete(id: string): void
}

export function createProjectRows(database: Database): ProjectRows {
  const editable = ['name', 'description', 'icon', 'visibility', 'updatedAt'] as const
  return {
    get: id => database.get('SELECT * FROM project WHERE id = :id', { id }),
    list: organizationId =>
      database.all('SELECT * FROM project WHERE organizationId = :organizationId ORDER BY id', {
        organizationId,
      }),
    insert: row => void database.run(insertInto('project', Object.keys(row)), row),
    update({ id, name, description, icon, visibility, updatedAt }) {
      const values = { id, name, description, icon, visibility, updatedAt }
      database.run(`UPDATE project SET ${assignments(editable)} WHERE id = :id`, values)
    },
    delete: id => void database.run('DELETE FROM project WHERE id = :id', { id }),
  }
}
