import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BOUNDS } from '../../src/lib/bounds.ts'
import { openLogFile } from '../../src/cli/output/log.ts'

const { most } = BOUNDS.logFile

let directory = ''
let file = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcpdeck-log-'))
  file = join(directory, 'm.log')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('a long log keeps its newest lines and one older file, both readable only by the owner', () => {
  const write = openLogFile(file)
  const lines = Math.ceil((2.5 * most) / BOUNDS.logLine.most)
  for (let at = 0; at < lines; at += 1) write(`${`${at} `.padEnd(BOUNDS.logLine.most, 'x')}\n`)
  for (const kept of [file, `${file}.old`]) {
    expect(statSync(kept).size).toBeLessThanOrEqual(most)
    expect(statSync(kept).mode & 0o777).toBe(0o600)
  }
  const numbers = [`${file}.old`, file].flatMap(kept =>
    readFileSync(kept, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map(line => Number.parseInt(line, 10)),
  )
  // No line is missing between the oldest kept one and the newest.
  expect(numbers).toEqual(numbers.map((_, index) => lines - numbers.length + index))
})

test('two programs that write to one log continue in the same new file', () => {
  writeFileSync(file, 'x'.repeat(most))
  const [one, other] = [openLogFile(file), openLogFile(file)]
  one('one\n')
  other('other\n')
  expect(readFileSync(file, 'utf8')).toBe('one\nother\n')
  expect(statSync(`${file}.old`).size).toBe(most)
})

test('a full log that cannot be renamed is emptied, and stays within its limit', () => {
  writeFileSync(file, 'x'.repeat(most))
  mkdirSync(`${file}.old`)
  writeFileSync(join(`${file}.old`, 'in the way'), '')
  openLogFile(file)('newest\n')
  expect(readFileSync(file, 'utf8')).toBe('newest\n')
})
