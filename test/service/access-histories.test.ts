import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { scenarioUrl } from '../../src/api/contract/scenarios.ts'
import type { ScenarioMode } from '../../src/service/scenarios/rows.ts'
import { open, type Api } from './harness.ts'
import { environmentFor, invite, visitor } from './visits.ts'

const { userTesting } = contract

type Proof = { kind: 'guest' } | { kind: 'key' } | { kind: 'invitation'; who: number }

/** Events of a scenario; people are identified by a number. */
type Step =
  | { do: 'publish' | 'mode'; mode: ScenarioMode }
  | { do: 'unpublish' | 'rotate' }
  | { do: 'invite' | 'remove'; who: number }
  | { do: 'redeem'; proof: Proof }
  | { do: 'end'; which: number }

const mode = fc.constantFrom<ScenarioMode>('project_members', 'invited_only', 'anyone_with_link')
const who = fc.nat(2)
const proof: fc.Arbitrary<Proof> = fc.oneof(
  fc.constant<Proof>({ kind: 'guest' }),
  fc.constant<Proof>({ kind: 'key' }),
  who.map((who): Proof => ({ kind: 'invitation', who })),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: mode.map((mode): Step => ({ do: 'publish', mode })) },
  { weight: 2, arbitrary: mode.map((mode): Step => ({ do: 'mode', mode })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'unpublish' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'rotate' }) },
  { weight: 2, arbitrary: who.map((who): Step => ({ do: 'invite', who })) },
  { weight: 1, arbitrary: who.map((who): Step => ({ do: 'remove', who })) },
  { weight: 6, arbitrary: proof.map((proof): Step => ({ do: 'redeem', proof })) },
  { weight: 1, arbitrary: fc.nat().map((which): Step => ({ do: 'end', which })) },
)

type Session = ReturnType<ReturnType<typeof visitor>['session']>

/** The access table in its shortest form. */
class Table {
  /** Undefined if nothing is published. */
  mode: ScenarioMode | undefined
  /** The links that were given out; the current one is last. */
  links: string[] = []
  codes = new Map<number, string>()
  alive = new Set<Session>()
  all: Session[] = []

  admits(proof: Proof): boolean {
    if (this.mode === undefined) return false
    if (proof.kind === 'key') return this.mode !== 'invited_only'
    if (proof.kind === 'guest') return this.mode === 'anyone_with_link'
    return this.mode !== 'project_members' && this.codes.has(proof.who)
  }
}

const emailOf = (who: number) => `visitor${who}@example.org`

/** Applies steps to the service and to the table. */
async function history(api: Api, name: string, seen: { alive: number; dead: number; refused: number }) {
  const { projectId, environmentId } = await environmentFor(api, name)
  const place = { projectId, environmentId }
  const table = new Table()
  const target = { projectId, scenarioId: 'scn_none' }

  const enter = async (link: string, proof: Proof, expected: boolean) => {
    const door = visitor(api.fetch, link)
    const shown = {
      guest: {},
      key: { key: api.key },
      invitation: { invitation: (proof.kind === 'invitation' && table.codes.get(proof.who)) || 'mbr_none.wrong' },
    }
    const { status, body } = await door.redeem(shown[proof.kind])
    expect({ mode: table.mode, proof, entered: status === 201 }).toEqual({ mode: table.mode, proof, entered: expected })
    if (!expected) seen.refused += 1
    else {
      const session = door.session(String(body['token']))
      table.all.push(session)
      table.alive.add(session)
    }
  }
  /** Steps that are possible with and without a published scenario. */
  const always = {
    async publish({ mode }: { mode: ScenarioMode }) {
      const reply = await api.call(userTesting.publish, { ...place, body: { mode } })
      expect(reply.created).toBe(table.mode === undefined)
      if (!reply.created) return
      target.scenarioId = reply.id
      table.mode = mode
      table.links.push(scenarioUrl(reply.link)!)
      table.codes.clear()
    },
    async unpublish() {
      expect(await api.call(userTesting.unpublish, place)).toMatchObject({ deleted: table.mode !== undefined })
      table.mode = undefined
      table.alive.clear()
    },
    async redeem({ proof }: { proof: Proof }) {
      const [present = '', ...earlier] = table.links.toReversed()
      await enter(present, proof, table.admits(proof))
      if (earlier[0]) await enter(earlier[0], proof, false)
    },
    async end({ which }: { which: number }) {
      const session = table.all[which % Math.max(1, table.all.length)]
      if (!session) return
      expect((await session.end()).status).toBe(table.alive.has(session) ? 200 : 401)
      table.alive.delete(session)
    },
  }
  const whilePublished = {
    async mode({ mode }: { mode: ScenarioMode }) {
      await api.call(userTesting.update, { ...target, body: { mode } })
      if (mode !== table.mode && mode !== 'anyone_with_link') table.alive.clear()
      table.mode = mode
    },
    async rotate() {
      table.links.push(scenarioUrl((await api.call(userTesting.rotateLink, target)).link)!)
    },
    async invite({ who }: { who: number }) {
      const { code } = await invite(api, target, emailOf(who))
      expect(code === table.codes.get(who)).toBe(table.codes.has(who))
      table.codes.set(who, code)
    },
    async remove({ who }: { who: number }) {
      const { status } = await api.send(userTesting.removeMember, { ...target, memberIdOrEmail: emailOf(who) })
      expect(status).toBe(table.codes.has(who) ? 200 : 404)
      if (table.codes.delete(who)) table.alive.clear()
    },
  }
  const possible = { ...always, ...whilePublished } as Record<Step['do'], (step: Step) => Promise<void>>
  return async (step: Step) => {
    if (Object.hasOwn(whilePublished, step.do) && table.mode === undefined) return
    await possible[step.do](step)
    for (const session of table.all) {
      const expected = table.alive.has(session)
      seen[expected ? 'alive' : 'dead'] += 1
      expect((await session.state()).status).toBe(expected ? 200 : 401)
    }
  }
}

test('after any history every session is alive exactly if the table says so', async () => {
  // The clock jumps a second at each read, so that nobody is slowed down for frequent attempts.
  let now = Date.now()
  const { api } = await open({ now: () => (now += 1000) })
  const seen = { alive: 0, dead: 0, refused: 0 }
  let number = 0
  await fc.assert(
    fc.asyncProperty(mode, fc.array(step, { minLength: 12, maxLength: 25 }), async (first, later) => {
      const take = await history(api, `Study ${++number}`, seen)
      for (const step of [{ do: 'publish', mode: first } as const, ...later]) await take(step)
    }),
    { numRuns: 60 },
  )
  // Checks that the histories actually contain entries and ended sessions.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100)
})
