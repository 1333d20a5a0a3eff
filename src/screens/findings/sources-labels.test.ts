import { expect, test } from 'vitest'
import { sourcesLine } from './sources-labels.ts'
import type { SourceState } from './use-sources.ts'

test('a source longer than the limit says that there is more, and not that it is being read', () => {
  const state: SourceState = {
    kind: 'swarm',
    name: 'Swarms',
    count: 20_000,
    hasMore: true,
    isCut: true,
    problem: undefined,
    updatedAt: undefined,
    isClosed: false,
  }
  const at = { isLocal: false, moreKey: '+' }
  expect(sourcesLine({ states: [state] }, at)).toMatchObject({
    text: expect.stringMatching(/^read 20,?000 findings of Swarms, there is more; \+ reads on$/),
    tone: 'warn',
  })
  expect(sourcesLine({ states: [{ ...state, isCut: false }] }, at)?.text).toContain('so far')
})
