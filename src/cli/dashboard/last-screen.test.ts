import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { pictureOf } from '../../tui/terminal/picture.ts'
import { keepLastScreen, lastScreenFile, readLastScreen } from './last-screen.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-last-screen-'))
const file = join(folder, 'last-screen.json')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const size = { columns: 20, rows: 2 }
const lines = ['\u001B[31mred\u001B[m ❤️ 漢字', '\u001B]8;;https://example.test/\u001B\\link\u001B]8;;\u001B\\']
const screen = { ...size, place: 'now', lines, picture: pictureOf(lines, size) }

test('a stored screen is read back unchanged', () => {
  keepLastScreen(file, screen)
  expect(readLastScreen(file)).toEqual({ version: 1, ...screen })
})

test.each([
  '\u001B]52;c;ZXZpbA==\u0007',
  '\u001B]0;evil\u001B\\',
  '\u009D0;evil\u009C',
  '\u001B[?1049l',
  '\u001B[6n',
  '\u001Bc',
  '\u001B',
  '\u202E',
  '\u{E0041}',
  '\u001B]8;;evil\u0007',
  '\u001B\u001B[m]0;evil\u0007',
])('a file with %j in it is refused', sequence => {
  for (const damaged of [
    { picture: screen.picture + sequence },
    { picture: sequence + screen.picture },
    { lines: [`${lines[0]}${sequence}`, lines[1]!] },
  ]) {
    keepLastScreen(file, { ...screen, ...damaged })
    expect(readLastScreen(file)).toBeUndefined()
  }
})

test('other JSON, invalid JSON, a folder and a pipe are refused', () => {
  fc.assert(
    fc.property(fc.json(), json => {
      writeFileSync(file, json)
      expect(readLastScreen(file)).toBeUndefined()
    }),
  )
  fc.assert(
    fc.property(
      fc.constantFrom('version', 'columns', 'rows', 'place', 'lines', 'picture'),
      fc.jsonValue(),
      (key, value) => {
        fc.pre(JSON.stringify(value) !== JSON.stringify({ version: 1, ...screen }[key]) && typeof value !== 'string')
        fc.pre(!(key === 'columns' && Number.isInteger(value)))
        writeFileSync(file, JSON.stringify({ version: 1, ...screen, [key]: value }))
        expect(readLastScreen(file)).toBeUndefined()
      },
    ),
  )
  writeFileSync(file, '{"version":')
  expect(readLastScreen(file)).toBeUndefined()
  expect(readLastScreen(folder)).toBeUndefined()
  const pipe = join(folder, 'pipe')
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  expect(readLastScreen(pipe)).toBeUndefined()
})

test('each command line has its own stored screen, and the oldest are removed beyond the limit', () => {
  const state = mkdtempSync(join(folder, 'state-'))
  const files = [[], ['runs'], ['runs', '--ascii']].map(argv => lastScreenFile({}, argv))
  expect(new Set(files).size).toBe(3)
  expect(lastScreenFile({}, ['runs'])).toBe(files[1])
  for (let minute = 0; minute < 30; minute++) {
    const path = join(state, `last-screen-${minute}.json`)
    keepLastScreen(path, screen)
    utimesSync(path, minute * 60, minute * 60)
  }
  keepLastScreen(join(state, 'last-screen-new.json'), screen)
  const kept = readdirSync(state)
  expect(kept).toHaveLength(20)
  expect(kept).toContain('last-screen-new.json')
  expect(kept).toContain('last-screen-29.json')
  expect(kept).not.toContain('last-screen-10.json')
})

test('a stored screen is found even if the working directory was deleted', () => {
  const cwd = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw new Error('ENOENT: no such file or directory, uv_cwd')
  })
  try {
    expect(lastScreenFile({}, ['servers'])).not.toBe(lastScreenFile({}, ['runs']))
  } finally {
    cwd.mockRestore()
  }
})
