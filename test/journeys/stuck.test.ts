import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { createUsedHome, removeHome } from '../pty/home.ts'
import { openTerminal, type Terminal } from '../pty/terminal.ts'
import { PATIENCE } from '../patience.ts'

const HOOK = pathToFileURL(join(import.meta.dirname, 'blocking-hook.mjs')).href

/** The dashboard on the notebook with its watchdog running, and its thread blocked from now on. */
async function openBlocked(home: string, how: 'inside' | 'outside'): Promise<Terminal> {
  const terminal = openTerminal({
    args: ['notebook'],
    home,
    env: { NODE_OPTIONS: `--import=${HOOK}`, MCPDECK_TEST_BLOCK: `${how}:${home}` },
  })
  await terminal.waitFor('Notebook')
  await vi.waitUntil(() => threadNames(terminal.pid).some(name => name.includes('watchdog')), {
    ...PATIENCE,
    interval: 50,
  })
  // Without the focus nobody is there, and the thread is checked less often.
  if (how === 'outside') terminal.type('\u001B[O')
  terminal.kill('SIGURG')
  await vi.waitUntil(() => existsSync(join(home, 'blocked')), { ...PATIENCE, interval: 20 })
  return terminal
}

function threadNames(pid: number): string[] {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).map(task => readFileSync(`${tasks}/${task}/comm`, 'utf8').trim())
}

/** The watchdog opens the terminal and reads from it in one step. */
function hasReadKeys(pid: number): boolean {
  const files = `/proc/${pid}/fd`
  return readdirSync(files).some(file => linkOf(join(files, file)) === '/dev/tty')
}

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file)
  } catch {
    // The file was closed after the folder was read.
    return undefined
  }
}

function expectGivenBack(terminal: Terminal): void {
  const { bracketedPasteMode, sendFocusMode, mouseTrackingMode, wraparoundMode } = terminal.modes
  expect({ buffer: terminal.buffer, cursor: terminal.cursorVisible }).toEqual({ buffer: 'normal', cursor: true })
  expect({ bracketedPasteMode, sendFocusMode, mouseTrackingMode, wraparoundMode }).toEqual({
    bracketedPasteMode: false,
    sendFocusMode: false,
    mouseTrackingMode: 'none',
    wraparoundMode: true,
  })
  expect(terminal.screen()).toBe('mcpdeck had to stop: it did not respond.')
}

describe.skipIf(process.platform !== 'linux').concurrent('a screen whose thread is stuck', () => {
  test('in a loop is ended a second after Ctrl+C, with its exit code and the terminal restored', async () => {
    const home = createUsedHome()
    await using terminal = await openBlocked(home, 'inside')
    terminal.press('ctrl+c')
    expect(await terminal.waitForExit(60_000)).toEqual({ code: 130, signal: undefined })
    expectGivenBack(terminal)
    removeHome(home)
  })

  test('outside of JavaScript is killed, and the terminal restored', async () => {
    const home = createUsedHome()
    await using terminal = await openBlocked(home, 'outside')
    terminal.press('ctrl+c')
    expect(await terminal.waitForExit(60_000)).toEqual({ code: 0, signal: 'SIGKILL' })
    expectGivenBack(terminal)
    removeHome(home)
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGUSR2', 128 + constants.signals.SIGUSR2],
  ] as const)('receives %s, which ends it with its exit code and the terminal restored', async (signal, code) => {
    const home = createUsedHome()
    await using terminal = await openBlocked(home, 'inside')
    await vi.waitUntil(() => hasReadKeys(terminal.pid), { ...PATIENCE, interval: 1 })
    terminal.kill(signal)
    expect(await terminal.waitForExit(60_000)).toEqual({ code, signal: undefined })
    expectGivenBack(terminal)
    removeHome(home)
  })

  test('and then continues gets first the keys that the watchdog read, then those that it reads itself', async () => {
    const home = createUsedHome()
    await using terminal = await openBlocked(home, 'inside')
    terminal.type(':')
    await vi.waitUntil(() => hasReadKeys(terminal.pid), { ...PATIENCE, interval: 20 })
    writeFileSync(join(home, 'go-on'), '')
    terminal.type('every')
    await terminal.waitFor('│ every ')
    terminal.press('ctrl+c')
    expect(await terminal.waitForExit()).toEqual({ code: 130, signal: undefined })
    removeHome(home)
  })
})
