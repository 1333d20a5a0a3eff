import * as z from 'zod'
import { anyField, needs, listOf, record, shape, strictBody, timestamp, openObject } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** Size of a launch: total sessions = targets × `sessionsPerTarget`, each of up to `maxTurns` turns. */
export const fanOut = () => ({ sessionsPerTarget: z.int().min(1).max(100), maxTurns: z.int().min(1).max(200) })

/** Environments of a launch. `[]` is refused because it would mean an explicit list of none. */
export const environmentIds = shape(() => z.array(z.string()).min(1))

/** A drafted persona, of which nothing is stored. */
export const PersonaDraft = shape(() =>
  record({ name: z.string(), role: z.string().nullish(), notes: z.string().nullish() }),
)
export type PersonaDraft = z.infer<typeof PersonaDraft>

/** A drafted journey. `suggestedChecks` are assertions that need no model. */
export const JourneyDraft = shape(() =>
  record({ name: z.string().nullish(), goal: z.string(), suggestedChecks: z.array(openObject()).nullish() }),
)
export type JourneyDraft = z.infer<typeof JourneyDraft>

/**
 * Drafts, in a form that depends on the request: journeys; `persona` with `journeys`; or `personas` with
 * `personaCount`.
 */
export const GenerationDrafts = shape(() =>
  record({
    persona: PersonaDraft().nullish(),
    personas: z
      .array(record({ persona: PersonaDraft().nullish(), journeys: z.array(JourneyDraft()).nullish() }))
      .nullish(),
    journeys: z.array(JourneyDraft()).nullish(),
  }),
)
export type GenerationDrafts = z.infer<typeof GenerationDrafts>

/** The basis of drafts: exactly one of the two fields (contract: "Journey-draft request fields"). */
const grounding = () => ({ serverAttachmentId: z.string().optional(), environmentId: z.string().optional() })

/** Fields of both drafting requests. The service states no limit for `journeyCount`. */
export const draftFields = () => ({
  ...grounding(),
  journeyCount: z.int().optional(),
  description: z.string().max(2000).optional(),
})

/** A persona by value, because drafts are created before anything is saved. */
export const PersonaInput = shape(() =>
  strictBody({ name: z.string(), role: z.string(), notes: z.string().optional() }),
)

/** A model answers while the caller waits. Giving up early would still use up the quota. */
export const DRAFTING_DEADLINE_MS = 100_000

export const saving = {
  status: 201,
  errors: ['VALIDATION_ERROR', 'CONFLICT'],
  risk: 'write',
  idempotency: 'header',
  gate: 'swarms',
  source: 'prose',
} as const

/**
 * Settings that drafting operations share. `spend` stands for the daily quota, since they take no credits (differences,
 * row 9).
 */
export const drafting = {
  response: GenerationDrafts,
  risk: 'spend',
  idempotency: 'none',
  gate: 'swarms',
  deadlineMs: DRAFTING_DEADLINE_MS,
  source: 'prose',
} as const

/** Defaults for new journeys. `setupWrites` is read-only: no request sets it (differences, row 15). */
export const Swarm = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    name: z.string(),
    description: z.string().nullish(),
    environmentIds: z.array(z.string()).nullish(),
    sessionsPerTarget: z.number().nullish(),
    maxTurns: z.number().nullish(),
    setupWrites: z.boolean().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Swarm = z.infer<typeof Swarm>

const name = shape(() => z.string().max(200))
const description = shape(() => z.string().max(2000))

export const SwarmCreateRequest = shape(() =>
  strictBody({
    name: name(),
    description: description().optional(),
    environmentIds: environmentIds().optional(),
    ...fanOut(),
  }),
)

/** An absent field is kept, a value sets it, `null` clears it. */
export const SwarmUpdateRequest = shape(() =>
  strictBody({
    name: name().optional(),
    description: description().nullable().optional(),
    environmentIds: environmentIds().nullable().optional(),
    sessionsPerTarget: fanOut().sessionsPerTarget.optional(),
    maxTurns: fanOut().maxTurns.optional(),
  })
    .refine(...anyField)
    .refine(...needs('sessionsPerTarget', 'maxTurns'))
    .refine(...needs('maxTurns', 'sessionsPerTarget')),
)

const SwarmArchived = shape(() =>
  record({ id: z.string(), projectId: z.string().nullish(), archived: z.boolean().nullish() }),
)

const collection = '/projects/{projectId}/swarms' as const
const swarm = `${collection}/{swarmId}` as const

export const swarms = resource('swarms', {
  list: endpoint('listSwarms', 'GET', collection, {
    summary: 'Swarm containers of a project.',
    ...listOf(Swarm),
    gate: 'swarms',
    source: 'prose',
  }),
  create: endpoint('createSwarm', 'POST', collection, {
    ...saving,
    summary: 'Save a swarm container of defaults; launches nothing.',
    body: SwarmCreateRequest,
    response: Swarm,
  }),
  get: endpoint('getSwarm', 'GET', swarm, { summary: 'One swarm container.', response: Swarm, gate: 'swarms' }),
  update: endpoint('updateSwarm', 'PATCH', swarm, {
    summary: "Edit a container's defaults; existing journeys are unaffected.",
    body: SwarmUpdateRequest,
    response: Swarm,
    risk: 'write',
    gate: 'swarms',
  }),
  /** No operation restores a swarm, so it cannot be undone. */
  archive: endpoint('archiveSwarm', 'DELETE', swarm, {
    summary: 'Retire a swarm container; its journeys can still launch.',
    response: SwarmArchived,
    risk: 'delete',
  }),
})
