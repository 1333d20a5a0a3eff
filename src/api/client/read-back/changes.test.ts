import { expect, test } from 'vitest'
import { contract } from '../../contract/contract.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { ReadBackContext } from './lookups.ts'
import { readBackOf } from './read-back.ts'

const endpoint = contract.suites.update

/** Reads back a change of a suite of which the service shows only the name. */
async function shownAs(name: string, body: object) {
  const at = { intendedAt: 0, lastSeenAt: 0, sent: true, complete: true }
  const entry = { ...at, input: { projectId: 'p', suiteId: 's', body } } as unknown as JournalEntry
  const client = { call: async () => ({ id: 's', name }) } as unknown as ReadBackContext['client']
  const context = { client, endpoint, entry, knownRunIds: new Set<string>(), hasRivals: false, now: Date.now() }
  return (await readBackOf(endpoint)!({ ...context, options: {} })).finding
}

test('a change of which only a part is shown is not proven by that part', async () => {
  expect(await shownAs('nightly', { name: 'nightly', temperature: 0 })).toBe('cannot-be-known')
  expect(await shownAs('nightly', { name: 'hourly', temperature: 0 })).toBe('did-not-happen')
  expect(await shownAs('nightly', { name: 'nightly', expectedRevision: 1 })).toBe('happened')
})
