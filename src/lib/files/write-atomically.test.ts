import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeAtomically, writeForOwner } from './write-atomically.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'mcpdeck-atomic-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('a file is replaced as a whole, and no temporary file is left', () => {
  const directory = folder()
  const file = join(directory, 'suite.yaml')
  writeFileSync(file, 'a much longer text that was there before')
  writeAtomically(file, 'new', { flush: true })
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(readdirSync(directory)).toEqual(['suite.yaml'])
})

test('a failed replacement leaves everything unchanged', () => {
  const directory = folder()
  const taken = join(directory, 'taken')
  mkdirSync(join(taken, 'inside'), { recursive: true })
  expect(() => writeAtomically(taken, 'text')).toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/)
  expect(() => writeAtomically(join(directory, 'missing', 'file'), 'text')).toThrow('ENOENT')
  expect(readdirSync(directory)).toEqual(['taken'])
})

test('a file for its owner alone gets directories for its owner alone, even if others could read it before', () => {
  const file = join(folder(), 'state', 'profile', 'seen.json')
  writeForOwner(file, 'a')
  expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700])
  rmSync(file)
  writeFileSync(file, 'b', { mode: 0o644 })
  writeForOwner(file, 'c')
  expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8')]).toEqual([0o600, 'c'])
})
