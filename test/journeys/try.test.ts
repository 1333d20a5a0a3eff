import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openHome } from '../cli/program.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { openTerminal, type Key, type Terminal } from '../pty/terminal.ts'
import { startHttpServer } from '../servers/http-server.ts'

const SERVER = join(import.meta.dirname, '../servers/stdio-server.mjs')
const SECRET = 'very-secret-of-try'

/** A home whose temporary directory contains only files of the program. */
function homeWithTemporary() {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const temporary = join(home, 'temporary')
  mkdirSync(temporary)
  return { home, temporary, left: () => readdirSync(temporary).filter(name => name.startsWith('mcpdeck-try-')) }
}

function tried(own: { home: string; temporary: string }, ...words: readonly string[]): Terminal {
  const terminal = openTerminal({ home: own.home, args: ['try', ...words], env: { TMPDIR: own.temporary } })
  onTestFinished(() => terminal.close())
  return terminal
}

async function quit(terminal: Terminal): Promise<void> {
  terminal.type('q')
  expect(await terminal.waitForExit()).toMatchObject({ code: 0 })
}

test('one key saves a tried server in the local workspace with everything that it was opened with', async () => {
  const own = homeWithTemporary()
  const terminal = tried(own, '--env', `TOKEN=${SECRET}`, '--timeout', '9s', '--', process.execPath, SERVER, 'healthy')
  await terminal.waitFor('3 listed')
  terminal.type('s')
  await terminal.waitFor('Save stdio-server')
  terminal.press('ctrl+s')
  await terminal.waitFor(/Saved stdio-server in Sandbox/)
  await quit(terminal)
  const again = openTerminal({ home: own.home, args: ['servers'] })
  onTestFinished(() => again.close())
  await again.waitFor('stdio-server')
  again.press('down', 'enter')
  await again.waitFor('TOKEN=••••')
  expect(again.screen()).toMatch(/Timeout +9 s/)
  expect(again.screen()).not.toContain(SECRET)
  again.type(']]')
  await again.waitFor('3 listed')
})

test('a call becomes an eval case that runs with at most twelve keys after its arguments', async () => {
  const own = homeWithTemporary()
  const terminal = tried(own, '--', process.execPath, SERVER, 'drifts', join(own.home, 'never'))
  let keys = 0
  const press = async (key: Key | 'E', content: string | RegExp): Promise<void> => {
    keys += 1
    if (key === 'E') terminal.type(key)
    else terminal.press(key)
    await terminal.waitFor(content)
  }
  await terminal.waitFor('2 listed')
  terminal.type('c')
  await terminal.waitFor('Call get-sum on stdio-server')
  terminal.type('2')
  terminal.press('tab')
  terminal.type('3')
  await press('ctrl+s', 'The sum is 5.')
  await press('alt+c', 'Save as eval case')
  expect(terminal.screen()).toContain('get-sum {"a":2,"b":3}')
  expect(terminal.words()).toContain('the answer matches /^The sum is 5')
  await press('ctrl+s', 'goes to it')
  await press('alt+c', '2. assert no tool answers an error')
  await press('E', 'Launch stdio-server suite')
  await terminal.waitFor('A run of stdio-server suite')
  await press('ctrl+s', /✓ passed, 1\/1/)
  expect(keys).toBeLessThanOrEqual(12)
  terminal.type('3')
  await terminal.waitFor('save server')
  terminal.type('s')
  await terminal.waitFor('Save stdio-server')
  terminal.press('ctrl+s')
  await terminal.waitFor(/Saved stdio-server in Sandbox.*with 1 suite, 1 call/)
  await quit(terminal)
  expect(own.left()).toEqual([])
  const run = openTerminal({ home: own.home, args: ['run', 'stdio-server suite', '--yes', '--watch'] })
  onTestFinished(() => run.close())
  expect(await run.waitForExit()).toMatchObject({ code: 0 })
  expect(run.words()).toContain('1 passed, 0 failed')
})

test('a second call is saved in the suite of the first, or in another new one', async () => {
  const own = homeWithTemporary()
  const terminal = tried(own, '--', process.execPath, SERVER, 'drifts', join(own.home, 'never'))
  await terminal.waitFor('2 listed')
  const call = async (number: string): Promise<void> => {
    terminal.type('c')
    await terminal.waitFor('Call get-sum on stdio-server')
    // The selection starts at the last call.
    terminal.press('ctrl+u')
    terminal.type(number)
    terminal.press('tab', 'ctrl+u')
    terminal.type('3')
    terminal.press('ctrl+s')
    await terminal.waitFor(`The sum is ${Number(number) + 3}.`)
    terminal.press('alt+c')
    await terminal.waitFor('Save as eval case')
  }
  await call('2')
  terminal.press('ctrl+s')
  await terminal.waitFor('Saved get-sum {"a":2,"b":3} in the suite stdio-server suite.')
  terminal.type('q')
  await call('4')
  expect(terminal.screen()).not.toContain('(new)')
  terminal.press('ctrl+s')
  await terminal.waitFor('Saved get-sum {"a":4,"b":3} in the suite stdio-server suite.')
  terminal.type('q')
  await call('6')
  terminal.press('tab', 'down', 'space', 'ctrl+s')
  await terminal.waitFor('It is created together with the case.')
  terminal.type('Other')
  terminal.press('ctrl+s')
  await terminal.waitFor('Other (new)')
  terminal.press('ctrl+s')
  await terminal.waitFor('Saved get-sum {"a":6,"b":3} in the suite Other.')
  terminal.press('alt+c')
  await terminal.waitFor('Cases 1 of 1')
  terminal.type('q')
  await terminal.waitFor('Quit and lose what was made here?')
  expect(terminal.words()).toContain('The suite stdio-server suite.')
  expect(terminal.words()).toContain('The suite Other.')
  terminal.press('enter')
  await terminal.waitFor(now => !now.screen().includes('Quit and lose'))
  terminal.resize(30, 8)
  await terminal.waitFor('mcpdeck needs at least')
  terminal.type('q')
  await terminal.waitFor('same key')
  terminal.type('q')
  expect(await terminal.waitForExit()).toMatchObject({ code: 0 })
  expect(own.left()).toEqual([])
})

test('remains of a killed try are removed at the next start, unless in use or in a named directory', async () => {
  const own = homeWithTemporary()
  const killed = tried(own, '--', process.execPath, SERVER, 'healthy')
  await killed.waitFor('3 listed')
  killed.kill('SIGKILL')
  await killed.waitForExit()
  const [stray = ''] = own.left()
  expect(stray).not.toBe('')
  const first = tried(own, '--', process.execPath, SERVER, 'healthy')
  await first.waitFor(() => own.left().length === 1 && own.left()[0] !== stray && first.screen().includes('3 listed'))
  const [used = ''] = own.left()
  const second = tried(own, '--cwd', dirname(SERVER), '--', process.execPath, `./${basename(SERVER)}`, 'healthy')
  await second.waitFor('3 listed')
  expect(own.left()).toContain(used)
  second.type('s')
  await second.waitFor('Save stdio-server')
  second.press('ctrl+s')
  await second.waitFor(/Left behind: Its directory/)
  await quit(second)
  expect(own.left()).toEqual([used])
  first.kill('SIGTERM')
  await first.waitForExit()
  expect(own.left()).toEqual([])
})

test('an address opens with its headers, is called without being saved, and leaves nothing', async () => {
  const server = await startHttpServer()
  onTestFinished(() => server.close())
  const own = homeWithTemporary()
  const terminal = tried(own, '--header', `X-Team: ${SECRET}`, server.url)
  await terminal.waitFor('1 listed')
  const [directory = ''] = own.left()
  expect(statSync(join(own.temporary, directory)).mode & 0o777).toBe(0o700)
  terminal.press('enter')
  await terminal.waitFor('Call count')
  terminal.press('ctrl+s')
  await terminal.waitFor('✓ answered')
  expect(server.seen.map(({ headers }) => headers['x-team'])).not.toContain(undefined)
  expect(terminal.screen()).not.toContain(SECRET)
  terminal.press('escape')
  await terminal.waitFor(now => !now.screen().includes('✓ answered'))
  await quit(terminal)
  expect(own.left()).toEqual([])
  expect(existsSync(join(own.home, '.local/share/mcpdeck/mcpdeck.sqlite'))).toBe(false)
  const state = join(own.home, '.local/state/mcpdeck')
  expect(existsSync(state) ? readdirSync(state) : []).toEqual([])
})

test('a program that does not start is reported on the screen', async () => {
  const terminal = tried(homeWithTemporary(), '--', 'no-such-program-here', '--flag')
  await terminal.waitFor('MCP server unreachable')
  terminal.type('d')
  await terminal.waitFor('not executable: no-such-program-here')
  await quit(terminal)
})

test('try without a terminal says what to use instead', async () => {
  const home = await openHome()
  try {
    const ended = await home.run(['try', '--', process.execPath, SERVER])
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('needs a terminal') })
  } finally {
    await home.close()
  }
})
