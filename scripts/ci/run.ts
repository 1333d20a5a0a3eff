import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { closingLine } from '../../test/closing-line.ts'
import { openOddPlace, sampleOf } from './odd-place.ts'
import { summary } from './summary.ts'
import { lookAgain, runTests, type Checkout, type FailureAt } from './tests.ts'

// Checks and tests a clean checkout after `npm ci`; `.ci/run` starts it. With `--odd` all tests run in the odd place.
const { values } = parseArgs({ options: { odd: { type: 'boolean', default: false }, bare: { type: 'string' } } })
const root = join(import.meta.dirname, '../..')
const SAMPLE_TESTS = 200
/** Tests that show a first start on a machine with only Node, npm and git. */
const BARE_TESTS = ['journeys/asked.test', 'cli/completion.test', 'calls/call-copies.test']

const here: Checkout = { cwd: root, env: process.env, title: '' }
const bare: Checkout = {
  cwd: root,
  env: { ...process.env, PATH: values.bare ?? process.env['PATH'], HOME: mkdtempSync(join(tmpdir(), 'mcpdeck-bare-')) },
  title: 'with Node, npm and git only',
}
const began = performance.now()
const print = (text: string) => void process.stdout.write(text)
const seconds = () => `${Math.round((performance.now() - began) / 1000)} s`

// The checkouts are kept to the end, because failed tests run there again.
using places = new DisposableStack()
const checking = check()
const failures: FailureAt[] = []
const broken: string[] = []
let counts = { passed: 0, skipped: 0 }

if (values.odd) {
  await test(places.use(openOddPlace(root)), [])
} else {
  await test(bare, BARE_TESTS)
  counts = { passed: 0, skipped: 0 }
  const report = await test(here, [])
  print(`\ntests ended after ${seconds()}\n`)
  if (report) {
    const place = places.use(openOddPlace(root))
    const commit = execFileSync('git', ['-C', root, 'rev-parse', 'HEAD'], { encoding: 'utf8' })
    const whole = { ...counts }
    await test(place, sampleOf(report, commit, SAMPLE_TESTS))
    print(`\n${counts.passed - whole.passed} tests passed in the odd place, after ${seconds()}\n`)
    counts = whole
  }
}

const checked = await checking
// Failed tests run again only now, when nothing else runs.
const { failed, flaky } = await lookAgain(failures)
if (checked !== undefined) print(`\nnpm run check failed:\n${checked}\n`)
const lines = summary(failed, flaky)
print(`\n${lines}${lines && '\n'}${broken.map(line => `${line}\n`).join('')}all ended after ${seconds()}\n`)
const isRight = failed.length === 0 && broken.length === 0 && checked === undefined
const unnamed = broken.map(name => ({ project: '', file: '', name, errors: [], screens: [], startsPrograms: false }))
const passed = counts.passed + flaky.filter(({ checkout }) => checkout === here).length
print(`${closingLine({ ...counts, passed, failures: [...failed.map(({ failure }) => failure), ...unnamed] })}\n`)
process.exitCode = isRight ? 0 : 1

/** Runs tests and records their results. */
async function test(checkout: Checkout, args: readonly string[]) {
  const { code, report, output } = await runTests(checkout, args, print)
  const title = checkout.title || 'tests'
  if (!report) broken.push(`${title}: did not run to their end (exit code ${code})\n${output.slice(-2000)}`)
  else if (code !== 0 && report.failures.length === 0) broken.push(`${title}: ended with exit code ${code}`)
  counts.passed += report?.passed ?? 0
  counts.skipped += report?.skipped ?? 0
  failures.push(...(report?.failures ?? []).map(failure => ({ checkout, failure })))
  return report
}

/** Resolves to the output of `npm run check` if it fails. */
async function check(): Promise<string | undefined> {
  const child = spawn('npm', ['run', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0 ? undefined : output.trim().split('\n').slice(-40).join('\n')
}
