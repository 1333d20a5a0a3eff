import { expect } from 'vitest'
import { contract } from '../../../src/api/contract/contract.ts'
import type { EnvironmentModel } from './model.ts'
import type { Cut, StepOf } from './steps.ts'
import { pick, type World } from './world.ts'

const { environments, suites } = contract

export async function createEnvironment(world: World, { name, cut }: StepOf<'createEnvironment'>) {
  const { projectId, hostId } = world.place
  const before = world.model.environments
  const isTaken = before.some(each => each.name === name && !each.isArchived)
  const created = { id: '', name, description: null, revision: 1, isArchived: false }
  await change(world, {
    cut,
    after: isTaken ? undefined : [...before, created],
    status: 201,
    send: () => world.host.api.send(environments.create, { projectId, body: { name, hostId } }),
  })
}

export async function editEnvironment(world: World, step: StepOf<'editEnvironment'>) {
  const { name, description, isStale, cut } = step
  const before = world.model.environments
  const row = pick(before, step.which)!
  const isTaken = name !== undefined && name !== row.name && before.some(each => each.name === name && !each.isArchived)
  const edited = {
    ...row,
    name: name ?? row.name,
    description: description === undefined ? row.description : description || null,
  }
  await advance(world, row, {
    edited: isStale || row.isArchived || isTaken ? undefined : edited,
    cut,
    send: revision =>
      world.host.api.send(environments.update, {
        ...placeOf(world, row),
        body: {
          expectedRevision: revision - Number(isStale),
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
        },
      }),
  })
}

export async function archiveEnvironment(world: World, { which, isStale, cut }: StepOf<'archiveEnvironment'>) {
  const row = pick(world.model.environments, which)!
  await advance(world, row, {
    edited: isStale || row.isArchived ? undefined : { ...row, isArchived: true },
    cut,
    send: revision =>
      world.host.api.send(environments.archive, {
        ...placeOf(world, row),
        body: { expectedRevision: revision - Number(isStale) },
      }),
  })
}

export async function restoreEnvironment(world: World, { which, isStale, cut }: StepOf<'restoreEnvironment'>) {
  const before = world.model.environments
  // An archived environment is taken if there is one, so that restoring often succeeds.
  const archived = before.filter(each => each.isArchived)
  const row = pick(archived.length > 0 ? archived : before, which)!
  const isTaken = before.some(each => each.id !== row.id && each.name === row.name && !each.isArchived)
  await advance(world, row, {
    edited: isStale || !row.isArchived || isTaken ? undefined : { ...row, isArchived: false },
    cut,
    send: revision =>
      world.host.api.send(environments.restore, {
        ...placeOf(world, row),
        body: { expectedRevision: revision - Number(isStale) },
      }),
  })
}

/** Sets the attached environments of the suite; an archived one may stay, but cannot be added. */
export async function attach(world: World, { which, cut }: StepOf<'attach'>) {
  const { place, model, host } = world
  const before = model.attached
  const wanted = [...new Map(which.map(each => pick(model.environments, each)!).map(each => [each.id, each])).values()]
  const isRefused = wanted.some(each => each.isArchived && !before.includes(each.id))
  const after = wanted.map(({ id }) => id)
  const body = { environmentIds: after.length > 0 ? after : null }
  const target = { projectId: place.projectId, suiteId: place.suiteId }
  const answer = await host.ask(cut, () => host.api.send(suites.update, { ...target, body }))
  if (answer) expect(answer).toMatchObject({ status: isRefused ? 409 : 200 })
  const now = await attachedNow(world)
  expect(possible(answer, before, isRefused ? undefined : after)).toContainEqual(now)
  model.attached = now
}

/** Checks that the current state is the expected one. */
export async function checkEnvironments(world: World): Promise<void> {
  expect(await environmentsNow(world)).toEqual(world.model.environments)
  expect(await attachedNow(world)).toEqual(world.model.attached)
}

/** States that are possible now: an operation is applied completely or not at all. */
export function possible<T>(answer: object | undefined, before: T, after: T | undefined): T[] {
  if (after === undefined) return [before]
  return answer ? [after] : [before, after]
}

type Change = {
  cut: Cut | undefined
  /** Undefined if the operation is refused. */
  after: EnvironmentModel[] | undefined
  status: number
  send: () => Promise<Response>
}

async function change(world: World, { cut, after, status, send }: Change): Promise<void> {
  const before = world.model.environments
  const answer = await world.host.ask(cut, send)
  if (answer) expect(answer).toMatchObject({ status: after ? status : 409 })
  world.met.add(after ? 'environment changed' : 'environment refused')
  const now = await environmentsNow(world)
  const named = after?.map((each, index) => ({ ...each, id: each.id || (now[index]?.id ?? '') }))
  expect(possible(answer, before, named)).toContainEqual(now)
  world.model.environments = now
}

type Advance = {
  edited: EnvironmentModel | undefined
  cut: Cut | undefined
  send: (revision: number) => Promise<Response>
}

/** A change of one environment, which increases its revision by one. */
async function advance(world: World, row: EnvironmentModel, { edited, cut, send }: Advance): Promise<void> {
  const after = world.model.environments.map(each =>
    each === row && edited ? { ...edited, revision: row.revision + 1 } : each,
  )
  await change(world, { cut, after: edited && after, status: 200, send: () => send(row.revision) })
}

function placeOf({ place }: World, { id }: EnvironmentModel) {
  return { projectId: place.projectId, environmentId: id }
}

async function environmentsNow({ host, place }: World): Promise<EnvironmentModel[]> {
  const { projectId } = place
  const { items } = await host.api.call(environments.list, { projectId, includeArchived: true })
  return items.map(({ id, name, description, revision, archived }) => ({
    id,
    name: name!,
    description: description ?? null,
    revision,
    isArchived: archived!,
  }))
}

async function attachedNow({ host, place }: World): Promise<string[]> {
  const { projectId, suiteId } = place
  return (await host.api.call(suites.get, { projectId, suiteId })).environmentIds ?? []
}
