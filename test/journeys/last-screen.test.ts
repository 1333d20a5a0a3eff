import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appKeys } from '../../src/app/shell/app-keys.ts'
import { createHome, removeHome } from '../pty/home.ts'
import type { TerminalOptions } from '../pty/terminal.ts'
import { visit } from './visitor.ts'

const SERVERS = 3
const RUNS = 4
const KEPT = /Last seen \d{4}-\d\d-\d\d \d\d:\d\d, opening…/

/** A home in which the dashboard was left on the servers screen. */
async function leftOnServers(options: TerminalOptions = {}): Promise<string> {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  await using person = visit({ ...options, home })
  await person.see('▌Sandbox')
  person.go(SERVERS)
  await person.see('▌everything')
  person.press(appKeys.bindings.quit)
  await person.terminal.waitForExit()
  return home
}

test('the screen one left is there at once, and then its fresh data', async () => {
  const home = await leftOnServers()
  await using person = visit({ home })
  await person.see(KEPT)
  expect(person.words()).toContain('stale')
  expect(person.words()).toContain('▌everything')
  await person.seeGone(KEPT)
  expect(person.words()).toContain('▌everything')
  expect(person.words()).toContain('[3 Servers]')
  await person.see('fresh')
})

test('keys typed at the picture count once the program is there', async () => {
  const home = await leftOnServers()
  await using person = visit({ home })
  await person.see(KEPT)
  person.go(RUNS)
  await person.see('Reference server smoke')
  expect(person.terminal.screen()).not.toMatch(KEPT)
})

test('Ctrl+C at the picture leaves, and the terminal is as it was', async () => {
  const home = await leftOnServers()
  await using person = visit({ home })
  await person.see(KEPT)
  person.press(appKeys.bindings.interrupt)
  expect(await person.terminal.waitForExit()).toMatchObject({ code: 130 })
  expect(person.terminal.buffer).toBe('normal')
  expect(person.terminal.cursorVisible).toBe(true)
})

test('a terminal of another size shows no picture but the same place', async () => {
  const home = await leftOnServers()
  await using person = visit({ home, cols: 80, rows: 24 })
  await person.see('▌everything')
  expect(person.terminal.output).not.toMatch(KEPT)
})

test('another data source shows nothing of this one', async () => {
  const home = await leftOnServers()
  await using person = visit({ home, env: { MCPDECK_DATA_DIR: join(home, 'elsewhere') } })
  await person.see('▌Sandbox')
  expect(person.terminal.output).not.toMatch(KEPT)
})

test('bad settings give the terminal back before they are told', async () => {
  const home = await leftOnServers({ env: { MCPDECK_MODEL_BASE_URL: 'http://127.0.0.1:1/v1' } })
  await using person = visit({ home, env: { MCPDECK_MODEL_BASE_URL: 'none' } })
  await person.terminal.waitForExit()
  expect(person.terminal.buffer).toBe('normal')
  expect(person.words()).toContain('MCPDECK_MODEL_BASE_URL is "none"')
})

test('the kept screen is for its owner only', async () => {
  const home = await leftOnServers()
  const state = join(home, '.local/state/mcpdeck')
  const kept = readdirSync(state).filter(name => name.startsWith('last-screen-'))
  expect(kept).toHaveLength(1)
  expect(statSync(join(state, kept[0]!)).mode & 0o777).toBe(0o600)
})
