import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import type { Condition, TerminalOptions } from '../pty/terminal.ts'
import { watchUnasked } from '../pty/unasked.ts'
import type { Ending } from '../service/harness.ts'
import { usedHome } from './homes.ts'
import { visit } from './visitor.ts'

const SERVERS = 3
const RUNS = 4
const KEPT = /Last seen \d{4}-\d\d-\d\d \d\d:\d\d, opening…/

/** Whether a kept screen shows all of some words. One look, since the live screen may replace it at any moment. */
function keptOn(...wanted: string[]): Condition {
  return terminal => {
    const words = terminal.words()
    return KEPT.test(words) && wanted.every(each => words.includes(each))
  }
}

/** A home in which the dashboard was closed on the servers screen. */
async function leftOnServers(ending: Ending, options: TerminalOptions = {}): Promise<string> {
  const home = usedHome(ending)
  await using person = visit({ ...options, home })
  await person.see('▌Sandbox')
  person.go(SERVERS)
  await person.see('▌everything')
  person.press(appKeys.bindings.quit)
  await person.terminal.waitForExit()
  return home
}

test.concurrent('the last screen is shown at once, unless terminal, data or file differ', async ending => {
  const home = await leftOnServers(ending)
  const state = join(home, '.local/state/mcpdeck')
  const [name, ...others] = readdirSync(state).filter(each => each.startsWith('last-screen-'))
  expect(others).toEqual([])
  const file = join(state, name!)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const left = readFileSync(file, 'utf8')
  {
    await using person = visit({ home, cols: 80, rows: 24 })
    await person.see('▌everything')
    expect(person.terminal.output).not.toMatch(KEPT)
  }
  {
    await using person = visit({ home, env: { MCPDECK_DATA_DIR: join(home, 'elsewhere') } })
    await person.see('▌Sandbox')
    expect(person.terminal.output).not.toMatch(KEPT)
  }
  // Each dashboard was killed, so that the file is unchanged.
  expect(readFileSync(file, 'utf8')).toBe(left)
  {
    const kept = JSON.parse(left) as { picture: string }
    const picture = `${kept.picture}\u001B]52;c;ZXZpbA==\u0007\u009D0;evil\u009C`
    writeFileSync(file, JSON.stringify({ ...kept, picture }))
    await using person = visit({ home })
    const unasked = watchUnasked(person.terminal, 'dashboard')
    await person.see('▌everything')
    expect(unasked()).toEqual([])
    expect(person.terminal.output).not.toMatch(KEPT)
  }
  writeFileSync(file, left)
  {
    await using person = visit({ home })
    await person.see(keptOn('stale', '▌everything'))
    await person.seeGone(KEPT)
    await person.see('▌everything')
    await person.see('[3 Servers]')
    await person.see('fresh')
  }
  expect(readFileSync(file, 'utf8')).toBe(left)
  {
    await using person = visit({ home })
    await person.see(KEPT)
    person.go(RUNS)
    await person.see('Reference server smoke')
    expect(person.terminal.screen()).not.toMatch(KEPT)
  }
  await using person = visit({ home })
  await person.see(KEPT)
  person.press(appKeys.bindings.interrupt)
  expect(await person.terminal.waitForExit()).toMatchObject({ code: 130 })
  expect(person.terminal.buffer).toBe('normal')
  expect(person.terminal.cursorVisible).toBe(true)
})

test.concurrent('a start with options opens the last place, and the next start the place it left', async ending => {
  const home = await leftOnServers(ending)
  await using dressed = visit({ home, args: ['--no-mouse', '--read-only'] })
  await dressed.see('▌everything')
  expect(dressed.words()).toContain('[3 Servers]')
  dressed.go(RUNS)
  await dressed.see('Reference server smoke')
  dressed.press(appKeys.bindings.quit)
  await dressed.terminal.waitForExit()
  await using plain = visit({ home })
  await plain.see('[4 Runs]')
  await plain.see('fresh')
  expect(plain.words()).toContain('[4 Runs]')
})

test.concurrent.for([[], ['--read-only']])(
  'bad settings restore the terminal before they are reported: %j',
  async (args, { onTestFinished }) => {
    const ending = { onTestFinished }
    const home = await leftOnServers(ending, { args, env: { MCPDECK_MODEL_BASE_URL: 'http://127.0.0.1:1/v1' } })
    await using person = visit({ home, args, env: { MCPDECK_MODEL_BASE_URL: 'none' } })
    await person.terminal.waitForExit()
    expect(person.terminal.output).toMatch(KEPT)
    expect(person.terminal.buffer).toBe('normal')
    expect(person.words()).toContain('MCPDECK_MODEL_BASE_URL is "none"')
  },
)

test.concurrent('a start with a named place shows it, and a start without one the last screen', async ending => {
  const home = usedHome(ending)
  const args = ['servers']
  {
    await using first = visit({ home, args })
    await first.see('▌everything')
    await first.see('fresh')
    // The last data that this screen reads.
    await first.see('No calls yet')
    expect(first.terminal.output).not.toMatch(KEPT)
    first.go(RUNS)
    await first.see('Reference server smoke')
    first.press(appKeys.bindings.quit)
    await first.terminal.waitForExit()
  }
  {
    await using named = visit({ home, args })
    await named.see(keptOn('▌everything', '[3 Servers]'))
    await named.seeGone(KEPT)
    await named.see('fresh')
    expect(named.words()).toContain('[3 Servers]')
  }
  await using plain = visit({ home })
  await plain.terminal.waitFor(() => KEPT.test(plain.terminal.output))
  await plain.see('[4 Runs]')
})

test.concurrent('a start shows the last screen of a start with the same options, never with others', async ending => {
  const home = await leftOnServers(ending)
  const args = ['--ascii']
  {
    await using first = visit({ home, args })
    await first.see('[3 Servers]')
    await first.see('fresh')
    expect(first.terminal.output).not.toMatch(KEPT)
    first.press(appKeys.bindings.quit)
    await first.terminal.waitForExit()
  }
  await using person = visit({ home, args })
  await person.see(/Last seen \d{4}-\d\d-\d\d \d\d:\d\d, opening/)
  await person.seeGone('Last seen')
  expect(person.words()).toContain('[3 Servers]')
})
