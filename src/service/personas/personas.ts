import type * as z from 'zod'
import { Persona, type PersonaCreateRequest, type PersonaUpdateRequest } from '../../api/contract/personas.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'
import { declaredFields, requireNotBlank, recordHandlers } from '../core/record-handlers.ts'
import { cut } from '../core/one-line.ts'
import { tableOf } from '../core/database/table.ts'
import type { Database } from '../../lib/sqlite.ts'
import { draftPersonas } from '../drafting/drafting.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

type PersonaRow = {
  id: string
  projectId: string
  /** Derived from the name when the persona is created, and unique in the project. It does not change with the name. */
  slug: string
  name: string
  role: string
  notes: string | null
  /** Null if the client may choose the look. */
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

type Content = z.output<typeof PersonaCreateRequest>
type Edit = z.output<typeof PersonaUpdateRequest>

const SLUG_CHARS = 60

/** Saves a persona in the caller's transaction. @throws ServiceError `VALIDATION_ERROR` for a blank name or role */
export function insertPersona(store: Store, projectId: string, content: Content, now: number = Date.now()): PersonaRow {
  requireNotBlank('name', content.name)
  requireNotBlank('role', content.role)
  const { name, role, notes, avatarShape = null, avatarPalette = null } = content
  const row: PersonaRow = {
    id: newId('per'),
    projectId,
    slug: freeSlug(store, projectId, name),
    name,
    role,
    notes: notes || null,
    avatarShape,
    avatarPalette,
    createdAt: now,
    updatedAt: now,
  }
  store.personas.insert(row)
  return row
}

/**
 * Edits a persona. Absent fields are kept; empty notes delete the notes. @throws ServiceError `VALIDATION_ERROR` for a
 * blank name or role
 */
function updatePersona(store: Store, row: PersonaRow, edit: Edit): PersonaRow {
  requireNotBlank('name', edit.name)
  requireNotBlank('role', edit.role)
  const updated: PersonaRow = {
    ...row,
    name: edit.name ?? row.name,
    role: edit.role ?? row.role,
    notes: (edit.notes ?? row.notes) || null,
    avatarShape: edit.avatarShape ?? row.avatarShape,
    avatarPalette: edit.avatarPalette ?? row.avatarPalette,
    updatedAt: Date.now(),
  }
  store.personas.update(updated)
  return updated
}

/**
 * Deletes a persona. Archived journeys do not prevent this, since they cannot be launched. @throws ServiceError
 * `CONFLICT`
 */
function deletePersona(store: Store, { id, projectId }: PersonaRow) {
  const journeyIds = store.journeys.idsByPersona(projectId, id)
  if (journeyIds.length > 0)
    throw new ServiceError('CONFLICT', 'Journeys still refer to this persona; archive them first.', {
      details: { journeyIds },
    })
  store.personas.delete(id)
  return { id, projectId, deleted: true }
}

function toPersona(row: PersonaRow): Persona {
  const avatar = { shape: row.avatarShape, palette: row.avatarPalette }
  return { ...declaredFields(Persona, row), source: 'manual', avatar }
}

function freeSlug(store: Store, projectId: string, name: string): string {
  const slug = slugOf(name)
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? slug : `${slug}-${number}`
    if (!store.personas.hasSlug(projectId, candidate)) return candidate
  }
}

function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return cut((words ?? ['persona']).join('-'), SLUG_CHARS)
}

export function personaHandlers(context: ServiceContext): Handlers['personas'] {
  const { store } = context
  const { write, ...handlers } = recordHandlers(store, 'personas', {
    rows: store.personas,
    list: { latest: store.personas.page },
    toItem: toPersona,
    insert: insertPersona,
    update: updatePersona,
  })
  return {
    ...handlers,
    delete: write(row => deletePersona(store, row)),
    generate: ({ project, body, signal }) => draftPersonas(context, project, body, signal),
  }
}
