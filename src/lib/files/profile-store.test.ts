import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { VirtualClock } from '../../../test/client/virtual-clock.ts'
import { openProfileStore, type ProfileKey, storedInMemory } from './profile-store.ts'

const words: ProfileKey<readonly string[]> = {
  name: 'words',
  version: 2,
  empty: [],
  read: stored => (Array.isArray(stored['words']) ? stored['words'].map(String) : undefined),
  write: all => ({ words: all }),
}
const treasure: ProfileKey<readonly string[]> = {
  ...words,
  name: 'treasure',
  irreplaceable: {
    unreadable: file => new Error(`cannot read ${file}`),
    unwritable: (file, cause) => new Error(`cannot write ${file}`, { cause }),
  },
}

let directory: string
let clock: VirtualClock
const faults: unknown[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcpdeck-store-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  clock = new VirtualClock()
  faults.length = 0
})

/** Opens the store as a separate process would. */
const open = (key = words, profile = 'p1') =>
  openProfileStore({ directory: join(directory, 'state'), profile, onFault: error => faults.push(error), clock })(key)
const fileOf = (key = words, profile = 'p1') => join(directory, 'state', `${key.name}-${profile}.json`)
const add = (word: string) => (all: readonly string[]) => [...all, word]

test('each profile and key has a separate file, which only its owner can read and which contains its version', () => {
  open().change(add('a'))
  open(words, 'p2').change(add('b'))
  expect([open().get(), open(words, 'p2').get(), open(treasure).get()]).toEqual([['a'], ['b'], []])
  expect(JSON.parse(readFileSync(fileOf(), 'utf8'))).toEqual({ version: 2, words: ['a'] })
  expect(statSync(fileOf()).mode & 0o777).toBe(0o600)
  expect(statSync(join(directory, 'state')).mode & 0o777).toBe(0o700)
})

test('a change applies to what another process stored, and shows after one refresh', () => {
  const [one, other] = [open(), open()]
  expect(one.get()).toEqual([])
  other.change(add('theirs'))
  let heard = 0
  one.subscribe(() => (heard += 1))
  expect(one.get()).toEqual([])
  one.refresh()
  one.refresh()
  expect([heard, one.version(), one.get()]).toEqual([1, 1, ['theirs']])
  expect(one.get()).toBe(one.get())
  other.change(add('more'))
  one.change(add('mine'))
  expect(open().get()).toEqual(['theirs', 'more', 'mine'])
})

test('delayed changes are written together a second later, or at once when flushed', async () => {
  const [one, other] = [open(), open()]
  one.changeSoon(() => ['lost'])
  one.changeSoon(add('mine'))
  other.change(add('theirs'))
  await clock.advance(999)
  expect(open().get()).toEqual(['theirs'])
  await clock.advance(1)
  expect(open().get()).toEqual(['theirs', 'mine'])
  one.flush()
  one.changeSoon(add('last'))
  one.flush()
  await clock.advance(5_000)
  expect(open().get()).toEqual(['theirs', 'mine', 'last'])
})

test.each(['', '{', 'null', '{"version":1,"words":[]}', '{"version":2}'])(
  'a file that holds %j counts as empty and is moved aside before it is replaced',
  damaged => {
    open().change(add('a'))
    writeFileSync(fileOf(), damaged)
    expect(open().get()).toEqual([])
    expect(readFileSync(fileOf(), 'utf8')).toBe(damaged)
    open().change(add('b'))
    expect(open().get()).toEqual(['b'])
    expect(readFileSync(`${fileOf()}.damaged`, 'utf8')).toBe(damaged)
    expect(faults).toEqual([])
  },
)

test('a path that is not a file is moved aside', () => {
  mkdirSync(join(fileOf(), 'inside'), { recursive: true })
  open().change(add('b'))
  expect(open().get()).toEqual(['b'])
  expect(existsSync(join(`${fileOf()}.damaged`, 'inside'))).toBe(true)
})

test('a failed write is reported, and its value is kept until the program ends', () => {
  writeFileSync(join(directory, 'state'), 'in the way')
  const stored = open()
  stored.change(add('a'))
  expect(stored.get()).toEqual(['a'])
  expect(faults).toHaveLength(1)
})

test('irreplaceable data is never overwritten, and a change that cannot be stored throws', () => {
  open(treasure).change(add('a'))
  writeFileSync(fileOf(treasure), '{')
  const stored = open(treasure)
  expect(() => stored.get()).toThrow('cannot read')
  expect(() => stored.change(add('b'))).toThrow('cannot read')
  expect([readFileSync(fileOf(treasure), 'utf8'), existsSync(`${fileOf(treasure)}.damaged`)]).toEqual(['{', false])
  rmSync(join(directory, 'state'), { recursive: true })
  writeFileSync(join(directory, 'state'), 'in the way')
  const homeless = open(treasure)
  expect(() => homeless.change(add('b'))).toThrow('cannot write')
  expect(homeless.get()).toEqual([])
  expect(faults).toEqual([])
})

test('a change in memory applies at once', () => {
  const stored = storedInMemory(words, ['first'])
  stored.changeSoon(add('soon'))
  stored.change(add('now'))
  stored.refresh()
  expect(stored.get()).toEqual(['first', 'soon', 'now'])
})

test('a file of a newer version counts as empty and is kept, and changes last as long as the process', () => {
  open().change(add('a'))
  const newer = '{"version":3,"words":["theirs"],"more":true}'
  writeFileSync(fileOf(), newer)
  const stored = open()
  expect(stored.get()).toEqual([])
  stored.change(add('b'))
  stored.change(add('c'))
  expect(stored.get()).toEqual(['b', 'c'])
  expect([readFileSync(fileOf(), 'utf8'), existsSync(`${fileOf()}.damaged`)]).toEqual([newer, false])
  expect(String(faults[0])).toContain(`${fileOf()} was written by a newer version of mcpdeck and stays as it is`)
  writeFileSync(fileOf(treasure), newer)
  expect(() => open(treasure).get()).toThrow('was written by a newer version of mcpdeck')
  expect(() => open(treasure).change(add('d'))).toThrow('was written by a newer version of mcpdeck')
  expect(readFileSync(fileOf(treasure), 'utf8')).toBe(newer)
})
