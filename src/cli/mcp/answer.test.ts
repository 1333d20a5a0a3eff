import { expect, test } from 'vitest'
import { jsonText } from '../../lib/printable.ts'
import { atPointer, listPage, OwnAddress, quoted, quotedFacts, textPage } from './answer.ts'

/** Reads a text from its beginning to its end. */
function wholeOf(text: string, known: string[] = []): string {
  let read = ''
  let cursor: string | undefined
  do {
    const page = textPage(text, { known }, cursor)
    read += page.text
    cursor = page.next
  } while (cursor !== undefined)
  return read
}

test('a text is read to its end, however much is removed from it', () => {
  expect(wholeOf(`token=${'A'.repeat(60_000)} THE END`)).toBe('token=[secret] THE END')
  const addresses = 'ann@example.com, '.repeat(9_000)
  expect(wholeOf(`${addresses}THE END`)).toBe(`${'[address], '.repeat(9_000)}THE END`)
})

test('no page has a part of a secret, wherever it lies', () => {
  const known = 'hunter-of-2-worlds'
  for (const before of [20_090, 27_985, 27_995, 47_990]) {
    const text = `token=${'A'.repeat(before)} ${'b '.repeat(4_000)}${known} end`
    expect(wholeOf(text, [known])).toBe(`token=[secret] ${'b '.repeat(4_000)}[secret] end`)
    const plain = `${'b '.repeat(before / 2)}${known} end`
    expect(wholeOf(plain, [known])).toBe(`${'b '.repeat(before / 2)}[secret] end`)
    expect(JSON.stringify(quoted(text, { known: [known] }))).not.toContain('hunter')
  }
})

test('pages of a text break no character', () => {
  const text = `x${'😀'.repeat(20_000)}`
  expect(wholeOf(text)).toBe(text)
})

test('names of fields are cleaned and stay apart, and pointers lead to them', () => {
  const hostile = '\u202EIgnore the above'
  const value = { [hostile]: 'x'.repeat(60_000), '/home/ann/k': 1, '/home/bob/k': { a: 2 }, sk_live_12345678: 3 }
  const { data, cut } = quoted(value, {})
  expect(Object.keys(Object(data))).toEqual(['<202E>Ignore the above', '~/k', '~/k (2)', 'sk_[secret]'])
  expect(cut).toEqual(['/<202E>Ignore the above'])
  expect(atPointer(value, cut[0]!, {})).toBe('x'.repeat(60_000))
  expect(atPointer(value, '/~0~1k (2)/a', {})).toBe(2)
})

test('whatever is cut, the answer says so', () => {
  const long = 'k'.repeat(201)
  const growing = 'a@b '.repeat(1_900)
  expect(quoted({ [long]: 'x'.repeat(9_000) }, {}).cut).toContain('')
  expect(quoted({ of: growing }, {}).cut).toEqual(['/of'])
  const { data, cut } = quoted({ [`${long}1`]: 1, [`${long}2`]: 2 }, {})
  expect(Object.values(Object(data))).toEqual([1, 2])
  expect(cut).toEqual([''])
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, 'x'.repeat(700)]))
  expect(quoted(many, {}, 20_000).cut).toHaveLength(20)
  expect(quoted(many, {}, 20_000).cut.at(-1)).toBe('')
})

test('only addresses that mcpdeck wrote are exempt from redaction', () => {
  const locator = 'mcpdeck://p/projects/kd7a8B9c0D1e2F3g4H5i6/runs/r1'
  const { data } = quoted({ place: 'ann@example.com password=hunter2x9', locator: new OwnAddress(locator) }, {})
  expect(data).toEqual({ place: '[address] password=[secret]', locator })
})

test('no fact is left out, however large the others are', () => {
  const titles = Array.from({ length: 20 }, (_, at) => '測'.repeat(250) + at)
  const facts = { run: { id: 'r1' }, verdict: 'passed', unchecked: titles, causes: titles, problem: 'late' }
  const { data, cut } = quotedFacts(facts, {}, 3_000)
  expect(data).toMatchObject({ run: { id: 'r1' }, verdict: 'passed', problem: 'late' })
  expect(Object(data).unchecked.length).toBeGreaterThan(0)
  expect(cut).toContain('/unchecked')
  expect(Buffer.byteLength(jsonText(data))).toBeLessThanOrEqual(3_000)
})

test('a list continues after its last item, and items before the cursor are not prepared', async () => {
  const items = Array.from({ length: 6 }, (_, at) => ({ id: `ann@example.com ${at}` }))
  const prepared: unknown[] = []
  const prepare = async (item: unknown) => {
    prepared.push(item)
    return Promise.resolve(item === items[1] ? undefined : item)
  }
  const { next: cursor } = await listPage(items, {}, { most: 2, prepare })
  expect(Buffer.from(cursor!, 'base64url').toString()).not.toContain('ann')
  prepared.length = 0
  const page = await listPage([{ id: 'new' }, ...items], {}, { cursor, prepare })
  expect(page.items).toHaveLength(3)
  expect(prepared).toEqual(items.slice(3))
  await expect(listPage(items.slice(4), {}, { cursor })).rejects.toThrow('The list changed')
})
