import { join } from 'node:path'
import type { Key } from '../../test/pty/keys.ts'
import { openTerminal, type Condition, type Terminal, type TerminalOptions } from '../../test/pty/terminal.ts'
import { root } from '../paths.ts'
import { BACKGROUNDS, photograph, settled } from '../pictures/photograph.ts'
import { clockEnv } from './clock.ts'
import { steady } from './steady.ts'

/** A key by its name or its letter, a text to type, keys to press repeatedly, or a condition to wait for. */
export type Press = string | { text: string } | { times: number; keys: readonly string[] } | RegExp

export type Stop = {
  title: string
  /** What to look at, in Markdown. */
  words: string
  keys?: readonly Press[]
  until: Condition
  /** Name of its pictures, in dark and light, which replace the text. */
  picture?: string
}

/** Maximum number of rows shown of a screen, in addition to its last one. */
const MOST_ROWS = 12

/**
 * Returns the new rows of a screen, including the one that was waited for, and its last row, the footer; `⋮` replaces
 * omitted rows.
 * @throws if nothing is new, since the words above it would be untrue
 */
function toldRows(screen: readonly string[], before: readonly string[], until: Condition): string[] {
  const isNews = (row: string, at: number) => row !== before[at] && /[\p{L}\p{N}]/u.test(row)
  const footer = screen.length - 1
  const news = screen.flatMap((row, at) => (at < footer && isNews(row, at) ? [at] : []))
  if (news.length === 0 && screen[footer] === before[footer])
    throw new Error(`Nothing new is on the screen:\n${screen.join('\n')}`)
  const awaited = news.findIndex(at => typeof until === 'string' && screen[at]?.includes(until))
  const first = Math.max(0, awaited + 2 - MOST_ROWS)
  const told = [...news.slice(first, first + MOST_ROWS), footer]
  return told.flatMap((at, index) => [...(at === (told[index - 1] ?? -1) + 1 ? [] : ['⋮']), screen[at] ?? ''])
}

/** Opens mcpdeck in a terminal with true color, on the day of the recording. */
export function openOnTheDay(options: TerminalOptions): Terminal {
  return openTerminal({
    ...options,
    env: { ...clockEnv, MCPDECK_PORT: undefined, COLORTERM: 'truecolor', ...options.env },
  })
}

/** Returns the picture for the reader's background. */
function pictureOf(name: string, title: string): string {
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="pictures/${name}-dark.svg">`,
    `  <img alt="${title}" src="pictures/${name}-light.svg">`,
    '</picture>',
  ].join('\n')
}

/** Presses one key. An Esc directly followed by a key would be Alt and that key; this form of it is Esc alone. */
function pressKey(terminal: Terminal, key: string): void {
  if (key === 'escape') terminal.type('\u001B[27u')
  else if ([...key].length === 1) terminal.type(key)
  else terminal.press(key as Key)
}

/** Presses a key, or waits for a condition. */
export async function press(terminal: Terminal, key: Press): Promise<void> {
  if (key instanceof RegExp) await terminal.waitFor(key)
  else if (typeof key === 'string') pressKey(terminal, key)
  else if ('text' in key) terminal.type(key.text)
  else for (let count = 0; count < key.times; count += 1) for (const each of key.keys) pressKey(terminal, each)
}

const NAMES: Readonly<Record<string, string>> = { escape: 'Esc', down: '↓', up: '↑', pagedown: 'PgDn' }

function nameOf(key: string): string {
  if ([...key].length === 1) return `\`${key}\``
  if (key.startsWith('alt+')) return `\`Alt+${key.slice('alt+'.length)}\``
  const name = key.replace(/(^|\+)[a-z]/g, letter => letter.toUpperCase())
  return `\`${NAMES[key] ?? name}\``
}

/** Lists the pressed keys in order; repeated ones once. */
function toldKeys(keys: readonly Press[]): string {
  const told: { words: string; times: number }[] = []
  for (const key of keys) {
    if (key instanceof RegExp) continue
    const [words, times] =
      typeof key === 'string'
        ? [nameOf(key), 1]
        : 'text' in key
          ? [`typed: \`${key.text}\``, 1]
          : [key.keys.map(nameOf).join(' '), key.times]
    const last = told.at(-1)
    if (last?.words === words) last.times += times
    else told.push({ words, times })
  }
  return told.map(({ words, times }) => (times === 1 ? words : `${words} (${times} times)`)).join(', ')
}

/** A chapter of the tour: the places, the pressed keys and what was visible. */
export class Chapter {
  readonly #parts: string[]
  readonly #before = new WeakMap<Terminal, readonly string[]>()

  constructor(title: string, words: string) {
    this.#parts = [`## ${title}`, words]
  }

  /** Presses the keys, waits for their result, and records the screen. */
  async stop(terminal: Terminal, { title, words, keys = [], until, picture }: Stop): Promise<void> {
    for (const key of keys) await press(terminal, key)
    await terminal.waitFor(until)
    const lines = (await settled(terminal)).split('\n')
    const told = toldRows(lines, this.#before.get(terminal) ?? [], until)
    this.#before.set(terminal, lines)
    const pressed = keys.length === 0 ? '' : `Keys: ${toldKeys(keys)}.\n\n`
    this.#parts.push(`### ${title}`, `${pressed}${words}`)
    if (picture !== undefined) {
      for (const background of BACKGROUNDS) {
        const file = join(root, `docs/pictures/${picture}-${background}.svg`)
        await photograph(terminal, { file, title, background })
      }
      this.#parts.push(pictureOf(picture, title))
    } else this.#parts.push(`\`\`\`text\n${told.join('\n')}\n\`\`\``)
  }

  /** Adds a sentence to the chapter. */
  note(words: string): void {
    this.#parts.push(words)
  }

  /** Adds a text that is not a screen. */
  add(words: string, text: string, language: string): void {
    this.#parts.push(words, `\`\`\`\`${language}\n${steady(text.trimEnd())}\n\`\`\`\``)
  }

  toString(): string {
    return this.#parts.join('\n\n')
  }
}
