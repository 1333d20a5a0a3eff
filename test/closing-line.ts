import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { isInstalled } from './programs.ts'

/** Name of the variable with the path of the file for the {@link TestReport} of a run. */
export const REPORT_FILE = 'MCPDECK_TEST_REPORT'

/** A test that failed, or a file or a group of tests that could not start or end. */
export type Failure = {
  project: string
  /** Path relative to the folder of the project. Empty for an error outside of all files. */
  file: string
  name: string
  errors: string[]
  /** The last screens of its terminals. */
  screens: string[]
  startsPrograms: boolean
}

/** Result of a run of the tests. */
export type TestReport = {
  passed: number
  skipped: number
  failures: Failure[]
  /** Each file with its number of tests and their duration in milliseconds. */
  files: { project: string; file: string; tests: number; ms: number }[]
}

/** Ends a test run with `N passed, N failed`, so that the last line gives the result. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const lacking = tests.flatMap(test => test.tags.filter(program => !isInstalled(program)))
    for (const [program, { length }] of Map.groupBy(lacking, name => name))
      process.stdout.write(`There is no ${program} here; tests skipped for that: ${length}.\n`)
    const report = reportOf(modules, unhandled)
    const file = process.env[REPORT_FILE]
    if (file !== undefined) writeFileSync(file, JSON.stringify(report))
    process.once('exit', () => process.stdout.write(`\n${closingLine(report)}\n`))
  }
}

/** Returns the line with the result of a run. */
export function closingLine({
  passed,
  failures,
  skipped,
}: Pick<TestReport, 'passed' | 'failures' | 'skipped'>): string {
  const closing = `${passed} passed, ${failures.length} failed`
  return skipped > 0 ? `${closing}, ${skipped} skipped` : closing
}

function reportOf(modules: readonly TestModule[], unhandled: readonly SerializedError[]): TestReport {
  const tests = modules.flatMap(module => [...module.children.allTests()])
  const count = (...states: string[]) => tests.filter(test => states.includes(test.result().state)).length
  const outside = unhandled.map(error => ({ ...NOWHERE, name: 'outside of any test', errors: [textOf(error)] }))
  return {
    passed: count('passed'),
    skipped: count('skipped', 'pending'),
    failures: [...modules.flatMap(failuresOf), ...outside],
    files: modules.map(module => ({
      ...placeOf(module),
      tests: [...module.children.allTests()].length,
      ms: module.diagnostic().duration,
    })),
  }
}

const NOWHERE = { project: '', file: '', screens: [], startsPrograms: false }

const placeOf = ({ project, relativeModuleId }: TestModule) => ({ project: project.name, file: relativeModuleId })

function failuresOf(module: TestModule): Failure[] {
  const place = placeOf(module)
  const tests = [...module.children.allTests('failed')].map(test => {
    const { screens = [], startsPrograms = false } = test.meta()
    return { ...place, name: test.fullName, errors: (test.result().errors ?? []).map(textOf), screens, startsPrograms }
  })
  // A file that cannot load, or a failed hook of a file or group, fails the run without a failed test. It is unknown
  // what such a file starts.
  const groups = [module, ...module.children.allSuites()].flatMap(group => {
    const name = group.type === 'suite' ? `hooks of ${group.fullName}` : 'loading, or hooks of the file'
    const errors = group.errors().map(textOf)
    return errors.length > 0 ? [{ ...place, name, errors, screens: [], startsPrograms: !isPure(module) }] : []
  })
  return [...tests, ...groups]
}

/** Whether its tests may start no program; see `no-process.ts`. */
const isPure = ({ project }: TestModule): boolean => project.name === 'fast'

const textOf = ({ stack, message }: { stack?: string; message?: string }): string =>
  stripVTControlCharacters(stack?.includes(message ?? '') ? stack : `${message}\n${stack ?? ''}`)
