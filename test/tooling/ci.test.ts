import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { sampleOf } from '../../scripts/ci/odd-place.ts'
import { summary } from '../../scripts/ci/summary.ts'
import { lookAgain, runTests, type Checkout, type FailureAt } from '../../scripts/ci/tests.ts'
import { closingLine, REPORT_FILE, type Failure } from '../closing-line.ts'

const root = join(import.meta.dirname, '../..')

/** A test that fails the first time and passes the second. */
const EVERY_SECOND_TIME = `
test('fails every second time', () => {
  const file = new URL(import.meta.url + '.ran')
  const isSecond = existsSync(file)
  writeFileSync(file, '')
  expect(isSecond).toBe(true)
})`

const PROGRAMS = `
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { openTerminal } from './test/pty/terminal.ts'
beforeAll(() => once(spawn('true'), 'close'))
${EVERY_SECOND_TIME}
test('passes', () => {})
test('fails always', async () => {
  await using terminal = openTerminal({ command: '/bin/sh', args: ['-c', 'echo the last words; exec cat'] })
  await terminal.waitFor('the last words')
  expect('a result').toBe('another result')
})
describe('a group', () => {
  beforeAll(() => { throw new Error('the hook broke') })
  test('never begins', () => {})
})`

const PURE = `
import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
${EVERY_SECOND_TIME}`

const CONFIG = `
import { defineConfig } from 'vitest/config'
const project = (name, include, setupFiles = []) => ({ extends: true, test: { name, include, setupFiles } })
export default defineConfig({
  test: {
    // The folder of the cache is that of the checkout, which another version of the dependencies would empty.
    fsModuleCache: false,
    reporters: ['default', './test/closing-line.ts'],
    projects: [project('fast', ['pure.test.ts']), project('processes', ['programs.test.ts'], ['./test/failed-test.ts'])],
  },
})`

/** A small project with our reporter and the tests above. */
function openProject(): Checkout {
  const cwd = mkdtempSync(join(tmpdir(), 'mcpdeck-ci-test-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
  for (const name of ['closing-line.ts', 'failed-test.ts', 'programs.ts', 'pty'])
    cpSync(join(root, 'test', name), join(cwd, 'test', name), { recursive: true })
  mkdirSync(join(cwd, 'dist'))
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module", "scripts": { "test": "vitest run" } }')
  writeFileSync(join(cwd, 'vitest.config.ts'), CONFIG)
  writeFileSync(join(cwd, 'programs.test.ts'), PROGRAMS)
  writeFileSync(join(cwd, 'pure.test.ts'), PURE)
  return { cwd, env: process.env, title: '' }
}

const namesOf = (found: readonly FailureAt[]) =>
  found.map(({ failure }) => `${failure.file}: ${failure.name}`).toSorted()

beforeAll(() => {
  // The run of these tests may have its own report.
  delete process.env[REPORT_FILE]
})

test('a failed test that starts programs runs again, and a test of pure rules does not', async () => {
  const checkout = openProject()
  const { code, report, output } = await runTests(checkout, [])
  expect({ code, passed: report?.passed }).toEqual({ code: 1, passed: 1 })
  expect(output).toMatch(/\n1 passed, 4 failed, 1 skipped\n$/)
  const { failed, flaky } = await lookAgain(report!.failures.map(failure => ({ checkout, failure })))
  expect(namesOf(flaky)).toEqual(['programs.test.ts: fails every second time'])
  expect(namesOf(failed)).toEqual([
    'programs.test.ts: fails always',
    'programs.test.ts: hooks of a group',
    'pure.test.ts: fails every second time',
  ])
  const text = summary(failed, flaky)
  expect(text).toContain('failed: processes > programs.test.ts > fails always')
  expect(text).toContain('flaky: processes > programs.test.ts > fails every second time')
  expect(text).toContain("expected 'a result' to be 'another result'")
  expect(text).toMatch(/\$ \/bin\/sh -c echo.*\n\s+─+\n\s+the last words\n/)
  expect(text).toContain('the hook broke')
  expect(text).toMatch(/the second run, alone, passed:\n(?:.*\n)+ {2}2 passed, 2 failed, 1 skipped/)
})

test('a test run that breaks off has no report', async () => {
  const checkout = openProject()
  writeFileSync(join(checkout.cwd, 'vitest.config.ts'), 'process.exit(7)')
  expect(await runTests(checkout, [])).toMatchObject({ code: 7, report: undefined })
})

const failure = (file: string, lines: number): FailureAt => ({
  checkout: { cwd: root, env: {}, title: '' },
  failure: {
    project: 'journeys',
    file,
    name: 'fails',
    errors: [Array.from({ length: lines }, (_, line) => `line ${line}`).join('\n')],
    screens: [],
    startsPrograms: true,
  },
})

test('no test runs again when very many files fail', async () => {
  const many = Array.from({ length: 21 }, (_, number) => failure(`${number}.test.ts`, 3))
  const { failed, flaky } = await lookAgain(many)
  expect({ failed, flaky }).toEqual({ failed: many, flaky: [] })
})

test.each([1, 3, 40, 5000])('the summary of %i failures has at most 200 lines and names the first failure', count => {
  const text = summary(
    Array.from({ length: count }, (_, number) => failure(`${number}.test.ts`, 300)),
    [],
  )
  expect(text.split('\n').length).toBeLessThanOrEqual(200)
  expect(text).toContain('failed: journeys > 0.test.ts > fails\n  line 0\n')
  if (count > 33) expect(text).toContain(`and ${count} failures in all`)
})

test('the closing line counts passed, failed and skipped tests', () => {
  const none: Failure[] = []
  expect(closingLine({ passed: 3, skipped: 0, failures: none })).toBe('3 passed, 0 failed')
  expect(closingLine({ passed: 3, skipped: 2, failures: [failure('a', 1).failure] })).toBe(
    '3 passed, 1 failed, 2 skipped',
  )
})

test('a sample has enough tests, is the same for one commit and differs for the next', () => {
  const files = Array.from({ length: 100 }, (_, number) => ({
    project: 'fast',
    file: `${number}.test.ts`,
    tests: 10,
    ms: number < 10 ? 60_000 : 100,
  }))
  const sample = (commit: string) => sampleOf({ files, passed: 0, skipped: 0, failures: [] }, commit, 200)
  expect(sample('one')).toHaveLength(20)
  expect(sample('one')).toEqual(sample('one'))
  expect(sample('one')).not.toEqual(sample('two'))
  expect(sample('one').filter(file => Number.parseInt(file) < 10)).toEqual([])
})
