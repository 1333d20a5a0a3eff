import * as z from 'zod'
import { anyField, exactlyOne, needs, listOf, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { draftFields, drafting, environmentIds, fanOut, saving, PersonaInput } from './swarms.ts'

/** A task for one persona. `swarmId` only names where it was created. Without environments it uses its clients. */
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

/**
 * An absent field is kept, a value sets it, `null` clears it. `null` environments return the journey to its client
 * targets.
 */
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
  list: endpoint('listJourneys', 'GET', collection, {
    summary: 'Journeys of a project, latest first, archived ones hidden.',
    ...listOf(Journey),
    gate: 'swarms',
  }),
  create: endpoint('createJourney', 'POST', collection, {
    ...saving,
    summary: 'Save one journey: persona, goal and targets; launches nothing.',
    body: JourneyCreateRequest,
    response: Journey,
  }),
  get: endpoint('getJourney', 'GET', journey, { summary: 'One journey.', response: Journey, gate: 'swarms' }),
  update: endpoint('updateJourney', 'PATCH', journey, {
    summary: 'Edit a journey; runs already started keep their snapshot.',
    body: JourneyUpdateRequest,
    response: Journey,
    risk: 'write',
    gate: 'swarms',
    refreshes: ['journeyRuns'],
  }),
  /** No operation restores a journey, so it cannot be undone. */
  archive: endpoint('archiveJourney', 'DELETE', journey, {
    summary: 'Retire a journey; its past runs remain readable.',
    response: JourneyArchived,
    risk: 'delete',
    refreshes: ['journeyRuns'],
  }),
  generate: endpoint('generateJourneys', 'POST', `${collection}/generate`, {
    ...drafting,
    summary: 'Have a model draft journeys for one persona; saves nothing, uses the daily quota.',
    body: JourneyGenerateRequest,
  }),
})
