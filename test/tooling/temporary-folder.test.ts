import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { roomyFolder } from '../temporary-folder.ts'

test('temporary files of tests go to the first folder that accepts them', () => {
  const [one, other] = ['one-', 'other-'].map(name => mkdtempSync(join(tmpdir(), name))) as [string, string]
  onTestFinished(() => [one, other].forEach(folder => rmSync(folder, { recursive: true })))
  const file = join(one, 'file')
  writeFileSync(file, '')
  expect(roomyFolder([one, other], 1)).toBe(one)
  expect(roomyFolder([join(one, 'none'), file, '/proc/1', other], 1)).toBe(other)
  // No file system has this much space.
  expect(roomyFolder([one, other], Number.MAX_VALUE)).toBe(other)
})
