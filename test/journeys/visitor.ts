import { join } from 'node:path'
import type { Binding } from '../../src/tui/keymap/binding.ts'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { openTerminal, type Condition, type Key, type Terminal, type TerminalOptions } from '../pty/terminal.ts'

/** The built program, for tests that start it in their own way. */
export const PROGRAM = join(import.meta.dirname, '../../dist/boot.js')

/** A terminal with mcpdeck, and a person who presses keys by their declared bindings and reads the screen. */
export type Visitor = AsyncDisposable & {
  readonly terminal: Terminal
  /** Presses the first key of a binding, or the given one. */
  press(binding: Binding, key?: string): void
  /** Opens the screen with this number. */
  go(number: number): void
  /** Opens a screen by its letter, which every screen has. */
  open(screen: { goKey: string }): void
  type(text: string): void
  /** Resolves once the screen shows this. */
  see(wanted: Condition): Promise<void>
  /** Resolves once the screen no longer shows this. */
  seeGone(unwanted: string | RegExp): Promise<void>
  /** The text on screen without borders, scrollbars and line ends, so that a wrapped sentence is one line. */
  words(): string
}

/** Starts mcpdeck in the given home; by default in one after a first start, or in an empty one if `isUsed` is false. */
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
