import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLineOf } from '../command-line-of.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal, type Terminal } from '../pty/terminal.ts'
import { PATIENCE } from '../patience.ts'

const SERVER = join(import.meta.dirname, '../servers/telling-server.mjs')
const UNKNOWN = 'is not known'

/** A program in a terminal, and the messages that its server received. */
function opened(args: (command: readonly string[]) => readonly string[]) {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const file = join(home, 'told')
  const terminal: Terminal = openTerminal({ home, args: args([process.execPath, SERVER, file]) })
  onTestFinished(() => terminal.close())
  const wasCancelled = () =>
    expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), PATIENCE).toBe('cancelled\n')
  return { terminal, wasCancelled }
}

test('a call shows its progress, and one key cancels it at the server', async () => {
  const { terminal, wasCancelled } = opened(command => ['try', '--', ...command])
  await terminal.waitFor(/\d listed/)
  terminal.type('c')
  await terminal.waitFor('Call slow on telling-server')
  terminal.press('ctrl+s')
  await terminal.waitFor(/━─+ 3\/10 .*reading the index/)
  terminal.type('x')
  await terminal.waitFor('cancelled')
  await terminal.waitFor(UNKNOWN)
  await wasCancelled()
  terminal.press('escape')
  await terminal.waitFor(/\d listed/)
  terminal.type('q')
  expect(await terminal.waitForExit()).toMatchObject({ code: 0 })
})

test("Ctrl+C cancels a command's call at the server, and says what is unknown", async () => {
  const { terminal, wasCancelled } = opened(command => [
    'call',
    '--command',
    commandLineOf(...command),
    'slow',
    '--yes',
  ])
  await terminal.waitFor(/3\/10 .*reading the index/)
  terminal.press('ctrl+c')
  await terminal.waitFor(UNKNOWN)
  expect(await terminal.waitForExit()).toMatchObject({ code: 130 })
  await wasCancelled()
})
