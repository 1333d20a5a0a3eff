import * as z from 'zod'
import { anyField, needs, listOf, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { environmentIds, fanOut, saving } from './swarm-shapes.ts'

/** A container of defaults for new journeys. `setupWrites` is read-only: no request shows it (differences, row 15). */
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

/** Absent keeps, a value sets, `null` clears. */
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

export const SwarmArchived = shape(() =>
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
  /** No route restores a swarm, so it cannot be undone. */
  archive: endpoint('archiveSwarm', 'DELETE', swarm, {
    summary: 'Retire a swarm container; its journeys can still launch.',
    response: SwarmArchived,
    risk: 'delete',
  }),
})
