import * as z from 'zod'
import { anyField, exactlyOne, needs } from './body-rules.ts'
import { listQuery, queryCursor } from './cursor-list.ts'
import { endpoint, resource } from './endpoint.ts'
import { page, record, shape, strictBody, timestamp } from './shapes.ts'
import {
  draftFields,
  DRAFTING_DEADLINE_MS,
  environmentIds,
  fanOut,
  GenerationDrafts,
  PersonaInput,
} from './swarm-shapes.ts'

/** A task for one persona. `swarmId` only tells where it was authored; no environments = pinned to clients. */
export const Journey = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    name: z.string(),
    goal: z.string().nullish(),
    personaId: z.string().nullish(),
    swarmId: z.string().nullish(),
    environmentIds: z.array(z.string()).nullish(),
    serverAttachmentId: z.string().nullish(),
    sessionsPerTarget: z.number().nullish(),
    maxTurns: z.number().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Journey = z.infer<typeof Journey>

const name = shape(() => z.string().max(200).optional())
const goal = shape(() => z.string().min(1).max(4000))
const hostIds = shape(() => z.array(z.string()).optional())

export const JourneyCreateRequest = shape(() =>
  strictBody({
    name: name(),
    goal: goal(),
    personaId: z.string(),
    swarmId: z.string().optional(),
    environmentIds: environmentIds().optional(),
    serverAttachmentId: z.string().optional(),
    hostIds: hostIds(),
    ...fanOut(),
  }),
)

/** Absent keeps, a value sets, `null` clears; `null` environments return the journey to its client targets. */
export const JourneyUpdateRequest = shape(() =>
  strictBody({
    name: name(),
    goal: goal().optional(),
    environmentIds: environmentIds().nullable().optional(),
    serverAttachmentId: z.string().nullable().optional(),
    hostIds: hostIds(),
    sessionsPerTarget: fanOut().sessionsPerTarget.optional(),
    maxTurns: fanOut().maxTurns.optional(),
  })
    .refine(...anyField)
    .refine(...needs('sessionsPerTarget', 'maxTurns'))
    .refine(...needs('maxTurns', 'sessionsPerTarget')),
)

export const JourneyArchived = shape(() =>
  record({ id: z.string(), projectId: z.string().nullish(), archived: z.boolean().nullish() }),
)

export const JourneyGenerateRequest = shape(() =>
  strictBody({ ...draftFields(), persona: PersonaInput() }).refine(
    ...exactlyOne('environmentId', 'serverAttachmentId'),
  ),
)

const collection = '/projects/{projectId}/journeys' as const
const journey = `${collection}/{journeyId}` as const

export const journeys = resource('journeys', {
  list: endpoint({
    operation: 'listJourneys',
    method: 'GET',
    path: collection,
    summary: 'Journeys of a project, latest first, archived ones hidden.',
    query: listQuery,
    response: page(Journey),
    risk: 'read',
    gate: 'swarms',
    cursor: queryCursor,
    source: 'openapi',
  }),
  create: endpoint({
    operation: 'createJourney',
    method: 'POST',
    path: collection,
    summary: 'Save one journey: persona, goal and targets; launches nothing.',
    body: JourneyCreateRequest,
    status: 201,
    response: Journey,
    errors: ['VALIDATION_ERROR', 'CONFLICT'],
    risk: 'write',
    idempotency: 'header',
    gate: 'swarms',
    source: 'prose',
  }),
  get: endpoint({
    operation: 'getJourney',
    method: 'GET',
    path: journey,
    summary: 'One journey.',
    response: Journey,
    risk: 'read',
    gate: 'swarms',
    source: 'openapi',
  }),
  update: endpoint({
    operation: 'updateJourney',
    method: 'PATCH',
    path: journey,
    summary: 'Edit a journey; runs already started keep their snapshot.',
    body: JourneyUpdateRequest,
    response: Journey,
    errors: ['VALIDATION_ERROR'],
    risk: 'write',
    gate: 'swarms',
    refreshes: ['journeyRuns'],
    source: 'openapi',
  }),
  /** No route restores a journey, so it cannot be undone. */
  archive: endpoint({
    operation: 'archiveJourney',
    method: 'DELETE',
    path: journey,
    summary: 'Retire a journey; its past runs remain readable.',
    response: JourneyArchived,
    risk: 'delete',
    refreshes: ['journeyRuns'],
    source: 'openapi',
  }),
  /** `spend` stands for the daily quota: drafting takes no credits (differences, row 9). */
  generate: endpoint({
    operation: 'generateJourneys',
    method: 'POST',
    path: `${collection}/generate`,
    summary: 'Have a model draft journeys for one persona; saves nothing, uses the daily quota.',
    body: JourneyGenerateRequest,
    response: GenerationDrafts,
    errors: ['VALIDATION_ERROR'],
    risk: 'spend',
    idempotency: 'none',
    gate: 'swarms',
    deadlineMs: DRAFTING_DEADLINE_MS,
    source: 'prose',
  }),
})
