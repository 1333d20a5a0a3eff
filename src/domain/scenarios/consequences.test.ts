import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SCENARIO_MODES } from '../../api/contract/choices.ts'
import { consequencesOf } from './consequences.ts'
import { proofsOf } from './proof.ts'
import { ACCESS_TABLE, effectOf, exposes, lockedOut, rowOf, tightens, type AccessChange } from './table.ts'

const mode = fc.constantFrom(...SCENARIO_MODES)
const change: fc.Arbitrary<AccessChange> = fc.oneof(
  mode.map(mode => ({ do: 'publish', mode }) as const),
  fc
    .tuple(fc.oneof(mode, fc.constantFrom('secret_club', null)), mode)
    .map(([from, to]) => ({ do: 'mode', from, to }) as const),
  fc.constantFrom<AccessChange>(
    { do: 'unpublish' },
    { do: 'rotate' },
    { do: 'limits' },
    { do: 'invite', email: 'ada@example.org' },
    { do: 'remove', member: 'ada@example.org' },
    { do: 'rebind', environment: 'Staging' },
  ),
)
const facts = fc.record({
  mode: fc.constantFrom(...SCENARIO_MODES, 'secret_club', null),
  liveSessions: fc.option(fc.nat(1000), { nil: undefined }),
  accessVersion: fc.option(fc.nat(50), { nil: undefined }),
})

describe('tightening the access to a scenario', () => {
  test('is any change that locks someone out, and loosening at the same time only for disjoint groups', () => {
    for (const from of SCENARIO_MODES)
      for (const to of SCENARIO_MODES) {
        expect(tightens(from, to)).toBe(lockedOut(from, to).length > 0)
        if (from === to) expect(tightens(from, to)).toBe(false)
        if (to === 'anyone_with_link') expect(tightens(from, to)).toBe(false)
      }
    expect(tightens('project_members', 'invited_only')).toBe(true)
    expect(tightens('invited_only', 'project_members')).toBe(true)
  })

  test('is also assumed for an unknown mode', () => {
    expect(rowOf({ do: 'mode', from: 'secret_club', to: 'anyone_with_link' })).toBe('fromUnknownMode')
    expect(ACCESS_TABLE.fromUnknownMode).toMatchObject({ sessions: 'unsure', accessVersion: 'unsure' })
  })
})

describe('the question before a change of access', () => {
  test('says for every change what happens to sessions and to the version', () => {
    fc.assert(
      fc.property(change, facts, (change, facts) => {
        const { lines } = consequencesOf(change, facts)
        const said = lines.map(({ text }) => text).join('\n')
        const { sessions, accessVersion, answersVersion, lost } = effectOf(change)
        expect(said).toContain('accessVersion')
        expect(said.includes('the answer returns it')).toBe(answersVersion)
        expect(said.includes('All live sessions')).toBe(sessions === 'end')
        expect(said.includes('No session ends')).toBe(sessions === 'stay')
        expect(said.includes('accessVersion moves on')).toBe(accessVersion === 'moves')
        expect(said.includes('Cannot be undone')).toBe(lost !== undefined)
        if (facts.liveSessions !== undefined && sessions !== 'none') expect(said).toContain(`${facts.liveSessions} now`)
        for (const line of lines) expect(line.text.length).toBeGreaterThan(0)
      }),
    )
  })

  test('requires a typed word exactly if strangers are let in or sessions end', () => {
    fc.assert(
      fc.property(change, facts, (change, facts) => {
        const { sessions } = effectOf(change)
        const isGrave = exposes(change) || sessions === 'end' || sessions === 'unsure'
        expect(consequencesOf(change, facts).word !== undefined).toBe(isGrave)
      }),
    )
  })

  test('fits on the smallest supported screen', () => {
    fc.assert(
      fc.property(change, facts, (change, facts) => {
        const rows = consequencesOf(change, facts).lines.map(({ text }) => Math.ceil(text.length / 62))
        expect(rows.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(10)
      }),
    )
  })

  test('for removing someone, says whether the mode lets them in again', () => {
    const said = (mode: string | null) =>
      consequencesOf({ do: 'remove', member: 'ada@example.org' }, { mode })
        .lines.map(({ text }) => text)
        .join('\n')
    expect(said('invited_only')).toContain('Loses access at once: ada@example.org.')
    for (const mode of ['anyone_with_link', 'project_members', 'secret_club', null]) {
      expect(said(mode)).toContain('Loses the invitation at once: ada@example.org.')
      expect(said(mode)).toContain('without an invitation')
    }
  })

  test('for rotating the link, says that it removes nobody', () => {
    const { lines } = consequencesOf({ do: 'rotate' }, { mode: 'anyone_with_link' })
    expect(lines[0]?.text).toContain('No session ends')
  })
})

describe('the proof after a change of access', () => {
  test('is never a version that the answer did not contain', () => {
    const answer = fc.record({ accessVersion: fc.option(fc.nat(50)), mode: fc.option(mode) })
    fc.assert(
      fc.property(change, answer, (change, answer) => {
        const proofs = proofsOf(change, {}, answer, {})
        const said = proofs.filter(({ how }) => how === 'proved').some(({ text }) => text.includes('accessVersion'))
        expect(said).toBe(answer.accessVersion !== null)
      }),
    )
  })

  test('names an answer that contradicts the request', () => {
    const tightened = { do: 'mode', from: 'anyone_with_link', to: 'invited_only' } as const
    expect(proofsOf(tightened, {}, { mode: 'anyone_with_link' }, {})[0]).toMatchObject({ how: 'contradicts' })
    expect(proofsOf(tightened, {}, { mode: 'invited_only' }, { mode: 'project_members' })).toContainEqual(
      expect.objectContaining({ how: 'contradicts', text: expect.stringContaining('Read back') }),
    )
    expect(
      proofsOf({ do: 'unpublish' }, { scenarioId: 'scn_1' }, { deleted: true, id: 'scn_2' }, { published: true }),
    ).toMatchObject([{ how: 'contradicts' }, { how: 'untold' }, { how: 'contradicts' }])
    expect(
      proofsOf(
        { do: 'publish', mode: 'invited_only' },
        {},
        { created: false, overridesIgnored: true, mode: 'anyone_with_link' },
        {},
      ),
    ).toMatchObject([{ how: 'contradicts' }, { how: 'contradicts' }, { how: 'untold' }])
  })

  test('says after tightening that existing sessions may be new ones', () => {
    const tightened = { do: 'mode', from: 'anyone_with_link', to: 'invited_only' } as const
    const read = (liveSessions: number) => proofsOf(tightened, {}, { mode: 'invited_only' }, { liveSessions }).at(-1)
    expect(read(0)).toEqual({ how: 'proved', text: 'Read back: 0 live sessions.' })
    expect(read(1)).toEqual({ how: 'untold', text: 'Read back: 1 live session. They may have begun since.' })
  })
})
