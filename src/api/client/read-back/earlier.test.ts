import { expect, test } from 'vitest'
import { contract } from '../../contract/contract.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { isSameWrite } from './earlier.ts'

test('a bulk action that broke off is no earlier attempt of one of its writes', () => {
  const endpoint = contract.journeyFindings.dismiss
  const input = { projectId: 'p', findingId: 'f' }
  const entry = { id: 1, operation: endpoint.operation, input } as unknown as JournalEntry
  const bulk = { of: 3, done: 1, refused: 0, inDoubt: 0, rest: [] } as unknown as NonNullable<JournalEntry['bulk']>
  expect(isSameWrite(entry, { endpoint, input })).toBe(true)
  expect(isSameWrite({ ...entry, bulk }, { endpoint, input })).toBe(false)
})
