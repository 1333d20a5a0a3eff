import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EditedServer } from '../edited-server.ts'
import { until, type Ending } from '../service/harness.ts'
import { prepareWatchedSuite } from '../watched-suite.ts'
import { openHome } from './program.ts'

/** Starts watching in a separate home; its output is awaited in order. */
async function openWatch(ending: Ending, first?: EditedServer, ...more: readonly string[]) {
  const home = await openHome()
  ending.onTestFinished(() => home.close())
  const { folder, save } = await prepareWatchedSuite(home.home, first)
  const words = ['run', 'weather', '--yes', '--watch-files', 'src/**', ...more]
  const { child, output, ended } = home.start(words, { cwd: folder })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  ending.onTestFinished(() => void child.kill('SIGKILL'))
  /** Waits until the next round waits for changes; returns the output since the last call. */
  let seen = { out: 0, errors: 0 }
  const round = async (): Promise<string> => {
    await until(
      () => errors.slice(seen.errors),
      text => text.includes('Waiting for changes.'),
    )
    const printed = `${output().slice(seen.out)}${errors.slice(seen.errors)}`
    seen = { out: output().length, errors: errors.length }
    return printed
  }
  const printed = (): string => output() + errors
  const stop = async () => {
    child.kill('SIGINT')
    return await ended()
  }
  return { folder, save, printed, round, stop }
}

test.concurrent('a schema that breaks a case is named as its cause until it is reverted', async ending => {
  const { save, round, stop } = await openWatch(ending)
  const first = await round()
  expect(first).toContain('Watching src/**: 1 file. Ctrl+C stops.')
  expect(first).toMatch(/2 case executions, 2 passed, 0 failed/)
  save({ answer: 'sunny and warm', required: ['city'] })
  const broken = await round()
  expect(broken).toContain('src/server.mjs changed.')
  expect(broken).toContain('edited: breaking: tool weather: the argument `city` is new and required')
  expect(broken).toMatch(
    /says sunny, trial 1: .*\n {4}weather: the argument `city` is new and required, since \d\d:\d\d/,
  )
  expect(broken).toContain('0 passed, 2 failed')
  save({ answer: 'sunny and warm' })
  const mended = await round()
  expect(mended).toContain('2 passed, 0 failed')
  const { code, stderr } = await stop()
  expect(code).toBe(0)
  expect(stderr).toMatch(/Stopped watching\. The last run was run #3.*; the exit code is 0\./)
})

test.concurrent('failed cases run first, and all cases run once they pass', async ending => {
  const { save, round, stop } = await openWatch(ending, { answer: 'sunny and cold' })
  expect(await round()).toContain('1 passed, 1 failed')
  save({ answer: 'sunny and colder' })
  const again = await round()
  expect(again).toContain('Running the 1 case that did not pass.')
  expect(again).toContain('1 case execution, 0 passed, 1 failed')
  save({ answer: 'gloomy and warm' })
  const other = await round()
  expect(other).toContain('1 case execution, 1 passed, 0 failed')
  expect(other).toContain('They pass now. Running all cases.')
  expect(other).toContain('2 case executions, 1 passed, 1 failed')
  expect(await stop()).toMatchObject({ code: 1, stderr: expect.stringContaining('the exit code is 1.') })
})

test.concurrent('the output of a server that does not start is shown, and the next save retries', async ending => {
  const { save, round, stop } = await openWatch(ending)
  await round()
  save({ fails: 'SyntaxError: an odd bracket' })
  const broken = await round()
  expect(broken).toContain('The server "edited" exited with code 1: SyntaxError: an odd bracket')
  save({ answer: 'sunny and warm' })
  expect(await round()).toContain('2 passed, 0 failed')
  save({ fails: 'again' })
  await round()
  expect(await stop()).toMatchObject({ code: 3, stderr: expect.stringContaining('the exit code is 3.') })
})

test.concurrent('a folder that is removed and returns is watched, and unmatched files start nothing', async ending => {
  const { folder, save, round, stop } = await openWatch(ending, undefined, '--watch-files', 'lib')
  await round()
  mkdirSync(join(folder, 'src/node_modules'))
  writeFileSync(join(folder, 'src/node_modules/index.js'), '')
  writeFileSync(join(folder, 'README.md'), '')
  writeFileSync(join(folder, 'src/vanishes'), '')
  rmSync(join(folder, 'src/vanishes'))
  mkdirSync(join(folder, 'lib'))
  writeFileSync(join(folder, 'lib/tool.js'), '')
  expect(await round()).toMatch(/^\d\d:\d\d:\d\d lib\/tool\.js changed\.$/m)
  rmSync(join(folder, 'src'), { recursive: true })
  expect(await round()).toContain('Nothing is run: ')
  mkdirSync(join(folder, 'src'))
  save({ answer: 'sunny and warm' })
  const back = await round()
  expect(back).toContain('src/server.mjs changed.')
  expect(back).toContain('2 passed, 0 failed')
  expect((await stop()).code).toBe(0)
})

test.concurrent('a change during a run cancels it and starts another', async ending => {
  const { save, printed, round, stop } = await openWatch(ending, { answer: 'sunny and warm', delayMs: 3_600_000 })
  await until(printed, text => text.includes('running, 0 of 2 trials'))
  save({ answer: 'sunny and warm' })
  const both = await round()
  expect(both).toContain('Cancelled, so there is no verdict.')
  expect(both).toContain('2 passed, 0 failed')
  expect((await stop()).code).toBe(0)
})
