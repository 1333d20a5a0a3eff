import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'

import { GOAL, otherProject, SIZE, workspace } from './swarms-workspace.ts'

const { clients, environments, journeys, personas, swarms } = contract

test('a persona is created, read, edited, listed and deleted', async () => {
  const { api, projectId, persona } = await workspace()
  const made = await persona('Ada Löwe', { notes: 'Impatient.', avatarShape: 3 })
  expect(made).toEqual({
    id: expect.stringMatching(/^per_/),
    projectId,
    slug: 'ada-lowe',
    name: 'Ada Löwe',
    role: 'accountant',
    notes: 'Impatient.',
    source: 'manual',
    avatar: { shape: 3, palette: null },
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  })
  const input = { projectId, personaId: made.id }
  const edit = (body: object) => api.call(personas.update, { ...input, body })
  expect(await edit({ name: 'Grace', avatarPalette: 0 })).toMatchObject({
    slug: 'ada-lowe',
    name: 'Grace',
    notes: 'Impatient.',
    avatar: { shape: 3, palette: 0 },
  })
  expect(await edit({ notes: '' })).toMatchObject({ notes: null, name: 'Grace' })
  expect(await api.call(personas.get, input)).toMatchObject({ name: 'Grace', notes: null })
  expect((await persona('ada lowe!')).slug).toBe('ada-lowe-2')
  expect((await persona('🎩')).slug).toBe('persona')
  const names = async () => (await api.call(personas.list, { projectId })).items.map(({ name }) => name)
  expect(await names()).toEqual(['🎩', 'ada lowe!', 'Grace'])
  expect(await api.call(personas.delete, input)).toEqual({ id: made.id, projectId, deleted: true })
  expect(await names()).toEqual(['🎩', 'ada lowe!'])
  for (const endpoint of [personas.get, personas.delete])
    expect(await api.refused(endpoint, input)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(await api.refused(personas.update, { ...input, body: { name: 'x' } })).toMatchObject({ status: 404 })
})

test('a persona can be deleted only while no live journey refers to it', async () => {
  const { api, projectId, persona, journey } = await workspace()
  const { id: personaId } = await persona()
  const made = await journey(personaId)
  expect(await api.refused(personas.delete, { projectId, personaId })).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    details: { journeyIds: [made.id] },
  })
  const input = { projectId, journeyId: made.id }
  const archived = { id: made.id, projectId, archived: true }
  expect(await api.call(journeys.archive, input)).toEqual(archived)
  expect(await api.call(journeys.archive, input)).toEqual(archived)
  expect(await api.call(personas.delete, { projectId, personaId })).toMatchObject({ deleted: true })
  expect(await api.call(journeys.get, input)).toMatchObject({ id: made.id, personaId })
})

test('a swarm is created, read, edited and archived', async () => {
  const { api, projectId, environment, swarm } = await workspace()
  const [first, second] = [await environment('First'), await environment('Second')]
  const made = await swarm({ description: 'Nightly', environmentIds: [first.id, second.id, first.id] })
  expect(made).toEqual({
    id: expect.stringMatching(/^swm_/),
    projectId,
    name: 'Swarm',
    description: 'Nightly',
    environmentIds: [first.id, second.id],
    ...SIZE,
    setupWrites: false,
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  })
  const input = { projectId, swarmId: made.id }
  const edit = (body: object) => api.call(swarms.update, { ...input, body })
  expect(await edit({ name: 'Other', sessionsPerTarget: 1, maxTurns: 200 })).toMatchObject({
    name: 'Other',
    description: 'Nightly',
    environmentIds: [first.id, second.id],
    sessionsPerTarget: 1,
    maxTurns: 200,
  })
  expect(await edit({ description: null, environmentIds: null })).toMatchObject({
    name: 'Other',
    description: null,
    environmentIds: [],
    maxTurns: 200,
  })
  const bystander = await swarm()
  const ids = async () => (await api.call(swarms.list, { projectId })).items.map(({ id }) => id)
  expect(await ids()).toEqual([bystander.id, made.id])
  const archived = { id: made.id, projectId, archived: true }
  expect(await api.call(swarms.archive, input)).toEqual(archived)
  expect(await ids()).toEqual([bystander.id])
  expect(await api.call(swarms.get, input)).toMatchObject({ name: 'Other' })
  expect(await api.refused(swarms.update, { ...input, body: { name: 'x' } })).toMatchObject({ status: 409 })
  expect(await api.call(swarms.archive, input)).toEqual(archived)
})

test('a journey is created, read, edited and archived', async () => {
  const { api, projectId, client, environment, persona, journey } = await workspace()
  const { id: personaId } = await persona()
  const there = await environment('There')
  const made = await journey(personaId, { hostIds: [client.id, client.id] })
  expect(made).toEqual({
    id: expect.stringMatching(/^jny_/),
    projectId,
    name: GOAL.goal,
    ...GOAL,
    personaId,
    swarmId: null,
    environmentIds: [],
    ...SIZE,
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  })
  const input = { projectId, journeyId: made.id }
  const edit = (body: object) => api.call(journeys.update, { ...input, body })
  expect(await edit({ name: 'Sums', environmentIds: [there.id], serverAttachmentId: null })).toMatchObject({
    name: 'Sums',
    ...GOAL,
    environmentIds: [there.id],
    ...SIZE,
  })
  const goal = `${'word '.repeat(30)}\n end`
  expect(await edit({ goal, name: '' })).toMatchObject({ goal, name: goal.slice(0, 80) })
  expect(await edit({ environmentIds: null, sessionsPerTarget: 100, maxTurns: 1 })).toMatchObject({
    environmentIds: [],
    sessionsPerTarget: 100,
    maxTurns: 1,
  })
  expect(await api.call(journeys.get, input)).toMatchObject({ goal, maxTurns: 1 })
  expect((await api.call(journeys.list, { projectId })).items.map(({ id }) => id)).toEqual([made.id])
  await api.call(journeys.archive, input)
  expect((await api.call(journeys.list, { projectId })).items).toEqual([])
  expect(await api.refused(journeys.update, { ...input, body: { name: 'x' } })).toMatchObject({
    status: 409,
    code: 'CONFLICT',
  })
})

test('a journey takes the environments of its swarm, and keeps them', async () => {
  const { api, store, projectId, client, environment, persona, swarm, journey } = await workspace()
  const { id: personaId } = await persona()
  const [first, second] = [await environment('First'), await environment('Second')]
  const { id: swarmId } = await swarm({ environmentIds: [first.id] })
  const inherited = await journey(personaId, { swarmId })
  expect(inherited).toMatchObject({ swarmId, environmentIds: [first.id] })
  expect(await journey(personaId, { swarmId, environmentIds: [second.id] })).toMatchObject({
    environmentIds: [second.id],
  })
  const pinned = await journey(personaId, { swarmId, hostIds: [client.id] })
  expect(pinned.environmentIds).toEqual([])
  expect(store.journeys.get(projectId, pinned.id)?.clientIds).toEqual([client.id])
  await api.call(swarms.update, { projectId, swarmId, body: { environmentIds: [second.id] } })
  expect(await api.call(journeys.get, { projectId, journeyId: inherited.id })).toMatchObject({
    environmentIds: [first.id],
  })
  await api.call(swarms.archive, { projectId, swarmId })
  expect(await api.call(journeys.get, { projectId, journeyId: inherited.id })).toMatchObject({ swarmId })
  const body = { personaId, swarmId, ...GOAL, ...SIZE }
  expect(await api.refused(journeys.create, { projectId, body })).toMatchObject({ status: 409 })
})

test('a journey keeps an environment that was archived and a client that was deleted', async () => {
  const { api, store, projectId, client, environment, persona, journey } = await workspace()
  const [kept, gone] = [await environment('Kept'), await environment('Gone')]
  const { id: personaId } = await persona()
  const config = { modelId: 'a/b' }
  const lost = await api.call(clients.create, { projectId, body: { name: 'Lost', config } })
  const made = await journey(personaId, { environmentIds: [gone.id], hostIds: [lost.id] })
  const archive = { projectId, environmentId: gone.id, body: { expectedRevision: 1 } }
  await api.call(environments.archive, archive)
  await api.call(clients.delete, { projectId, clientId: lost.id })
  const input = { projectId, journeyId: made.id }
  const edit = (body: object) => api.call(journeys.update, { ...input, body })
  expect(await edit({ environmentIds: [kept.id, gone.id] })).toMatchObject({ environmentIds: [kept.id, gone.id] })
  await edit({ hostIds: [lost.id, client.id] })
  expect(store.journeys.get(projectId, made.id)?.clientIds).toEqual([lost.id, client.id])
  const body = { personaId, ...GOAL, ...SIZE, environmentIds: [gone.id] }
  expect(await api.refused(journeys.create, { projectId, body })).toMatchObject({
    status: 409,
    details: { code: 'ENV_ARCHIVED', environmentId: gone.id },
  })
})

test('invalid writes of personas, swarms and journeys are refused with the reason', async () => {
  const { api, projectId, persona, swarm, journey } = await workspace()
  const { id: personaId } = await persona()
  const { id: swarmId } = await swarm()
  const { id: journeyId } = await journey(personaId)
  const input = { projectId, personaId, swarmId, journeyId }
  const person = { name: 'x', role: 'y' }
  const swarmBody = { name: 'x', ...SIZE }
  const task = { personaId, ...GOAL, ...SIZE }
  const long = (length: number) => 'x'.repeat(length)
  const cases = [
    [personas.create, { ...person, name: ' ' }, 400, 'name'],
    [personas.create, { ...person, role: long(121) }, 400, 'role'],
    [personas.create, { ...person, notes: long(2001) }, 400, 'notes'],
    [personas.create, { ...person, avatarShape: -1 }, 400, 'avatarShape'],
    [personas.create, { ...person, goal: 'g' }, 400, 'goal'],
    [personas.update, {}, 400, ''],
    [personas.update, { role: ' ' }, 400, 'role'],
    [swarms.create, { ...swarmBody, name: '' }, 400, 'name'],
    [swarms.create, { ...swarmBody, environmentIds: [] }, 400, 'environmentIds'],
    [swarms.create, { ...swarmBody, environmentIds: ['env_none'] }, 404, undefined],
    [swarms.create, { ...swarmBody, sessionsPerTarget: 101 }, 400, 'sessionsPerTarget'],
    [swarms.create, { ...swarmBody, maxTurns: 201 }, 400, 'maxTurns'],
    [swarms.create, { ...swarmBody, setupWrites: true }, 400, 'setupWrites'],
    [swarms.update, { name: ' ' }, 400, 'name'],
    [swarms.update, { maxTurns: 3 }, 400, 'sessionsPerTarget'],
    [swarms.update, { environmentIds: ['env_none'] }, 404, undefined],
    [journeys.create, { ...task, goal: ' ' }, 400, 'goal'],
    [journeys.create, { ...task, goal: long(4001) }, 400, 'goal'],
    [journeys.create, { ...task, name: long(201) }, 400, 'name'],
    [journeys.create, { ...task, environmentIds: [] }, 400, 'environmentIds'],
    [journeys.create, { ...task, personaId: 'per_none' }, 404, undefined],
    [journeys.create, { ...task, swarmId: 'swm_none' }, 404, undefined],
    [journeys.create, { ...task, environmentIds: ['env_none'] }, 404, undefined],
    [journeys.create, { ...task, hostIds: ['cli_none'] }, 404, undefined],
    [journeys.create, { ...task, serverAttachmentId: 'group' }, 404, undefined],
    [journeys.update, {}, 400, ''],
    [journeys.update, { goal: ' ' }, 400, 'goal'],
    [journeys.update, { sessionsPerTarget: 3 }, 400, 'maxTurns'],
    [journeys.update, { environmentIds: [] }, 400, 'environmentIds'],
    [journeys.update, { hostIds: ['cli_none'] }, 404, undefined],
    [journeys.update, { serverAttachmentId: 'group' }, 404, undefined],
  ] as const
  for (const [endpoint, body, status, field] of cases) {
    const refusal = await api.refused(endpoint, { ...onlyPath(endpoint.path, input), body })
    const { operation } = endpoint
    const actual = { operation, body, status: refusal.status, field: refusal.details?.['field'] }
    expect(actual).toEqual({ operation, body, status, field })
  }
  expect((await api.call(personas.list, { projectId })).items).toHaveLength(1)
  expect((await api.call(swarms.list, { projectId })).items).toHaveLength(1)
  expect((await api.call(journeys.list, { projectId })).items).toHaveLength(1)
})

/** The parameters of the path, so that the other ones are not taken for query options. */
function onlyPath(path: string, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => path.includes(`{${name}}`)))
}

test('a repeated create gets the first answer, and another body under its key is refused', async () => {
  const { api, projectId, persona } = await workspace()
  const { id: personaId } = await persona()
  const creates = [
    [personas.create, personas.list, { name: 'Bo', role: 'buyer' }],
    [swarms.create, swarms.list, { name: 'Swarm', ...SIZE }],
    [journeys.create, journeys.list, { personaId, ...GOAL, ...SIZE }],
  ] as const
  for (const [endpoint, list, body] of creates) {
    const headers = { 'idempotency-key': 'one intent' }
    const count = async () => (await api.call(list, { projectId })).items.length
    const before = await count()
    const first = await api.call(endpoint, { projectId, body }, { headers })
    const reordered = Object.fromEntries(Object.entries(body).toReversed())
    expect(await api.call(endpoint, { projectId, body: reordered }, { headers })).toEqual(first)
    expect(await count()).toBe(before + 1)
    const other = { ...body, name: 'Something else' }
    expect(await api.refused(endpoint, { projectId, body: other }, { headers })).toMatchObject({
      status: 409,
      code: 'CONFLICT',
    })
    expect(await count()).toBe(before + 1)
    await api.call(endpoint, { projectId, body })
    expect(await count()).toBe(before + 2)
  }
})

test('a refused create does not use up its key', async () => {
  const { api, projectId, environment } = await workspace()
  const headers = { 'idempotency-key': 'again' }
  const body = { name: 'Swarm', ...SIZE, environmentIds: ['env_none'] }
  expect(await api.refused(swarms.create, { projectId, body }, { headers })).toMatchObject({ status: 404 })
  const { id } = await environment('There')
  const right = { ...body, environmentIds: [id] }
  expect(await api.call(swarms.create, { projectId, body: right }, { headers })).toMatchObject(right)
})

test('lists are read page by page, latest first, and a new record meanwhile does not shift them', async () => {
  const { api, store, projectId, persona, swarm, journey } = await workspace()
  const { id: personaId } = await persona('0')
  const make = {
    personas: (name: string) => persona(name),
    swarms: (name: string) => swarm({ name }),
    journeys: (name: string) => journey(personaId, { name }),
  }
  for (const resource of ['personas', 'swarms', 'journeys'] as const) {
    const { list } = contract[resource]
    const made = ['0', ...Array.from({ length: 54 }, (_, index) => String(index + 1))]
    for (const name of made.slice(resource === 'personas' ? 1 : 0)) await make[resource](name)
    const first = await api.call(list, { projectId })
    const cursor = first.nextCursor ?? ''
    expect(first.items.map(({ name }) => name)).toEqual(made.toReversed().slice(0, 50))
    await make[resource]('later')
    const second = await api.call(list, { projectId, cursor })
    expect(second.items.map(({ name }) => name)).toEqual(['4', '3', '2', '1', '0'])
    expect(second.nextCursor).toBeUndefined()
    const other = resource === 'swarms' ? personas.list : swarms.list
    const refused = { status: 400, code: 'VALIDATION_ERROR', details: { field: 'cursor' } }
    expect(await api.refused(other, { projectId, cursor })).toMatchObject(refused)
    expect(await api.refused(list, { projectId: await otherProject(api), cursor })).toMatchObject(refused)
    expect(await api.refused(list, { projectId, cursor: `${cursor}x` })).toMatchObject(refused)
  }
  expect(store.personas.page(projectId, undefined, 100)).toHaveLength(56)
})
