import { join } from 'node:path'
import type { Binding } from '../../src/tui/keymap/binding.ts'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { openTerminal, type Condition, type Key, type Terminal, type TerminalOptions } from '../pty/terminal.ts'

/** The built program, for tests that start it in a way of their own. */
export const PROGRAM = join(import.meta.dirname, '../../dist/boot.js')

/** mcpdeck in a terminal, with a person who presses keys by their declared bindings and reads the screen. */
export type Visitor = AsyncDisposable & {
  readonly terminal: Terminal
  /** Presses a binding's first key, or the named one of its keys. */
  press(binding: Binding, key?: string): void
  /** Opens the screen of this number. */
  go(number: number): void
  /** Opens a screen by its letter, which each has. */
  open(screen: { goKey: string }): void
  type(text: string): void
  /** Resolves as soon as the screen shows this. */
  see(wanted: Condition): Promise<void>
  /** Resolves as soon as the screen no longer shows this. */
  seeGone(unwanted: string | RegExp): Promise<void>
  /** What is on screen without borders, scrollbars and line ends, so that a wrapped sentence is one. */
  words(): string
}

/** Starts mcpdeck, in a home after a first start unless one is given, or `isUsed` is false. */
export function visit(options: TerminalOptions = {}): Visitor {
  const terminal = openTerminal({ isUsed: true, ...options })
  const press: Visitor['press'] = (binding, key = binding.keys[0]!) => {
    if ([...key].length === 1) terminal.type(key)
    else terminal.press(key as Key)
  }
  return {
    terminal,
    press,
    go: number => press(appKeys.bindings.screen, String(number)),
    open({ goKey }) {
      terminal.type(',')
      terminal.type(goKey)
    },
    type: text => terminal.type(text),
    see: wanted => terminal.waitFor(wanted),
    seeGone: unwanted => terminal.waitFor(() => !shows(terminal.screen(), unwanted)),
    words: () => terminal.words(),
    [Symbol.asyncDispose]: () => terminal.close(),
  }
}

function shows(screen: string, text: string | RegExp): boolean {
  return typeof text === 'string' ? screen.includes(text) : text.test(screen)
}
