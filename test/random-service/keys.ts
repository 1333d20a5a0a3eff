import fc from 'fast-check'
import { screens } from '../../src/app/registry.ts'
import type { Key, Terminal } from '../pty/terminal.ts'

/** How long output must pause before the next keys, and the maximum wait for that, in milliseconds. */
const REST_MS = 40
const REST_AT_MOST_MS = 300

/** Keys that open each screen: its number if it has one, and its letter. */
const SCREENS = screens.flatMap(({ order, goKey }) => [...(order === undefined ? [] : [String(order)]), `, ${goKey}`])
/**
 * Keys that open and move are more frequent than those for a screen's actions; Ctrl+C and Ctrl+Z belong to the shell.
 */
const key = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...SCREENS) },
  { weight: 9, arbitrary: fc.constantFrom<Key>('down', 'up', 'enter', 'tab', 'right', 'left', 'escape') },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Key>('pagedown', 'pageup', 'home', 'end', 'space', 'shift+tab', 'backspace'),
  },
  { weight: 3, arbitrary: fc.constantFrom(...'abcdefghijklmnoprstuvwxyABCDEFGHIJKLMNOPRSTUVWXY/?:.-[]<>+0') },
  { weight: 1, arbitrary: fc.constantFrom<Key>('ctrl+p', 'ctrl+r', 'ctrl+l', 'ctrl+s', 'ctrl+x', 'ctrl+o', 'ctrl+u') },
)

/** An endless list of keys for a dashboard; the same for the same seed. */
export function randomKeys(seed: number): IterableIterator<string> {
  return fc.sample(fc.infiniteStream(key), { seed, numRuns: 1 })[0]!
}

/** Presses keys by their names, one after the other; letters are typed. */
export function pressKey(terminal: Terminal, names: string): void {
  for (const name of names.split(' '))
    if ([...name].length === 1) terminal.type(name)
    else terminal.press(name as Key)
}

/** Resolves once no output has arrived for a moment. */
export async function rested(terminal: Terminal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const longest = setTimeout(resolve, REST_AT_MOST_MS)
  let quiet = setTimeout(resolve, 2 * REST_MS)
  terminal.onOutput = () => {
    clearTimeout(quiet)
    quiet = setTimeout(resolve, REST_MS)
  }
  await promise
  clearTimeout(longest)
  clearTimeout(quiet)
  terminal.onOutput = undefined
}
