import { execFileSync, spawn } from 'node:child_process'
import {
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  closeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openToAppend, outputTarget } from '../src/lib/files/output-target.ts'
import { PATIENCE } from './patience.ts'
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
  [
    'what may replace a file',
    path => {
      const refused = writeUnlessThere(path, 'written', true)
      if (refused) throw new Error(JSON.stringify(refused))
    },
  ],
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

test.each(WAYS)('%s leaves a device in place', (_, write) => {
  const before = statSync('/dev/null')
  write('/dev/null')
  const { mode, rdev } = statSync('/dev/null')
  expect({ mode, rdev }).toEqual({ mode: before.mode, rdev: before.rdev })
})

test.each(WAYS)('%s is written to a pipe, which remains a pipe', async (_, write) => {
  const pipe = join(folder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const before = lstatSync(pipe).mode
  expect(() => write(pipe)).toThrow('ENXIO')
  // The reader ends at the first end of the pipe. Once a write succeeds, the reader has opened it.
  const reader = spawn('cat', [pipe])
  await vi.waitFor(() => write(pipe), PATIENCE)
  expect(await text(reader.stdout)).toBe('written')
  expect(lstatSync(pipe).mode).toBe(before)
})

test.each(WAYS)('%s is written to the target of a symbolic link, and the link stays', (_, write) => {
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

test.each(['/dev/stdout', '/dev/fd/1'])('a file behind %s is written in place, not replaced', path => {
  const file = join(folder(), 'file')
  const module = new URL('../src/lib/files/write-atomically.ts', import.meta.url)
  const reports = new URL('../src/cli/follow/final-report.ts', import.meta.url)
  const script = `
    import { writeSync } from 'node:fs'
    import { writeAtomically } from '${module.href}'
    import { openReport } from '${reports.href}'
    writeSync(1, 'before ')
    writeAtomically('${path}', 'written ')
    openReport('${path}')('reported ')
    writeSync(1, 'after')`
  const out = openSync(file, 'w')
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', out, 'inherit'] })
  closeSync(out)
  expect(readFileSync(file, 'utf8')).toBe('before written reported after')
})

test('a file descriptor that a shell passes as a file is written to', { tags: ['bash'] }, () => {
  const module = new URL('../src/lib/files/write-atomically.ts', import.meta.url)
  const script = `import { writeAtomically } from '${module.href}'; writeAtomically(process.argv[1], 'written')`
  const line = '"$0" --input-type=module -e "$1" >(cat); wait'
  expect(execFileSync('bash', ['-c', line, process.execPath, script], { encoding: 'utf8' })).toBe('written')
})

test('links that form a circle end with an error', () => {
  const place = folder()
  symlinkSync('b', join(place, 'a'))
  symlinkSync('a', join(place, 'b'))
  expect(() => outputTarget(join(place, 'a'))).toThrow('ELOOP')
})

test('a log in a device keeps the device’s mode, and a log file is readable only by its owner', () => {
  const before = statSync('/dev/null').mode
  closeSync(openToAppend('/dev/null'))
  expect(statSync('/dev/null').mode).toBe(before)
  const file = join(folder(), 'log')
  writeFileSync(file, 'before', { mode: 0o644 })
  closeSync(openToAppend(file))
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
