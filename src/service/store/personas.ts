import { assignments, insertInto, type Database } from '../core/database/database.ts'
import { latestFirst, type LatestFirst } from './latest-first.ts'

export type PersonaRow = {
  id: string
  projectId: string
  /** Made from the first name, unique in the project, and kept when the persona is renamed. */
  slug: string
  name: string
  role: string
  notes: string | null
  /** Null = the client derives a look. */
  avatarShape: number | null
  avatarPalette: number | null
  createdAt: number
  updatedAt: number
}

export type PersonaRows = {
  get(projectId: string, id: string): PersonaRow | undefined
  hasSlug(projectId: string, slug: string): boolean
  page: LatestFirst<PersonaRow>
  insert(row: PersonaRow): void
  update(row: PersonaRow): void
  delete(id: string): void
}

export function createPersonaRows(database: Database): PersonaRows {
  const editable = ['name', 'role', 'notes', 'avatarShape', 'avatarPalette', 'updatedAt'] as const
  return {
    get: (projectId, id) =>
      database.get('SELECT * FROM persona WHERE id = :id AND projectId = :projectId', { id, projectId }),
    hasSlug: (projectId, slug) =>
      database.get('SELECT 1 FROM persona WHERE projectId = :projectId AND slug = :slug', {
        projectId,
        slug,
      }) !== undefined,
    page: latestFirst(database, 'persona'),
    insert: row => void database.run(insertInto('persona', Object.keys(row)), row),
    update({ id, name, role, notes, avatarShape, avatarPalette, updatedAt }) {
      const values = { id, name, role, notes, avatarShape, avatarPalette, updatedAt }
      database.run(`UPDATE persona SET ${assignments(editable)} WHERE id = :id`, values)
    },
    delete: id => void database.run('DELETE FROM persona WHERE id = :id', { id }),
  }
}
