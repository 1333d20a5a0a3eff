import type * as z from 'zod'
import { Persona, type PersonaCreateRequest, type PersonaUpdateRequest } from '../../api/contract/personas.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { PersonaRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { declaredFields, requireNotBlank } from '../core/record-handlers.ts'
import { cut } from '../core/one-line.ts'

type Content = z.output<typeof PersonaCreateRequest>
type Edit = z.output<typeof PersonaUpdateRequest>

const SLUG_CHARS = 60

/**
 * Saves a persona; runs inside the caller's transaction. @throws ServiceError `VALIDATION_ERROR` for a blank name or
 * role
 */
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

/** Absent fields stay; empty notes clear them. @throws ServiceError `VALIDATION_ERROR` for a blank name or role */
export function updatePersona(store: Store, row: PersonaRow, edit: Edit): PersonaRow {
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

/** Retired journeys do not hold a persona, since nothing can launch them. @throws ServiceError `CONFLICT` */
export function deletePersona(store: Store, { id, projectId }: PersonaRow) {
  const journeyIds = store.journeys.idsByPersona(projectId, id)
  if (journeyIds.length > 0)
    throw new ServiceError('CONFLICT', 'Journeys still refer to this persona; archive them first.', {
      details: { journeyIds },
    })
  store.personas.delete(id)
  return { id, projectId, deleted: true }
}

export function toPersona(row: PersonaRow): Persona {
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
