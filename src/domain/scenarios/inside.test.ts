import fc from 'fast-check'
import { expect, test } from 'vitest'
import { insideProofs, isOffline, type Decided } from './inside.ts'
import { adviceAfterLoss, lossProofs, proofsOf, type ReadBack } from './proof.ts'
import type { AccessChange } from './table.ts'

const mode = fc.constantFrom('project_members', 'invited_only', 'anyone_with_link')
const change: fc.Arbitrary<AccessChange> = fc.oneof(
  fc.constant<AccessChange>({ do: 'unpublish' }),
  fc.constant<AccessChange>({ do: 'rotate' }),
  fc.constant<AccessChange>({ do: 'remove', member: 'm' }),
  fc.tuple(mode, mode).map(([from, to]): AccessChange => ({ do: 'mode', from, to })),
)
const read: fc.Arbitrary<ReadBack> = fc.record({
  published: fc.option(fc.boolean(), { nil: undefined }),
  mode: fc.option(mode, { nil: undefined }),
  liveSessions: fc.option(fc.nat(3), { nil: undefined }),
})
const decided: fc.Arbitrary<Decided> = fc.oneof(
  read.map(each => ({ how: 'left', read: each }) as const),
  fc.tuple(change, read).map(([of, each]) => ({ how: 'lost', change: of, read: each }) as const),
  fc.tuple(change, read).map(([of, each]) => {
    const proofs = proofsOf(of, {}, { deleted: true, rotated: true }, each)
    return { how: 'answered', proofs, isDeleted: of.do === 'unpublish' } as const
  }),
)

/** Pairs of sentences that contradict each other. */
const CONTRADICTIONS: readonly (readonly [RegExp, RegExp])[] = [
  [/\b0 live sessions/, /left in|live on|continue|still in/],
  [/it is not listed/, /is still listed|while it is listed|not done so far|may have happened/],
  [/is still listed/, /shows that it happened|Nothing needs to be done/],
  [/shows that it happened/, /may have happened|not done so far| again/],
  [/not done so far/, /may have happened|Nothing needs to be done/],
]

function expectNoContradiction(lines: readonly string[]): void {
  for (const [one, other] of CONTRADICTIONS)
    if (lines.some(line => one.test(line))) expect(lines.filter(line => other.test(line))).toEqual([])
}

test('lines about people with access never contradict each other, whatever was answered and read back', () => {
  fc.assert(
    fc.property(decided, of => {
      const lines = insideProofs(of).map(({ text }) => text)
      expect(lines).not.toEqual([])
      expectNoContradiction(lines)
      if (of.how === 'lost' && of.read.published === false) expect(isOffline(of)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('lines about a lost change contradict neither each other nor the advice', () => {
  fc.assert(
    fc.property(change, read, (of, each) => {
      expectNoContradiction([...lossProofs(of, each).map(({ text }) => text), adviceAfterLoss(of, each)])
    }),
    { numRuns: 500 },
  )
})

test('nobody is reported to have access if 0 live sessions were read back', () => {
  const lines = insideProofs({ how: 'left', read: { liveSessions: 0 } })
  expect(lines).toEqual([{ how: 'proved', text: 'No live sessions (read back).' }])
})

test('if sessions could not be read, nobody is reported as in or out', () => {
  const [line, ...others] = insideProofs({ how: 'left', read: {} })
  expect(others).toEqual([])
  expect(line).toMatchObject({ how: 'untold', text: expect.stringContaining('is not known') as string })
})
