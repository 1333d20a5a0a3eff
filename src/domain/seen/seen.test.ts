import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { VirtualClock } from '../../../test/client/virtual-clock.ts'
import { createHome, removeHome } from '../../../test/pty/home.ts'
import { systemClock } from '../../lib/clock.ts'
import { storedInMemory } from '../../lib/files/profile-store.ts'
import { storedAt } from '../../../test/stored-file.ts'
import { createSeen, listsToStore, newsOf, REST_MS, seenKey, type SeenList, type SeenRow } from './seen.ts'

const row = (id: string, mark = 'a', bornAt?: number): SeenRow => ({ id, mark, bornAt })
const news = (before: SeenList | undefined, ...rows: SeenRow[]) => Object.fromEntries(newsOf(before, rows))
const seenAt = (at: number, rows: Record<string, string>, whole = true): SeenList => ({
  at,
  whole,
  rows: new Map(Object.entries(rows)),
})

describe('the news of a list', () => {
  test('are rows that are new or changed, and none before the first look', () => {
    expect(news(undefined, row('a'))).toEqual({})
    expect(news(seenAt(1, { a: 'a', b: 'a' }), row('a'), row('b', 'z'), row('c'))).toEqual({ b: 'changed', c: 'new' })
  })

  test('leave out an old row that is read for the first time in a list that was read in part', () => {
    const before = seenAt(10_000_000, { a: 'a' })
    expect(news(before, row('old', 'a', 1_000), row('young', 'a', 10_000_001))).toEqual({ young: 'new' })
    expect(news(seenAt(1, { a: 'a' }, false), row('b'))).toEqual({})
  })
})

describe('a list that is shown completely', () => {
  test('forgets removed rows, and an incomplete list keeps them', () => {
    const kept = new Map([['now', seenAt(1, { a: 'a', b: 'b' })]])
    for (const [whole, left] of [
      [true, ['a']],
      [false, ['a', 'b']],
    ] as const) {
      const seen = createSeen({ stored: storedInMemory(seenKey, kept), clock: new VirtualClock() })
      seen.show('now', [row('a')], whole)
      seen.endLook()
      expect([...seen.of('now')!.rows.keys()]).toEqual(left)
    }
  })
})

describe('a look at a list', () => {
  const open = (kept: ReadonlyMap<string, SeenList> = new Map()) => {
    const clock = new VirtualClock()
    return { clock, seen: createSeen({ stored: storedInMemory(seenKey, kept), clock }) }
  }

  test('ends after a while without a key, and what was on screen then counts as seen', async () => {
    const { clock, seen } = open()
    seen.stay()
    seen.show('servers', [row('a'), row('b')])
    await clock.advance(REST_MS - 1)
    seen.stay()
    await clock.advance(REST_MS - 1)
    expect(seen.of('servers')).toBeUndefined()
    await clock.advance(1)
    expect([...seen.of('servers')!.rows]).toEqual([
      ['a', 'a'],
      ['b', 'a'],
    ])
    expect(news(seen.of('servers'), row('a'), row('c'))).toEqual({ c: 'new' })
  })

  test('lets an acknowledged row return when it changes again', () => {
    const { seen } = open(new Map([['runs', seenAt(1, { a: 'a' })]]))
    const rows = [row('a', 'b'), row('n')]
    expect(news(seen.of('runs'), ...rows)).toEqual({ a: 'changed', n: 'new' })
    seen.acknowledge('runs', rows)
    expect(news(seen.of('runs'), ...rows)).toEqual({})
    expect(news(seen.of('runs'), row('a', 'c'), row('n', 'z'))).toEqual({ a: 'changed', n: 'changed' })
  })

  test('makes all rows that were on screen old news, whatever was stored before', () => {
    const rows = fc.uniqueArray(
      fc.record({ id: fc.string({ minLength: 1, maxLength: 20 }), mark: fc.constantFrom('a', 'b') }),
      { selector: ({ id }) => id },
    )
    fc.assert(
      fc.property(rows, rows, (earlier, now) => {
        const kept = seenAt(1, Object.fromEntries(earlier.map(({ id, mark }) => [id, mark])))
        const { seen } = open(new Map([['list', kept]]))
        seen.show('list', now)
        seen.endLook()
        expect(news(seen.of('list'), ...now)).toEqual({})
      }),
    )
  })

  test('is stored within the limit, most recently viewed lists first', () => {
    const { seen } = open()
    const many = Array.from({ length: 5_000 }, (_, index) => row(`r${index}`))
    seen.show('huge', many)
    seen.endLook()
    expect(seen.of('huge')).toMatchObject({ whole: false, rows: { size: 2_000 } })
    expect(news(seen.of('huge'), ...many)).toEqual({})
    const lists = new Map(Array.from({ length: 500 }, (_, at) => [`l${at}`, seenAt(at, { a: 'a' })] as const))
    const names = listsToStore(lists).map(([name]) => name)
    expect(names).toHaveLength(300)
    expect(names[0]).toBe('l499')
  })
})

describe('the file of seen rows', () => {
  let file: string
  const faults: unknown[] = []
  const open = () => {
    const stored = storedAt(file, seenKey, error => faults.push(error))
    return createSeen({ stored, clock: systemClock })
  }
  beforeEach(() => {
    const home = createHome()
    onTestFinished(() => removeHome(home))
    file = join(home, 'state', 'seen.json')
    faults.length = 0
  })

  test('stores a look for the next start, for its owner only; nothing is written without a look', () => {
    open().close()
    expect(existsSync(file)).toBe(false)
    const first = open()
    first.show('servers', [row('__proto__'), row('b')])
    first.close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const second = open()
    expect(news(second.of('servers'), row('__proto__'), row('b', 'z'))).toEqual({ b: 'changed' })
  })

  test('keeps what each of two processes saw', () => {
    const [one, other] = [open(), open()]
    expect(one.of('servers')).toBeUndefined()
    other.show('runs', [row('r')])
    other.close()
    one.show('servers', [row('s')])
    one.close()
    const next = open()
    expect(next.of('runs')?.rows.has('r')).toBe(true)
    expect(next.of('servers')?.rows.has('s')).toBe(true)
  })

  test('keeps a later look of another process at a list that was read before', () => {
    const first = open()
    first.show('runs', [row('a')])
    first.close()
    const [one, other] = [open(), open()]
    expect(one.of('runs')?.rows.size).toBe(1)
    other.show('runs', [row('a'), row('b')])
    other.close()
    one.show('servers', [row('s')])
    one.close()
    expect([...open().of('runs')!.rows.keys()]).toEqual(['a', 'b'])
  })

  test('keeps a later look of another process while a list is still on screen here', () => {
    const first = open()
    first.show('runs', [row('a')])
    first.show('servers', [row('s')])
    first.close()
    const stored = storedAt(file, seenKey)
    const [one, other] = [createSeen({ stored, clock: systemClock }), open()]
    expect(one.of('runs')?.rows.size).toBe(1)
    one.show('runs', [row('a')])
    other.show('runs', [row('a'), row('b')])
    other.close()
    one.acknowledge('servers', [row('s')])
    stored.flush()
    expect([...open().of('runs')!.rows.keys()]).toEqual(['a', 'b'])
    one.close()
  })

  test.each([
    ['nothing', ''],
    ['no JSON', '{"version":1,'],
    ['another version', '{"version":0,"lists":[]}'],
    ['other things', '{"version":1,"lists":[{"name":"servers","at":"x","whole":true,"rows":[]},null]}'],
  ])('that contains %s counts as empty', (_, text) => {
    const made = open()
    made.show('servers', [row('a')])
    made.close()
    writeFileSync(file, text)
    const next = open()
    expect(next.of('servers')).toBeUndefined()
    next.show('servers', [row('a')])
    next.close()
    expect(readFileSync(file, 'utf8')).toContain('"servers"')
    expect(faults).toEqual([])
  })

  test('that cannot be written causes a fault in the log', () => {
    writeFileSync(dirname(file), 'in the way')
    const seen = open()
    seen.show('servers', [row('a')])
    seen.close()
    expect(faults).toHaveLength(1)
  })
})
