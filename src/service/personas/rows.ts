import { tableOf } from '../core/database/table.ts'
import type { Database } from '../../lib/sqlite.ts'

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

export function createPersonaRows(database: Database) {
  const personas = tableOf<PersonaRow>(database, 'persona', { fixed: ['projectId', 'slug', 'createdAt'] })
  return {
    ...personas.basics,
    hasSlug: (projectId: string, slug: string) => personas.one({ projectId, slug }) !== undefined,
    page: personas.page(),
    delete: personas.delete,
  }
}
