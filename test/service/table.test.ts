import { afterEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/lib/sqlite.ts'
import { createSealer, SEALING_KEY_BYTES } from '../../src/service/core/database/sealer.ts'
import { boolean, json, optional, sealed, tableOf } from '../../src/service/core/database/table.ts'

type ThingRow = {
  id: string
  projectId: string
  name: string
  isOn: boolean
  tags: string[]
  extra?: { n: number }
  counts: { n: number } | null
  note?: string
  secret?: string
  endedAt: number | null
}

const database = openDatabase(':memory:')
database.exec(`
  CREATE TABLE thing (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, projectId TEXT NOT NULL, name TEXT NOT NULL,
    isOn INTEGER NOT NULL, tags TEXT NOT NULL, extra TEXT, counts TEXT, note TEXT, secret BLOB, endedAt INTEGER
  ) STRICT;
`)
const things = tableOf<ThingRow>(database, 'thing', {
  kinds: {
    isOn: boolean(),
    tags: json(),
    extra: json(),
    counts: json(null),
    note: optional(),
    secret: sealed(createSealer(Buffer.alloc(SEALING_KEY_BYTES, 1)), 'thing', 'secret'),
  },
})

const thing = { id: 'one', projectId: 'p', name: 'First', isOn: true, tags: ['a'], counts: null, endedAt: null }

afterEach(() => database.exec('DELETE FROM thing'))

test('a row is read as it was written, and absent columns stay absent', () => {
  const full = { ...thing, id: 'two', isOn: false, extra: { n: 1 }, counts: { n: 2 }, note: '', secret: 'hush' }
  things.basics.insert(thing)
  things.basics.insert(full)
  expect(things.basics.get('p', 'one')).toEqual({ ...thing, position: 1 })
  expect(things.basics.get('p', 'two')).toEqual({ ...full, position: 2 })
  expect(things.basics.get('elsewhere', 'one')).toBeUndefined()
  const { secret } = database.get<{ secret: Uint8Array }>(`SELECT secret FROM thing WHERE id = 'two'`) ?? {}
  expect(Buffer.from(secret ?? []).includes('hush')).toBe(false)
})

test('an update writes all columns but the fixed ones, and clears those that the row no longer has', () => {
  things.basics.insert({ ...thing, note: 'old', secret: 'hush' })
  things.basics.update({ ...thing, projectId: 'elsewhere', name: 'Second' })
  expect(things.basics.get('p', 'one')).toEqual({ ...thing, name: 'Second', position: 1 })
})

test('an update applies only while the row still has the expected values, including null', () => {
  things.basics.insert({ ...thing, note: 'kept' })
  expect(things.change({ id: 'one', name: 'Other' }, { endedAt: 1 })).toBe(0)
  expect(things.change({ id: 'one', name: 'First', endedAt: null }, { name: 'Second', endedAt: 2 })).toBe(1)
  expect(things.change({ id: 'one', endedAt: null }, { endedAt: 3 })).toBe(0)
  expect(things.one({ id: 'one' })).toMatchObject({ name: 'Second', note: 'kept', tags: ['a'], endedAt: 2 })
})

test('a page has rows of one owner that match further conditions, the latest first', () => {
  for (const id of ['a', 'b', 'c', 'd']) things.basics.insert({ ...thing, id, endedAt: id === 'c' ? 1 : null })
  things.basics.insert({ ...thing, id: 'foreign', projectId: 'elsewhere' })
  const page = things.page('AND endedAt IS NULL')
  expect(page('p', undefined, 2).map(({ id }) => id)).toEqual(['d', 'b'])
  expect(page('p', 2, 2).map(({ id }) => id)).toEqual(['a'])
})
