import * as z from 'zod'
import { anyField, exactlyOne, listOf, openEnum, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { draftFields, drafting, saving } from './swarms.ts'

/**
 * A reusable synthetic character. `slug` identifies it in reports, but not in paths. A null avatar leaves the look to
 * the client.
 */
export const Persona = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    slug: z.string().nullish(),
    name: z.string(),
    role: z.string().nullish(),
    notes: z.string().nullish(),
    source: openEnum(['manual', 'generated', 'cluster']).nullish(),
    seedKeywords: z.array(z.string()).nullish(),
    avatar: record({ shape: z.number().nullish(), palette: z.number().nullish() }).nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Persona = z.infer<typeof Persona>

const name = shape(() => z.string().min(1).max(120))
const role = shape(() => z.string().min(1).max(120))
const details = () => ({
  notes: z.string().max(2000).optional(),
  avatarShape: z.int().min(0).optional(),
  avatarPalette: z.int().min(0).optional(),
})

export const PersonaCreateRequest = shape(() => strictBody({ name: name(), role: role(), ...details() }))

export const PersonaUpdateRequest = shape(() =>
  strictBody({ name: name().optional(), role: role().optional(), ...details() }).refine(...anyField),
)

export const PersonaDeleted = shape(() =>
  record({ id: z.string(), projectId: z.string().nullish(), deleted: z.boolean().nullish() }),
)

/** If `personaCount` is present, the answer has another form, so 1 differs from leaving it out. */
export const PersonaGenerateRequest = shape(() =>
  strictBody({
    ...draftFields(),
    personaCount: z.int().min(1).max(12).optional(),
    existingPersonas: z.array(strictBody({ name: z.string(), role: z.string() })).optional(),
  }).refine(...exactlyOne('environmentId', 'serverAttachmentId')),
)

const collection = '/projects/{projectId}/personas' as const
const persona = `${collection}/{personaId}` as const

export const personas = resource('personas', {
  list: endpoint('listPersonas', 'GET', collection, {
    summary: 'Personas of a project, latest first, archived ones hidden.',
    ...listOf(Persona),
    gate: 'swarms',
  }),
  create: endpoint('createPersona', 'POST', collection, {
    ...saving,
    summary: 'Save one persona.',
    body: PersonaCreateRequest,
    response: Persona,
  }),
  get: endpoint('getPersona', 'GET', persona, {
    summary: 'One persona; foreign ids are not found.',
    response: Persona,
    gate: 'swarms',
  }),
  update: endpoint('updatePersona', 'PATCH', persona, {
    summary: 'Edit some persona fields; journeys keep their reference.',
    body: PersonaUpdateRequest,
    response: Persona,
    risk: 'write',
    gate: 'swarms',
  }),
  delete: endpoint('deletePersona', 'DELETE', persona, {
    summary: 'Delete a persona; a conflict while any journey uses it.',
    response: PersonaDeleted,
    errors: ['CONFLICT'],
    risk: 'delete',
  }),
  generate: endpoint('generatePersonas', 'POST', `${collection}/generate`, {
    ...drafting,
    summary: 'Have a model draft personas with journeys; saves nothing, uses the daily quota.',
    body: PersonaGenerateRequest,
  }),
})
