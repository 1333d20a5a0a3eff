import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, type TestContext } from 'vitest'
import { openHome } from './program.ts'

/** A service that is not needed to answer about the budget. */
const env = { MCPDECK_BASE_URL: 'https://service.example/api/v1', MCPDECK_API_KEY: 'sk_of_nobody_at_all' }

async function openState({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const home = await openHome()
  onTestFinished(() => home.close())
  const state = join(home.home, '.local/state/mcpdeck')
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const budget = (...args: string[]) => home.run(['budget', ...args], { env })
  return { state, file: join(state, 'budget.sqlite'), budget }
}

test.concurrent('a reset of the budget says if there was no pause', async ending => {
  const { budget } = await openState(ending)
  expect(await budget('reset')).toMatchObject({ code: 0, stderr: 'There was no pause.\n' })
})

test.concurrent.for<[string, (file: string) => void, number, RegExp]>([
  ['a folder in its place', file => mkdirSync(file), 3, /Move it away/],
  ['a link in a circle', file => symlinkSync('budget.sqlite', file), 2, /chown or chmod/],
  ['a file that is no database', file => writeFileSync(file, 'none at all'.repeat(99)), 3, /Move it away/],
])('with %s, the budget is reported as unknown', async ([, spoil, exitCode, next], ending) => {
  const { file, budget } = await openState(ending)
  spoil(file)
  for (const args of [['reset'], [], ['--json']]) {
    const { code, stdout, stderr } = await budget(...args)
    expect(stdout).not.toContain('from this machine')
    expect({ args, code }).toEqual({ args, code: exitCode })
    expect(stderr).toContain(file)
    expect(stderr).toMatch(next)
    expect(stderr).not.toContain('There was no pause')
    expect(stderr.includes('The pause was not ended')).toBe(args[0] === 'reset')
  }
})

test.concurrent('with a file in place of its folder, the budget is not reset and the file is named', async ending => {
  const { state, budget } = await openState(ending)
  rmSync(state, { recursive: true })
  writeFileSync(state, 'no folder')
  const { code, stderr } = await budget('reset')
  expect(code).toBe(2)
  expect(stderr).toContain(`The pause was not ended: ${state} is not a directory`)
  expect(stderr).not.toContain('There was no pause')
})

test.concurrent('a reset fails while another program locks the budget', async ending => {
  const { file, budget } = await openState(ending)
  await budget()
  const other = new DatabaseSync(file)
  ending.onTestFinished(() => other.close())
  other.exec('BEGIN EXCLUSIVE')
  const { code, stderr } = await budget('reset')
  expect(code).toBe(3)
  expect(stderr).toMatch(/The pause was not ended: .*another program.* Try again/)
  other.exec('ROLLBACK')
  expect(await budget('reset')).toMatchObject({ code: 0, stderr: 'There was no pause.\n' })
})
