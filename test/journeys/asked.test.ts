import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal } from '../pty/terminal.ts'

const SERVER = join(import.meta.dirname, '../servers/asking-server.mjs')

test('a tool asks with a form, and its answer contains what was filled in', async () => {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const terminal = openTerminal({ home, args: ['try', '--', process.execPath, SERVER] })
  onTestFinished(() => terminal.close())
  await terminal.waitFor('listed')
  terminal.press('enter')
  await terminal.waitFor('Call form on asking-server')
  terminal.press('ctrl+s')
  await terminal.waitFor('asking-server asks: Q')
  terminal.type('Q')
  await terminal.waitFor('Your name  (text, required)')
  expect(terminal.words()).toContain('asks you to fill in a form, for tools/call form.')
  terminal.type('Ada')
  terminal.press('ctrl+s')
  await terminal.waitFor('"name": "Ada"')
  expect(terminal.screen()).not.toContain('asks: Q')
  terminal.type('qq')
  expect(await terminal.waitForExit()).toMatchObject({ code: 0 })
})
