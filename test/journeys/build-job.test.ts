import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { expect, onTestFinished, test } from 'vitest'
import { openHome } from '../cli/program.ts'
import { startServing } from './serving.ts'

const SUITE = 'Reference server smoke'
const WRONG = 'Sum is wrong on purpose (this case fails by design)'

type End = { run: { id: string }; verdict: string; counts: { total: number; failed: number }; exitCode: number }

test(
  'a build job launches, waits for the verdict, stores a report and repeats the failed cases',
  { timeout: 300_000 },
  async () => {
    const home = await openHome()
    onTestFinished(() => home.close())
    // Each step runs on a separate machine with a separate budget: together they may request more than one key allows.
    const { env } = await startServing(home.home, { args: ['--rate-limit', '0'] })
    const mcpdeck = async (...args: string[]) => {
      const machine = await openHome()
      onTestFinished(() => machine.close())
      return await machine.run(args, { env })
    }
    const endOf = (stdout: string): End => JSON.parse(stdout) as End

    const report = join(home.home, 'evals.xml')
    const summary = join(home.home, 'summary.md')
    const job = ['run', SUITE, '--yes', '--watch', '--json', '--junit', report, '--summary', summary]
    job.push('--idempotency-key', 'job-1')
    const first = await mcpdeck(...job)
    const end = endOf(first.stdout)
    expect(end).toMatchObject({ verdict: 'failed', counts: { total: 15, failed: 1 }, exitCode: 1 })
    expect(first.code).toBe(1)
    expect(first.stderr).toContain(`${SUITE}: 10 cases, 15 trials.`)
    const xml = readFileSync(report, 'utf8')
    expect(XMLValidator.validate(xml)).toBe(true)
    expect(xml).toContain(
      `<testsuite name="${SUITE}" id="${end.run.id}" tests="15" failures="1" errors="0" skipped="0"`,
    )
    const page = readFileSync(summary, 'utf8')
    expect(page).toMatch(/^## Reference server smoke: failed\n\nFailed\.\n\n- run #1 .*9 passed, 1 failed/)
    expect(page).toMatch(/ {2}- Sum is wrong on purpose .* trial 1: .* \\\[case\\\]\n/)

    const again = await mcpdeck(...job)
    expect(endOf(again.stdout).run.id).toBe(end.run.id)
    expect(again.stderr).toContain('This was launched before; it is the same run.')

    const rerun = await mcpdeck('run', '--rerun-failed', end.run.id, '--yes', '--watch')
    expect(rerun.code).toBe(1)
    expect(rerun.stderr).toContain('1 of 10 cases would run again.')
    expect(rerun.stdout).toContain(`  still failing: ${WRONG}`)

    const gated = ['--no-new-failures-against', end.run.id, '--gates-only', '--json']
    const second = await mcpdeck('run', SUITE, '--yes', '--watch', '--case', WRONG, ...gated)
    expect(endOf(second.stdout)).toMatchObject({ verdict: 'failed', because: 'gates_passed', exitCode: 0 })

    const runs = JSON.parse((await mcpdeck('get', 'runs', '--suite', SUITE, '--json')).stdout) as { items: unknown[] }
    expect(runs.items).toHaveLength(3)
  },
)
