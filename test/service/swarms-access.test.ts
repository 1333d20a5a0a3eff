import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { gateSetting } from '../../src/service/core/organization-limits.ts'
import { createApi, open } from './harness.ts'
import { GOAL, otherProject, SIZE, workspace } from './swarms-workspace.ts'

const { journeyRuns, journeys, personas, projects, swarms } = contract

test('records of another project are not visible', async () => {
  const { api, store, projectId, environment, persona, swarm, journey } = await workspace()
  const { id: personaId } = await persona()
  const { id: swarmId } = await swarm()
  const { id: journeyId } = await journey(personaId)
  const there = await environment('There')
  const foreign = await otherProject(api)
  const reads = [
    [personas.get, { personaId }],
    [personas.delete, { personaId }],
    [swarms.get, { swarmId }],
    [swarms.archive, { swarmId }],
    [journeys.get, { journeyId }],
    [journeys.archive, { journeyId }],
  ] as const
  for (const [endpoint, ids] of reads)
    expect(await api.refused(endpoint, { projectId: foreign, ...ids })).toMatchObject({ status: 404 })
  const edits = [
    [personas.update, { personaId }],
    [swarms.update, { swarmId }],
    [journeys.update, { journeyId }],
  ] as const
  for (const [endpoint, ids] of edits)
    expect(await api.refused(endpoint, { projectId: foreign, ...ids, body: { name: 'mine' } })).toMatchObject({
      status: 404,
    })
  const own = await api.call(personas.create, { projectId: foreign, body: { name: 'Eve', role: 'spy' } })
  for (const body of [{ personaId }, { personaId: own.id, swarmId }, { personaId: own.id, environmentIds: [there.id] }])
    expect(
      await api.refused(journeys.create, { projectId: foreign, body: { ...GOAL, ...SIZE, ...body } }),
    ).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  const { key } = makeKey(store, 'elsewhere', { grants: { [foreign]: 'admin' } })
  for (const endpoint of [personas.list, swarms.list, journeys.list])
    expect(await api.refused(endpoint, { projectId }, { key })).toMatchObject({ status: 404 })
  const guest = makeKey(store, 'guest', { role: 'guest' }).key
  for (const endpoint of [personas.list, swarms.list, journeys.list])
    expect(await api.refused(endpoint, { projectId }, { key: guest })).toMatchObject({ status: 403 })
  const member = makeKey(store, 'member', { role: 'member' }).key
  const body = { name: 'Mia', role: 'member' }
  expect(await api.call(personas.create, { projectId, body }, { key: member })).toMatchObject(body)
})

test('with the gate closed, writes are refused, lists are empty, and deletes still work', async () => {
  const { api, store, projectId, persona, swarm, journey } = await workspace()
  const { id: personaId } = await persona()
  const { id: swarmId } = await swarm()
  const { id: journeyId } = await journey(personaId)
  const { organizationId } = store.projects.get(projectId)!
  store.write(() => store.organizationSettings.set(organizationId, gateSetting('swarms'), 'off'))
  for (const endpoint of [personas.list, swarms.list, journeys.list])
    expect(await api.call(endpoint, { projectId })).toEqual({ items: [] })
  const grounding = { environmentId: 'env_any' }
  const refusals = [
    [personas.create, {}, { name: 'x', role: 'y' }],
    [personas.update, { personaId }, { name: 'x' }],
    [personas.generate, {}, grounding],
    [personas.get, { personaId }, undefined],
    [swarms.create, {}, { name: 'x', ...SIZE }],
    [swarms.update, { swarmId }, { name: 'x' }],
    [swarms.get, { swarmId }, undefined],
    [journeys.create, {}, { personaId, ...GOAL, ...SIZE }],
    [journeys.update, { journeyId }, { name: 'x' }],
    [journeys.generate, {}, { ...grounding, persona: { name: 'x', role: 'y' } }],
    [journeys.get, { journeyId }, undefined],
    // This is not a list, though every field of its answer is optional.
    [journeyRuns.overview, {}, undefined],
  ] as const
  for (const [endpoint, ids, body] of refusals)
    expect(await api.refused(endpoint, { projectId, ...ids, ...(body && { body }) })).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      message: expect.stringContaining('Swarms'),
    })
  await api.call(journeys.archive, { projectId, journeyId })
  await api.call(swarms.archive, { projectId, swarmId })
  await api.call(personas.delete, { projectId, personaId })
  store.write(() => store.organizationSettings.unset(organizationId, gateSetting('swarms')))
  for (const endpoint of [personas.list, swarms.list, journeys.list])
    expect(await api.call(endpoint, { projectId })).toEqual({ items: [] })
})

test('a deleted project takes its personas and journeys with it, and another start reads the others', async () => {
  const { api, store, projectId, persona, journey } = await workspace()
  const { id: personaId } = await persona()
  const doomed = await otherProject(api)
  const own = await api.call(personas.create, { projectId: doomed, body: { name: 'Eve', role: 'spy' } })
  const body = { personaId: own.id, ...GOAL, ...SIZE }
  const { id } = await api.call(journeys.create, { projectId: doomed, body })
  await api.call(projects.delete, { projectId: doomed })
  expect(store.journeys.get(doomed, id)).toBeUndefined()
  expect(store.personas.get(doomed, own.id)).toBeUndefined()
  const made = await journey(personaId)
  const second = await open({ dataDir: store.directory!.path })
  const read = await second.api.call(journeys.get, { projectId, journeyId: made.id })
  expect(read).toEqual(made)
})

test('capabilities list what a role may do, and what is switched off', async () => {
  const { api, store, projectId } = await workspace()
  const { organizationId } = store.projects.get(projectId)!
  const ask = async (role: 'member' | 'editor' | 'admin') => {
    const { key } = makeKey(store, role, { grants: { [projectId]: role } })
    const { features, can } = await createApi(api.fetch, key).call(projects.capabilities, { projectId })
    const allowed = Object.entries(can).flatMap(([name, is]) => (is === true ? [name] : []))
    return { sandboxes: features?.sandboxes, allowed }
  }
  const turn = (gate: 'swarms' | 'user-testing', state: 'on' | 'off') =>
    store.write(() => store.organizationSettings.set(organizationId, gateSetting(gate), state))
  const on = { enabled: true, mode: 'enforce', enforced: true }
  const evals = ['readEvals', 'writeEvalSuites', 'launchEvalRun']
  const swarmWrites = ['writeSwarms', 'launchJourneyRun', 'requestInsights']
  const guarded = ['publishUserTestingScenario', 'manageUserTestingGuestExecution', 'deleteAnyEvalSuite']

  const member = await ask('member')
  expect(member.sandboxes).toEqual(on)
  expect(member.allowed).toEqual(expect.arrayContaining(['readSwarms', 'cancelJourneyRun', ...swarmWrites, ...evals]))
  for (const permission of guarded) expect(member.allowed).not.toContain(permission)
  expect((await ask('admin')).allowed).toEqual(expect.arrayContaining(guarded))

  turn('swarms', 'off')
  const withoutSwarms = await ask('admin')
  expect(withoutSwarms.sandboxes).toEqual({ ...on, reason: expect.stringMatching(/: Swarms\.$/) })
  for (const permission of ['readSwarms', ...swarmWrites]) expect(withoutSwarms.allowed).not.toContain(permission)
  expect(withoutSwarms.allowed).toEqual(expect.arrayContaining(['cancelJourneyRun', ...guarded, ...evals]))

  turn('user-testing', 'off')
  const withoutBoth = await ask('admin')
  expect(withoutBoth.sandboxes).toMatchObject({ enabled: false, mode: 'enforce', enforced: true })
  expect(withoutBoth.allowed.toSorted()).toEqual(
    ['cancelJourneyRun', 'unpublishUserTestingScenario', 'deleteAnyEvalSuite', 'exportEvalTraces', ...evals].toSorted(),
  )
})
