import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pty, { type IPty } from '@lydell/node-pty'
import { afterEach, expect, test, vi } from 'vitest'
import { Emulator } from './test-emulator.ts'

const PROGRAM = fileURLToPath(new URL('test-program.ts', import.meta.url))
const RUN = `exec '${process.execPath}' '${PROGRAM}'`

/** A program in a real pseudo-terminal, drawn by the emulator. */
class Session {
  readonly emulator = new Emulator({ columns: 100, rows: 12 })
  readonly pty: IPty
  readonly exit: Promise<{ exitCode: number; signal?: number }>

  constructor(command: string[]) {
    this.pty = pty.spawn(command[0] ?? '', command.slice(1), { cols: 100, rows: 12, name: 'xterm-256color' })
    this.pty.onData(data => this.emulator.write(data))
    this.exit = new Promise(resolve => this.pty.onExit(resolve))
  }

  get isAlternate(): boolean {
    return this.emulator.terminal.buffer.active.type === 'alternate'
  }

  /** Resolves when the screen fulfils the condition. */
  async until(condition: (text: string) => boolean): Promise<void> {
    await vi.waitUntil(() => condition(this.emulator.text().join('\n')), { timeout: 15_000, interval: 10 })
  }

  async ready(): Promise<void> {
    await this.until(text => this.isAlternate && text.startsWith('ready'))
  }

  /** What the program left behind, as far as an emulator can tell. */
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
      // It has ended already.
    }
  }
})

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('%s gives the terminal back, lets the owner settle, and exits with %i', async (signal, code) => {
  const session = run()
  await session.ready()
  process.kill(session.pty.pid, signal)
  expect((await session.exit).exitCode).toBe(code)
  expect(await session.leftBehind()).toEqual({ ...RESTORED, text: `before\nsettled after ${signal}` })
})

test('quitting gives the terminal back', async () => {
  const session = run()
  await session.ready()
  session.pty.write('q')
  expect((await session.exit).exitCode).toBe(0)
  expect(await session.leftBehind()).toEqual({ ...RESTORED, text: 'before\nsettled after quit' })
})

test.each([
  ['x', 'the [31mreason'],
  ['r', 'not caught'],
])('a crash (%s) says one sentence on the terminal it gave back', async (key, reason) => {
  const session = run()
  await session.ready()
  session.pty.write(key)
  expect((await session.exit).exitCode).toBe(70)
  expect(await session.leftBehind()).toEqual({
    ...RESTORED,
    text: `before\nmcpdeck had to stop because of an error in the program: ${reason}\nsettled after crash`,
  })
})

test('an owner that never settles is not waited for forever, and the terminal is back before', async () => {
  const session = run('never-settles')
  await session.ready()
  session.pty.write('q')
  await session.until(text => !session.isAlternate && text.startsWith('before'))
  expect((await session.exit).exitCode).toBe(0)
})

test('asked twice it ends at once', async () => {
  const session = run('never-settles')
  await session.ready()
  process.kill(session.pty.pid, 'SIGTERM')
  await session.until(() => !session.isAlternate)
  process.kill(session.pty.pid, 'SIGINT')
  expect((await session.exit).exitCode).toBe(130)
})

test('ctrl+z hands the terminal to the shell, fg brings the program back', async () => {
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

test('stopped where no shell waits, the program takes the terminal again by itself', async () => {
  const session = run()
  await session.ready()
  session.pty.write('\x1a')
  await session.until(text => session.isAlternate && text.includes('typed: ctrl+z'))
  session.pty.write('a')
  await session.until(text => text.includes('typed: ctrl+z a'))
})

test.each(['input', 'output'] as const)('when the %s of the terminal is gone it ends quietly', async side => {
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
