import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { isInstalled } from './programs.ts'

/** Ends a test run with `N passed, N failed`, so that the result can be read off the last line. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: 'passed' | 'failed' | 'skipped') => tests.filter(test => test.result().state === state).length
    // A file that cannot load and an error outside of any test fail the run without failing a test.
    const broken = modules.flatMap(module => module.errors()).length + unhandled.length
    const skipped = count('skipped') + tests.filter(test => test.result().state === 'pending').length
    const lacking = tests.flatMap(test => test.tags.filter(program => !isInstalled(program)))
    for (const [program, { length }] of Map.groupBy(lacking, name => name))
      process.stdout.write(`There is no ${program} here; tests skipped for that: ${length}.\n`)
    const closing = `${count('passed')} passed, ${count('failed') + broken} failed`
    const line = skipped > 0 ? `${closing}, ${skipped} skipped` : closing
    process.once('exit', () => process.stdout.write(`\n${line}\n`))
  }
}
