import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { storedAt } from '../../../test/stored-file.ts'
import { createPins, createRings, pinsKey, ringsKey } from './pins.ts'

function place() {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-pins-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const faults: unknown[] = []
  const file = join(directory, 'state', 'followed.json')
  return { directory, file, faults, open: () => createPins(storedAt(file, pinsKey, error => faults.push(error))) }
}
const pin = (runId: string) => ({ projectId: 'p', runId })

test('followed runs are available at the next start, to their owner only', () => {
  const { file, open, faults } = place()
  open().add([{ ...pin('a'), label: 'staging', suiteId: 's' }])
  expect(open().list()).toEqual([{ projectId: 'p', runId: 'a', label: 'staging', suiteId: 's' }])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(faults).toEqual([])
})

test("two processes keep each other's followed runs", () => {
  const { open } = place()
  const [one, other] = [open(), open()]
  expect([one.list(), other.list()]).toEqual([[], []])
  one.add([pin('a')])
  other.add([pin('b')])
  one.remove('a')
  expect(open().list()).toEqual([pin('b')])
})

test.each(['', '{', '{"version":0,"runs":[]}', '{"version":1}', '{"version":1,"runs":[{"runId":1},null]}'])(
  'a file that contains %j counts as empty',
  text => {
    const { file, open, faults } = place()
    open().add([pin('a')])
    writeFileSync(file, text)
    expect(open().list()).toEqual([])
    open().add([pin('b')])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, runs: [pin('b')] })
    expect(faults).toEqual([])
  },
)

test('if nothing can be written, runs are followed until the program ends', () => {
  const { directory, open, faults } = place()
  writeFileSync(join(directory, 'state'), 'in the way')
  const pins = open()
  pins.add([pin('a')])
  expect(pins.list()).toEqual([pin('a')])
  expect(faults).toHaveLength(1)
})

test('only one of several windows announces the end of a run, and never again after a restart', () => {
  const { directory } = place()
  const file = join(directory, 'rung.json')
  const open = () => createRings(storedAt(file, ringsKey))
  const [one, other] = [open(), open()]
  expect([one.claim('r1'), other.claim('r1'), one.claim('r1')]).toEqual([true, false, false])
  expect(other.claim('r2')).toBe(true)
  expect([open().claim('r1'), open().claim('r2'), open().claim('r3')]).toEqual([false, false, true])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
