import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REPORT_FILE, type Failure, type TestReport } from '../../test/closing-line.ts'

/** A checkout to run tests in. */
export type Checkout = {
  cwd: string
  env: NodeJS.ProcessEnv
  /** Name of the tests of this checkout in reports of failures; empty for the usual checkout. */
  title: string
}

/** The result of a test run; `report` is missing if it did not finish. */
export type TestRun = { code: number | null; report: TestReport | undefined; output: string }

/** Maximum characters that are kept of a run's output, its end. */
const OUTPUT_CHARACTERS = 1_000_000

/**
 * Runs `npm test` with these arguments.
 * @param print receives the output as it arrives; without it the output is only collected
 */
export async function runTests(
  { cwd, env }: Checkout,
  args: readonly string[],
  print?: (text: string) => void,
): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-ci-'))
  const file = join(folder, 'report.json')
  try {
    const child = spawn('npm', ['test', '--silent', '--', ...args], {
      cwd,
      env: { ...env, [REPORT_FILE]: file },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-OUTPUT_CHARACTERS)
        print?.(text)
      })
    const [code] = (await once(child, 'close')) as [number | null]
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TestReport) : undefined
    return { code, report, output }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A failure with the checkout it happened in. */
export type FailureAt = { checkout: Checkout; failure: Failure }

/** A failure that did not repeat, with the output of the second run of its file. */
export type Flaky = FailureAt & { secondOutput: string }

/** If more files than this fail, the reason is not chance, so none is run again. */
const MOST_FILES = 20

/**
 * Runs the files of failed tests again, one test at a time, if they start programs: those depend on the load of the
 * machine. Other tests depend only on the code, so their failure stands.
 */
export async function lookAgain(failures: readonly FailureAt[]): Promise<{ failed: FailureAt[]; flaky: Flaky[] }> {
  const [failed, flaky]: [FailureAt[], Flaky[]] = [[], []]
  const files = [
    ...Map.groupBy(failures, ({ checkout, failure }) => `${checkout.cwd}\n${failure.project}\n${failure.file}`),
  ]
  for (const [, again] of files) {
    const [{ checkout, failure }] = again as [FailureAt]
    if (files.length > MOST_FILES || !again.some(each => each.failure.startsPrograms)) {
      failed.push(...again)
      continue
    }
    const alone = ['--project', failure.project, '--maxWorkers', '1', '--maxConcurrency', '1', failure.file]
    const { report, output } = await runTests(checkout, alone)
    const names = report?.failures.map(({ name }) => name)
    for (const each of again) {
      const isChance = each.failure.startsPrograms && report !== undefined && report.passed > 0
      if (isChance && !names?.includes(each.failure.name)) flaky.push({ ...each, secondOutput: output })
      else failed.push(each)
    }
    // A test that passed at first and fails now would otherwise be lost.
    const isNew = ({ name }: Failure) => !again.some(each => each.failure.name === name)
    failed.push(...(report?.failures.filter(isNew) ?? []).map(late => ({ checkout, failure: late })))
  }
  return { failed, flaky }
}
