import { expect } from 'vitest'
import { contract } from '../../../src/api/contract/contract.ts'
import { scenarioUrl } from '../../../src/api/contract/scenarios.ts'
import { makeKey, revokeKey as revoke } from '../../../src/service/core/access.ts'
import { visitor } from '../visits.ts'
import { bump, tightens, type ScenarioModel } from './access-model.ts'
import type { Told } from './host.ts'
import type { StepOf } from './steps.ts'
import { pick, type World } from './world.ts'

const { userTesting } = contract

export async function publish(world: World, { which, mode, cut }: StepOf<'publish'>) {
  const { host, model, place } = world
  const { access } = model
  const environment = pick(model.environments, which)!
  const send = () =>
    host.api.send(userTesting.publish, { projectId: place.projectId, environmentId: environment.id, body: { mode } })
  const first = await host.ask(cut, send)
  if (!model.gates['user-testing']) {
    if (first) expect(first.status).toBe(403)
    return
  }
  // Publishing may be repeated: it returns the existing scenario, possibly without its link.
  const answer = first ?? (await host.ask(undefined, send))!
  const known = access.scenarios.get(environment.id)
  if (known) {
    expect(answer).toMatchObject({ status: 200, body: { ...shown(known), created: false, link: null } })
    return
  }
  if (environment.isArchived) return expect(answer.status).toBe(409)
  expect(answer.status).toBe(200)
  const scenario: ScenarioModel = {
    id: String(answer.body['id']),
    environmentId: environment.id,
    mode,
    version: Math.max(1, access.versions.get(environment.id) ?? 0),
    link: secretOf(answer.body['link']),
    oldLinks: [],
    members: new Map(),
  }
  expect(answer.body).toMatchObject(shown(scenario))
  if (first) expect(answer.body).toMatchObject({ created: true, link: expect.any(String) })
  expect([...access.scenarios.values()].map(({ id }) => id)).not.toContain(scenario.id)
  access.scenarios.set(environment.id, scenario)
}

/** Unpublishing works whether the feature is on or off. */
export async function unpublish(world: World, { which, cut }: StepOf<'unpublish'>) {
  const { host, model, place } = world
  const scenario = some(world, which)
  const environmentId = scenario?.environmentId ?? pick(model.environments, which)!.id
  const send = () => host.api.send(userTesting.unpublish, { projectId: place.projectId, environmentId })
  const answer = await host.ask(cut, send)
  if (answer) expect(answer).toMatchObject({ status: 200, body: { deleted: scenario !== undefined } })
  expect(await host.ask(undefined, send)).toMatchObject({
    status: 200,
    body: answer || !scenario ? { deleted: false } : {},
  })
  if (!scenario) return
  bump(model.access, scenario)
  model.access.scenarios.delete(environmentId)
  if (scenario.link !== undefined) expect(await opens(world, scenario.link)).toBe(404)
  await checkSessions(world, scenario.id)
}

export async function setMode(world: World, { which, mode, cut }: StepOf<'setMode'>) {
  const scenario = some(world, which)
  if (!scenario) return
  const { host, model } = world
  const target = targetOf(world, scenario)
  const answer = await host.ask(cut, () => host.api.send(userTesting.update, { ...target, body: { mode } }))
  if (isOff(world, answer)) return
  if (answer) expect(answer).toMatchObject({ status: 200, body: { mode } })
  const bumps = tightens(scenario.mode, mode)
  const before = { mode: scenario.mode, version: scenario.version }
  const after = { mode, version: scenario.version + Number(bumps) }
  const now = await accessNow(world, scenario)
  expect(answer ? [after] : [before, after]).toContainEqual(now)
  if (now.mode === mode) {
    if (bumps) bump(model.access, scenario)
    scenario.mode = mode
  }
  await checkSessions(world, scenario.id)
}

export async function invite(world: World, { which, email, cut }: StepOf<'invite'>) {
  const scenario = some(world, which)
  if (!scenario) return
  const { host, model } = world
  const send = () => host.api.send(userTesting.upsertMember, { ...targetOf(world, scenario), body: { email } })
  const first = await host.ask(cut, send)
  if (isOff(world, first)) return
  const answer = first ?? (await host.ask(undefined, send))!
  expect(answer).toMatchObject({ status: 200, body: { invitation: { email, code: expect.any(String) } } })
  const { code } = answer.body['invitation'] as { code: string }
  const known = scenario.members.get(email)
  if (known !== undefined) expect(code).toBe(known)
  expect(model.access.oldCodes.has(code)).toBe(false)
  scenario.members.set(email, code)
  await checkSessions(world, scenario.id)
}

export async function remove(world: World, { which, email, cut }: StepOf<'remove'>) {
  const scenario = some(world, which)
  if (!scenario) return
  const { host, model } = world
  const target = targetOf(world, scenario)
  const answer = await host.ask(cut, () =>
    host.api.send(userTesting.removeMember, { ...target, memberIdOrEmail: email }),
  )
  if (isOff(world, answer)) return
  const code = scenario.members.get(email)
  if (answer) expect(answer.status).toBe(code === undefined ? 404 : 200)
  const { version } = await accessNow(world, scenario)
  const after = scenario.version + Number(code !== undefined)
  expect(answer ? [after] : [scenario.version, after]).toContain(version)
  if (version > scenario.version) {
    bump(model.access, scenario)
    scenario.members.delete(email)
    model.access.oldCodes.add(code!)
  }
  await checkSessions(world, scenario.id)
}

/** The old link no longer admits anyone, but removes nobody. */
export async function rotate(world: World, { which, cut }: StepOf<'rotate'>) {
  const scenario = some(world, which)
  if (!scenario) return
  const { host } = world
  const send = () => host.api.send(userTesting.rotateLink, targetOf(world, scenario))
  const first = await host.ask(cut, send)
  if (isOff(world, first)) return
  // Whatever the outcome of the first rotation, the link of the second one is known.
  const answer = first ?? (await host.ask(undefined, send))!
  expect(answer).toMatchObject({ status: 200, body: { rotated: true } })
  expect(answer.body).not.toHaveProperty('accessVersion')
  if (scenario.link !== undefined) {
    expect(await opens(world, scenario.link)).toBe(404)
    scenario.oldLinks.push(scenario.link)
  }
  scenario.link = secretOf(answer.body['link'])
  expect(await opens(world, scenario.link!)).toBe(200)
  await checkSessions(world, scenario.id)
}

export async function redeem(world: World, { which, as, email, byOldLink, cut }: StepOf<'redeem'>) {
  const scenario = some(world, which)
  const old = pick(scenario?.oldLinks ?? [], which)
  const link = byOldLink && old !== undefined ? old : scenario?.link
  if (!scenario || link === undefined) return
  const { host, store, model } = world
  const code = scenario.members.get(email) ?? [...model.access.oldCodes][0] ?? 'nobody.invited'
  const key = as === 'key' ? makeKey(store, 'visitor', { role: 'member' }) : undefined
  const answer = await host.ask(cut, () =>
    fetch(`${host.origin}/visit/${link}/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key.key}` }) },
      body: JSON.stringify(as === 'invited' ? { invitation: code } : {}),
    }),
  )
  // A token that nobody received opens nothing.
  if (!answer) return
  const isMember = scenario.members.has(email)
  const enters = {
    anyone_with_link: as !== 'invited' || isMember,
    project_members: as === 'key',
    invited_only: as === 'invited' && isMember,
  }[scenario.mode]
  expect(answer.status).toBe(link !== scenario.link ? 404 : enters ? 201 : 401)
  world.met.add(`redeem ${answer.status}`)
  if (answer.status !== 201) return
  model.access.sessions.push({
    token: String(answer.body['token']),
    scenarioId: scenario.id,
    isAlive: true,
    as: key ? { keyId: key.summary.id } : as === 'invited' ? { email } : 'guest',
  })
  await checkSessions(world, scenario.id)
}

/** A visitor ends only their own session. */
export async function leave(world: World, { which, cut }: StepOf<'leave'>) {
  const { host, model } = world
  const session = pick(
    model.access.sessions.filter(({ isAlive }) => isAlive),
    which,
  )
  if (!session) return
  const answer = await host.ask(cut, () =>
    fetch(`${host.origin}/visit/session`, { method: 'DELETE', headers: { authorization: `Bearer ${session.token}` } }),
  )
  if (answer) expect(answer.status).toBe(200)
  session.isAlive = answer ? false : await lives(world, session.token)
  await checkSessions(world, session.scenarioId)
}

/** Works like `mcpdeck serve key revoke` beside the running service. */
export async function revokeKey(world: World, { which }: StepOf<'revokeKey'>) {
  const { store, model } = world
  const session = pick(
    model.access.sessions.filter(({ as, isAlive }) => isAlive && typeof as === 'object' && 'keyId' in as),
    which,
  )
  if (!session || typeof session.as !== 'object' || !('keyId' in session.as)) return
  expect(revoke(store, session.as.keyId)).toBe(true)
  session.isAlive = false
  await checkSessions(world, session.scenarioId)
}

/** Checks that all published scenarios are correct, and that exactly the expected sessions are alive. */
export async function checkAccess(world: World): Promise<void> {
  const { access, gates } = world.model
  for (const scenario of access.scenarios.values()) {
    if (gates['user-testing']) {
      const { mode, version } = scenario
      expect(await accessNow(world, scenario)).toEqual({ mode, version })
    }
    if (scenario.link !== undefined) expect(await opens(world, scenario.link)).toBe(200)
  }
  await checkSessions(world)
}

async function checkSessions(world: World, scenarioId?: string): Promise<void> {
  const sessions = world.model.access.sessions.filter(each => (scenarioId ?? each.scenarioId) === each.scenarioId)
  for (const { isAlive } of sessions) world.met.add(isAlive ? 'session alive' : 'session ended')
  const alive = await Promise.all(sessions.map(({ token }) => lives(world, token)))
  expect(alive).toEqual(sessions.map(({ isAlive }) => isAlive))
}

async function lives({ host }: World, token: string): Promise<boolean> {
  const { status } = await visitor(fetch, `${host.origin}/visit/any`).session(token).state()
  expect([200, 401]).toContain(status)
  return status === 200
}

/** Status of the page that a link opens. */
async function opens({ host }: World, secret: string): Promise<number> {
  return (await visitor(fetch, `${host.origin}/visit/${secret}`).describe()).status
}

/** Rebinding to the same environment changes nothing and returns the version. */
async function accessNow(world: World, scenario: ScenarioModel) {
  const { environmentId } = scenario
  const target = { ...targetOf(world, scenario), body: { environmentId } }
  const { mode, accessVersion } = await world.host.api.call(userTesting.rebind, target)
  return { mode, version: accessVersion! }
}

function isOff({ model }: World, answer: Told | undefined): boolean {
  if (model.gates['user-testing']) return false
  if (answer) expect(answer.status).toBe(403)
  return true
}

function some({ model }: World, which: number): ScenarioModel | undefined {
  return pick([...model.access.scenarios.values()], which)
}

function targetOf({ place }: World, { id }: ScenarioModel) {
  return { projectId: place.projectId, scenarioId: id }
}

function shown({ id, environmentId, mode, version }: ScenarioModel) {
  return { id, environmentId, mode, accessVersion: version }
}

function secretOf(link: unknown): string | undefined {
  return scenarioUrl(link as Parameters<typeof scenarioUrl>[0])
    ?.split('/')
    .at(-1)
}
