import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { storedAt } from '../../../test/stored-file.ts'
import {
  accessNotesKey,
  createAccessNotes,
  MAX_MEMBERS,
  MAX_SCENARIOS,
  noted,
  provedVersion,
  type Noting,
  type ScenarioNotes,
} from './notes.ts'

let now = 1
const clock = { now: () => now++, after: () => () => undefined }
const open = (file: string, onFault?: (fault: unknown) => void) =>
  createAccessNotes({ stored: storedAt(file, accessNotesKey, onFault), clock })

function temporaryFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-notes-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'state', 'access.json')
}

const noting: fc.Arbitrary<Noting> = fc.oneof(
  fc.record({ kind: fc.constant('version' as const), value: fc.nat(9), by: fc.constantFrom('publish', 'rebind') }),
  fc.record({ kind: fc.constant('moved' as const), by: fc.constantFrom('mode', 'remove') }),
  fc.record({
    kind: fc.constant('member' as const),
    member: fc.nat(400).map(who => `v${who}@example.org`),
    change: fc.constantFrom('invited', 'removed'),
  }),
)

test('a version is proved only until something changes it, and each person is listed once, latest first', () => {
  fc.assert(
    fc.property(fc.array(noting, { maxLength: 30 }), notings => {
      let notes: ScenarioNotes | undefined
      notings.forEach((each, index) => (notes = noted(notes, each, index)))
      const last = notings.findLast(({ kind }) => kind === 'version' || kind === 'moved')
      expect(provedVersion(notes)).toBe(last?.kind === 'version' ? last.value : undefined)
      const members = notes?.members ?? []
      expect(new Set(members.map(({ member }) => member)).size).toBe(members.length)
      expect(members.map(({ at }) => at)).toEqual(members.map(({ at }) => at).toSorted((a, b) => b - a))
      for (const { member, change } of members) {
        const said = notings.findLast(each => each.kind === 'member' && each.member === member)
        expect(said).toMatchObject({ change })
      }
    }),
  )
})

test('notes are stored for their owner only, shared by all processes, within limits', () => {
  const file = temporaryFile()
  const [here, there] = [open(file), open(file)]
  here.note('scn_1', { kind: 'member', member: 'ada@example.org', change: 'invited' })
  there.note('scn_2', { kind: 'version', value: 3, by: 'rebind' })
  here.note('scn_1', { kind: 'member', member: 'ADA@example.org', change: 'removed' })
  expect(here.of('scn_2')?.version?.value).toBe(3)
  expect(there.of('scn_1')?.members).toMatchObject([{ change: 'invited' }])
  there.look()
  expect(there.of('scn_1')?.members).toMatchObject([{ change: 'removed' }])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const again = open(file)
  expect(again.of('scn_1')?.members).toMatchObject([{ member: 'ADA@example.org', change: 'removed' }])
  for (let who = 0; who < MAX_MEMBERS + 5; who += 1)
    again.note('scn_1', { kind: 'member', member: `v${who}@example.org`, change: 'invited' })
  expect(again.of('scn_1')?.members).toHaveLength(MAX_MEMBERS)
  for (let index = 0; index < MAX_SCENARIOS + 5; index += 1) again.note(`scn_x${index}`, { kind: 'moved', by: 'mode' })
  const { scenarios } = JSON.parse(readFileSync(file, 'utf8')) as { scenarios: unknown[] }
  expect(scenarios).toHaveLength(MAX_SCENARIOS)
  expect(again.of('scn_1')).toBeUndefined()
  again.forget('scn_x200')
  expect(open(file).of('scn_x200')).toBeUndefined()
})

test('a damaged file counts as empty, and is moved aside before another is written', () => {
  const file = temporaryFile()
  const notes = open(file)
  notes.note('scn_1', { kind: 'moved', by: 'mode' })
  for (const broken of ['', '{', '{"version":0,"scenarios":[]}', '{"version":1,"scenarios":[["scn_1",{"at":"no"}]]}']) {
    writeFileSync(file, broken)
    const fresh = open(file)
    expect(fresh.of('scn_1')).toBeUndefined()
    fresh.note('scn_2', { kind: 'moved', by: 'mode' })
    expect(open(file).of('scn_2')).toBeDefined()
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(broken)
  }
})

test('a failed write is reported, and the note is kept for this session', () => {
  const faults: unknown[] = []
  const inTheWay = temporaryFile()
  mkdirSync(dirname(inTheWay))
  writeFileSync(inTheWay, '')
  const file = join(inTheWay, 'access.json')
  const notes = open(file, fault => faults.push(fault))
  notes.note('scn_1', { kind: 'moved', by: 'mode' })
  expect(faults).toHaveLength(1)
  expect(notes.of('scn_1')?.moved?.by).toBe('mode')
})
