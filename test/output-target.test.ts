import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync, closeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openToAppend, outputTarget } from '../src/lib/files/output-target.ts'
import { writeAtomically } from '../src/lib/files/write-atomically.ts'
import { writeInParts } from '../src/lib/files/write-in-parts.ts'
import { writeUnlessThere } from '../src/lib/files/write-unless-there.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'mcpdeck-output-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const WAYS: [string, (path: string) => void][] = [
  ['a report', path => writeAtomically(path, 'written')],
  ['what may replace a file', path => void writeUnlessThere(path, 'written', true)],
  [
    'a trace in parts',
    path => {
      const file = writeInParts(path)
      file.add('writ')
      file.add('ten')
      file.end(true)
    },
  ],
]

test.each(WAYS)('%s leaves a device as it is', (_, write) => {
  const before = statSync('/dev/null')
  write('/dev/null')
  const { mode, rdev } = statSync('/dev/null')
  expect({ mode, rdev }).toEqual({ mode: before.mode, rdev: before.rdev })
})

test.each(WAYS)('%s is read from a pipe, which stays one', async (_, write) => {
  const pipe = join(folder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const before = lstatSync(pipe).mode
  if (write === WAYS[0]![1]) expect(() => write(pipe)).toThrow('ENXIO')
  const reader = spawn('sh', ['-c', 'exec 3<>"$1"; echo ready >&2; dd bs=1 count=7 <&3 2>/dev/null', 'sh', pipe])
  await once(reader.stderr, 'data')
  write(pipe)
  expect(await text(reader.stdout)).toBe('written')
  expect(lstatSync(pipe).mode).toBe(before)
})

test.each(WAYS)('%s is written where a symbolic link leads, and the link stays', (_, write) => {
  const place = folder()
  const [file, link, dangling] = ['file', 'link', 'dangling'].map(name => join(place, name)) as [string, string, string]
  writeFileSync(file, 'before')
  symlinkSync('file', link)
  symlinkSync(join(place, 'new'), dangling)
  write(link)
  write(dangling)
  expect([readFileSync(file, 'utf8'), readFileSync(join(place, 'new'), 'utf8')]).toEqual(['written', 'written'])
  expect([link, dangling].map(each => lstatSync(each).isSymbolicLink())).toEqual([true, true])
})

test('links that lead in a circle end', () => {
  const place = folder()
  symlinkSync('b', join(place, 'a'))
  symlinkSync('a', join(place, 'b'))
  expect(() => outputTarget(join(place, 'a'))).toThrow('ELOOP')
})

test('a log in a device keeps its mode, and in a file is for its owner', () => {
  const before = statSync('/dev/null').mode
  closeSync(openToAppend('/dev/null'))
  expect(statSync('/dev/null').mode).toBe(before)
  const file = join(folder(), 'log')
  writeFileSync(file, 'before', { mode: 0o644 })
  closeSync(openToAppend(file))
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
