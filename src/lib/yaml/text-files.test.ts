import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBeside } from './text-files.ts'

test('files beside a text are those in its folder and below, and no link leads out', ({ onTestFinished }) => {
  const root = mkdtempSync(join(tmpdir(), 'mcpdeck-beside-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'evals')
  mkdirSync(join(folder, 'rows'), { recursive: true })
  writeFileSync(join(root, 'secret.json'), '[]')
  writeFileSync(join(folder, 'rows/a.json'), '[{}]')
  symlinkSync(join(root, 'secret.json'), join(folder, 'link.json'))
  const beside = filesBeside(folder)
  expect(beside('rows/a.json')).toEqual({ path: join(folder, 'rows/a.json'), read: { ok: true, value: '[{}]' } })
  for (const name of ['../secret.json', 'link.json', join(folder, 'rows/a.json')])
    expect(() => beside(name)).toThrow(`it is outside of ${folder}`)
  expect(() => beside('rows')).toThrow('it is not a regular file')
  expect(() => beside('none.json')).toThrow('ENOENT')
})
