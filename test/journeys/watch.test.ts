import { expect, test } from 'vitest'
import { openHome } from '../cli/program.ts'
import { openTerminal } from '../pty/terminal.ts'
import { until } from '../service/harness.ts'
import { startServing } from './serving.ts'

const SUITE = 'Reference server smoke'

test('a run is followed through a restart of its service, to the verdict on the trials that are left', async () => {
  const home = await openHome()
  const serving = await startServing(home.home)
  const launched = await home.run(['run', SUITE, '--yes', '--iterations', '10'], { env: serving.env })
  const { output, ended } = home.start(['watch', launched.stdout.trim(), '--jsonl'], { env: serving.env })
  await until(output, text => text.includes('"changed"'))
  await serving.stop()
  await until(output, text => text.includes('"retrying"'))
  await startServing(home.home, { port: serving.port })
  const { code, stdout, stderr } = await ended()
  const events = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { event: string; verdict?: unknown })
  expect(events.map(({ event }) => event)).toContain('answered')
  expect(events.at(-1)).toMatchObject({ event: 'ended', run: { id: launched.stdout.trim() }, exitCode: code })
  // Trials that were running when the process ended were not graded; trials that had failed before stay failed.
  expect([1, 3]).toContain(code)
  expect(stderr).toContain('The service answers again.')
  await home.close()
})

test('a run of the local workspace is followed to its end in the process of the command', async () => {
  const home = await openHome()
  await using terminal = openTerminal({ args: ['run', SUITE, '--case', 'Sum of two numbers'], home: home.home })
  await terminal.waitFor('Type yes to go on:')
  terminal.type('yes\r')
  expect(await terminal.waitForExit(30_000)).toMatchObject({ code: 0 })
  expect(terminal.words()).toContain('1 case execution, 1 passed, 0 failed')
  await home.close()
})
