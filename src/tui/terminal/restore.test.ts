import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pty, { type IPty } from '@lydell/node-pty'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ASK_KEYBOARD, KEYBOARD_OFF, KEYBOARD_ON } from './modes.ts'
import { Emulator } from '../../../test/terminal/emulator.ts'
import { PATIENCE } from '../../../test/patience.ts'

const PROGRAM = fileURLToPath(new URL('../../../test/terminal/program.ts', import.meta.url))
const RUN = `exec '${process.execPath}' '${PROGRAM}'`

/** A program in a real pseudo-terminal that an emulator draws. */
class Session {
  readonly emulator = new Emulator({ columns: 100, rows: 12 })
  readonly pty: IPty
  readonly exit: Promise<{ exitCode: number; signal?: number }>
  /** The complete output of the program. */
  written = ''

  constructor(command: string[]) {
    this.pty = pty.spawn(command[0] ?? '', command.slice(1), { cols: 100, rows: 12, name: 'xterm-256color' })
    this.pty.onData(data => {
      this.written += data
      this.emulator.write(data)
    })
    this.exit = new Promise(resolve => this.pty.onExit(resolve))
  }

  get isAlternate(): boolean {
    return this.emulator.terminal.buffer.active.type === 'alternate'
  }

  /** Resolves when the screen fulfils the condition. */
  async until(condition: (text: string) => boolean): Promise<void> {
    await vi.waitUntil(() => condition(this.emulator.text().join('\n')), { ...PATIENCE, interval: 10 })
  }

  async ready(): Promise<void> {
    await this.until(text => this.isAlternate && text.startsWith('ready'))
  }

  /** Returns the state in which the program left the terminal, as far as an emulator can tell. */
  async leftBehind() {
    await this.emulator.drawn()
    const { terminal, isCursorVisible } = this.emulator
    const { bracketedPasteMode, sendFocusMode, wraparoundMode } = terminal.modes
    return {
      buffer: terminal.buffer.active.type,
      modes: { isCursorVisible, bracketedPasteMode, sendFocusMode, wraparoundMode },
      text: this.emulator.text().join('\n').trimEnd(),
    }
  }
}

const RESTORED = {
  buffer: 'normal',
  modes: { isCursorVisible: true, bracketedPasteMode: false, sendFocusMode: false, wraparoundMode: true },
}

const sessions: Session[] = []

function run(...args: string[]): Session {
  const session = new Session(['/bin/sh', '-c', `echo before; ${RUN} ${args.join(' ')}`])
  sessions.push(session)
  return session
}

afterEach(() => {
  for (const session of sessions.splice(0)) {
    try {
      session.pty.kill('SIGKILL')
    } catch {
      // The program has already ended.
    }
  }
})

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('%s restores the terminal, waits for open work, and exits with %i', async (signal, code) => {
  const session = run()
  await session.ready()
  process.kill(session.pty.pid, signal)
  expect((await session.exit).exitCode).toBe(code)
  expect(await session.leftBehind()).toEqual({ ...RESTORED, text: `before\nsettled after ${signal}` })
})

test('quitting restores the terminal', async () => {
  const session = run()
  await session.ready()
  session.pty.write('q')
  expect((await session.exit).exitCode).toBe(0)
  expect(await session.leftBehind()).toEqual({ ...RESTORED, text: 'before\nsettled after quit' })
})

test.each([
  ['x', 'the ␛[31mreason'],
  ['r', 'not caught'],
])('a crash (%s) writes one sentence to the restored terminal', async (key, reason) => {
  const session = run()
  await session.ready()
  session.pty.write(key)
  expect((await session.exit).exitCode).toBe(70)
  expect(await session.leftBehind()).toEqual({
    ...RESTORED,
    text: `before\nmcpdeck had to stop because of an error in the program: ${reason}\nsettled after crash`,
  })
})

test('open work that never ends delays the end only for a moment, and the terminal is restored before', async () => {
  const session = run('never-settles')
  await session.ready()
  session.pty.write('q')
  await session.until(text => !session.isAlternate && text.startsWith('before'))
  expect((await session.exit).exitCode).toBe(0)
})

test('a second request to quit ends the program at once', async () => {
  const session = run('never-settles')
  await session.ready()
  process.kill(session.pty.pid, 'SIGTERM')
  await session.until(() => !session.isAlternate)
  process.kill(session.pty.pid, 'SIGINT')
  expect((await session.exit).exitCode).toBe(130)
})

test('ctrl+z returns the terminal to the shell, and fg resumes the program', { tags: ['bash'] }, async () => {
  const session = new Session(['bash', '--norc', '--noprofile', '-i'])
  sessions.push(session)
  session.pty.write(`PS1='$ '; clear; echo before; '${process.execPath}' '${PROGRAM}'\r`)
  await session.ready()
  session.pty.write('a\x1a')
  await session.until(text => !session.isAlternate && text.includes('Stopped'))
  expect(session.emulator.isCursorVisible).toBe(true)
  session.pty.write('fg\r')
  await session.until(text => session.isAlternate && text.includes('typed: a ctrl+z'))
  session.pty.write('b')
  await session.until(text => text.includes('typed: a ctrl+z b'))
  process.kill(session.pty.pid, 'SIGCONT')
  session.pty.write('q')
  await session.until(text => !session.isAlternate && text.includes('settled after quit'))
})

test('a program that was stopped without a waiting shell takes the terminal again by itself', async () => {
  const session = run()
  await session.ready()
  session.pty.write('\x1a')
  await session.until(text => session.isAlternate && text.includes('typed: ctrl+z'))
  session.pty.write('a')
  await session.until(text => text.includes('typed: ctrl+z a'))
})

test.each(['input', 'output'] as const)('the program ends silently if the %s of the terminal closes', async side => {
  const program = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  program.stderr.on('data', chunk => (said += String(chunk)))
  await once(program.stdout, 'data')
  if (side === 'input') program.stdin.end()
  else {
    program.stdout.destroy()
    program.stdin.write('a')
  }
  expect(await once(program, 'exit')).toEqual([129, null])
  expect(said).toBe('')
})

describe('a terminal that has the kitty keyboard protocol', () => {
  const ANSWER = '\x1b[?0u'

  /** Returns the depth of the keyboard flag stack of each screen after this output. */
  function keyboardStacks(written: string): { main: number; alternate: number } {
    const stacks = { main: 0, alternate: 0 }
    let screen: keyof typeof stacks = 'main'
    for (const [sequence] of written.matchAll(/\x1b\[(?:\?1049[hl]|>\d*u|<\d*u)/g)) {
      if (sequence.endsWith('h')) screen = 'alternate'
      else if (sequence.endsWith('l')) screen = 'main'
      else stacks[screen] += sequence === KEYBOARD_ON ? 1 : -1
    }
    return stacks
  }

  /** Waits for the terminal query, answers it, and waits until the protocol is in use. */
  async function answered(session: Session): Promise<void> {
    await session.ready()
    await session.until(() => session.written.includes(ASK_KEYBOARD))
    session.pty.write(ANSWER)
    await session.until(() => keyboardStacks(session.written).alternate === 1)
  }

  test.each<[string, (session: Session) => void]>([
    ['quitting', session => session.pty.write('q')],
    ['quitting by its own sequence', session => session.pty.write('\x1b[113u')],
    ['a crash', session => session.pty.write('x')],
    ['an unhandled rejection', session => session.pty.write('r')],
    ['SIGTERM', session => process.kill(session.pty.pid, 'SIGTERM')],
    ['SIGHUP', session => process.kill(session.pty.pid, 'SIGHUP')],
  ])('gets its keyboard mode back after %s', async (_, end) => {
    const session = run()
    await answered(session)
    end(session)
    await session.exit
    expect(keyboardStacks(session.written)).toEqual({ main: 0, alternate: 0 })
    expect(session.written.split(KEYBOARD_ON)).toHaveLength(2)
  })

  test('sends a lone Esc that is recognized without a pause, and keys by their usual names', async () => {
    const session = run()
    await answered(session)
    session.pty.write('\x1b[27ua\x1b[1;129B')
    await session.until(text => text.includes('typed: escape a down'))
  })

  test('gets its keyboard mode back while the program is stopped, and loses it again afterwards', async () => {
    const session = run()
    await answered(session)
    session.pty.write('\x1b[122;5u')
    // No shell waits here, so the program continues by itself.
    await session.until(text => session.isAlternate && text.includes('typed: ctrl+z'))
    await session.until(() => session.written.split(KEYBOARD_ON).length === 3)
    expect(session.written.split(KEYBOARD_OFF)).toHaveLength(session.written.split(KEYBOARD_ON).length - 1)
    session.pty.write('q')
    await session.exit
    expect(keyboardStacks(session.written)).toEqual({ main: 0, alternate: 0 })
  })

  test('keeps its mode if it does not answer', async () => {
    const session = run()
    await session.ready()
    session.pty.write('q')
    await session.exit
    expect(session.written).toContain(ASK_KEYBOARD)
    expect(session.written).not.toContain(KEYBOARD_ON)
    expect(session.written).not.toContain(KEYBOARD_OFF)
  })
})
