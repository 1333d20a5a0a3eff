import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ADMITS,
  effectOf,
  tightens,
  VISITOR_KINDS,
  type AccessChange,
  type AccessMode,
  type VisitorKind,
} from '../../src/domain/scenarios/table.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { SCENARIO_MODES } from '../../src/api/contract/choices.ts'
import { scenarioUrl } from '../../src/api/contract/scenarios.ts'
import { open, type Api } from './harness.ts'
import { caps, invite, published, visitor } from './visits.ts'

const { userTesting } = contract
const pairs = SCENARIO_MODES.flatMap(from => SCENARIO_MODES.map(to => [from, to] as const))

/** A workspace whose clock jumps a second at each read, so that nobody is slowed down for frequent attempts. */
async function openWorkspace(): Promise<Api> {
  let now = Date.now()
  return (await open({ now: () => (now += 1000) })).api
}

type Place = Awaited<ReturnType<typeof stage>>
type Session = ReturnType<ReturnType<typeof visitor>['session']>

let number = 0

/** A scenario of this mode with one invited person. */
async function stage(api: Api, mode: AccessMode) {
  const place = await published(api, { mode }, `Study ${++number}`)
  const { code } = await invite(api, place.target, 'ada@example.org')
  return { ...place, api, code, link: place.link }
}

async function enter({ api, code }: Place, link: string, kind: VisitorKind): Promise<Session | undefined> {
  const door = visitor(api.fetch, link)
  const proofs = { member: { key: api.key }, invited: { invitation: code }, stranger: {} }
  const { status, body } = await door.redeem(proofs[kind])
  return status === 201 ? door.session(String(body['token'])) : undefined
}

async function versionOf({ api, target, environmentId }: Place): Promise<number | null | undefined> {
  return (await api.call(userTesting.rebind, { ...target, body: { environmentId } })).accessVersion
}

/** Makes a change; returns the `accessVersion` in the reply, and the link that is valid afterwards. */
async function carryOut({ api, target, projectId, environmentId, link }: Place, change: AccessChange) {
  const stays = (reply: Readonly<Record<string, unknown>>) => ({ reply, link })
  switch (change.do) {
    case 'mode':
      return stays(await api.call(userTesting.update, { ...target, body: { mode: change.to } }))
    case 'rotate': {
      const reply = await api.call(userTesting.rotateLink, target)
      return { reply, link: scenarioUrl(reply.link)! }
    }
    case 'remove':
      return stays(await api.call(userTesting.removeMember, { ...target, memberIdOrEmail: change.member }))
    case 'invite':
      return stays(await api.call(userTesting.upsertMember, { ...target, body: { email: change.email } }))
    case 'rebind':
      return stays(await api.call(userTesting.rebind, { ...target, body: { environmentId } }))
    case 'limits':
      return stays(await api.call(userTesting.setGuestExecution, { ...target, body: caps }))
    case 'unpublish':
      return stays(await api.call(userTesting.unpublish, { projectId, environmentId }))
    case 'publish':
      return stays(await api.call(userTesting.publish, { projectId, environmentId, body: { mode: change.mode } }))
  }
}

describe('the table of consequences of access changes', () => {
  test.each(pairs)('is right for a change from %s to %s', async (from, to) => {
    const place = await stage(await openWorkspace(), from)
    const change: AccessChange = { do: 'mode', from, to }
    const effect = effectOf(change)
    const inside: Session[] = []
    for (const kind of VISITOR_KINDS) {
      const session = await enter(place, place.link, kind)
      expect({ kind, entered: session !== undefined }).toEqual({ kind, entered: ADMITS[from].includes(kind) })
      if (session) inside.push(session)
    }
    expect(inside.length).toBeGreaterThan(0)
    const before = await versionOf(place)
    const { reply } = await carryOut(place, change)
    expect('accessVersion' in reply).toBe(effect.answersVersion)
    for (const session of inside) expect((await session.state()).status).toBe(effect.sessions === 'end' ? 401 : 200)
    expect(await versionOf(place)).toBe(before! + (effect.accessVersion === 'moves' ? 1 : 0))
    expect(effect.sessions === 'end').toBe(tightens(from, to))
    for (const kind of VISITOR_KINDS)
      expect((await enter(place, place.link, kind)) !== undefined).toBe(ADMITS[to].includes(kind))
  })

  const others: readonly AccessChange[] = [
    { do: 'invite', email: 'bob@example.org' },
    { do: 'remove', member: 'ada@example.org' },
    { do: 'rotate' },
    { do: 'rebind', environment: 'its own' },
    { do: 'limits' },
    { do: 'unpublish' },
  ]
  test.each(SCENARIO_MODES.flatMap(mode => others.map(change => [change.do, mode, change] as const)))(
    'is right for %s while the scenario is for %s',
    async (_name, mode, change) => {
      const place = await stage(await openWorkspace(), mode)
      const effect = effectOf(change)
      const inside: Session[] = []
      for (const kind of ADMITS[mode]) inside.push((await enter(place, place.link, kind))!)
      const before = await versionOf(place)
      const { reply, link } = await carryOut(place, change)
      expect('accessVersion' in reply).toBe(effect.answersVersion)
      for (const session of inside) expect((await session.state()).status).toBe(effect.sessions === 'end' ? 401 : 200)
      const opens = async (url: string) => (await visitor(place.api.fetch, url).describe()).status === 200
      expect(await opens(place.link)).toBe(effect.link === 'stays')
      if (effect.link === 'replaced') expect(await opens(link)).toBe(true)
      if (change.do === 'unpublish') {
        // A scenario that is published again continues from the version of the one that ended.
        const again = await carryOut(place, { do: 'publish', mode })
        expect(again.reply['accessVersion']).toBe(before! + 1)
        expect(again.reply['id']).not.toBe(place.scenarioId)
      } else expect(await versionOf(place)).toBe(before! + (effect.accessVersion === 'moves' ? 1 : 0))
    },
  )

  test('predicts sessions and version after any sequence of changes', async () => {
    const api = await openWorkspace()
    const mode = fc.constantFrom(...SCENARIO_MODES)
    const step = fc.oneof(
      mode.map(to => ({ do: 'mode', to }) as const),
      fc.constantFrom(...VISITOR_KINDS).map(kind => ({ do: 'enter', kind }) as const),
      fc.constantFrom({ do: 'rotate' } as const, { do: 'remove' } as const, { do: 'limits' } as const),
    )
    let ended = 0
    await fc.assert(
      fc.asyncProperty(mode, fc.array(step, { minLength: 8, maxLength: 16 }), async (first, steps) => {
        const place = await stage(api, first)
        let { link } = place
        let now: AccessMode = first
        let version = 1
        let alive: Session[] = []
        const dead: Session[] = []
        for (const step of steps) {
          if (step.do === 'enter') {
            const session = await enter(place, link, step.kind)
            expect(session !== undefined).toBe(ADMITS[now].includes(step.kind))
            if (session) alive.push(session)
            continue
          }
          const change: AccessChange =
            step.do === 'mode'
              ? { do: 'mode', from: now, to: step.to }
              : step.do === 'remove'
                ? { do: 'remove', member: 'ada@example.org' }
                : { do: step.do }
          ;({ link } = await carryOut({ ...place, link }, change))
          const effect = effectOf(change)
          if (effect.accessVersion === 'moves') version += 1
          if (effect.sessions === 'end') {
            ended += alive.length
            dead.push(...alive)
            alive = []
          }
          if (step.do === 'mode') now = step.to
          if (step.do === 'remove') place.code = (await invite(api, place.target, 'ada@example.org')).code
        }
        for (const session of alive) expect((await session.state()).status).toBe(200)
        for (const session of dead) expect((await session.state()).status).toBe(401)
        expect(await versionOf(place)).toBe(version)
      }),
      { numRuns: 25 },
    )
    expect(ended).toBeGreaterThan(10)
  })
})
