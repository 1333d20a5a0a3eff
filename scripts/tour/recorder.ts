import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Key } from '../../test/pty/keys.ts'
import { openTerminal, type Condition, type Terminal, type TerminalOptions } from '../../test/pty/terminal.ts'
import { TERMINAL_COLOURS } from '../../src/tui/theme/themes.ts'
import { root } from '../paths.ts'
import { cellsOf, svgOf, type Cell } from '../pictures/svg.ts'
import { clockEnv } from './clock.ts'
import { steady } from './steady.ts'

/**
 * A key by its name or its letter, a text that is typed, keys that are pressed again and again, or what to wait for.
 */
export type Press = string | { text: string } | { times: number; keys: readonly string[] } | RegExp

export type Stop = {
  title: string
  /** What to see, in Markdown. */
  words: string
  keys?: readonly Press[]
  until: Condition
  /** Only so many rows from the top and the last one, the footer, are kept. */
  rows?: number
  /** Name of the pictures that are made of it, in dark and light. */
  picture?: string
}

/** Without output for so long, the screen is whole. */
const QUIET_MS = 250
/** The same for one that only changes its colours, while a run may go on below it. */
const REPAINTED_MS = 60
const PATIENCE_MS = 3000

/** What the terminal shows once it has come to rest, or what it shows after three seconds that had none. */
export async function settled(terminal: Terminal, quietMs = QUIET_MS): Promise<string> {
  const until = performance.now() + PATIENCE_MS
  for (let before = -1; before !== terminal.bytes && performance.now() < until;) {
    before = terminal.bytes
    await delay(quietMs)
  }
  return steady(terminal.screen().trimEnd())
}

/** mcpdeck in a terminal with true colour, on the day of the recording. */
export function openOnTheDay(options: TerminalOptions): Terminal {
  return openTerminal({ ...options, env: { ...clockEnv, COLORTERM: 'truecolor', ...options.env } })
}

/** The cells with what `steady` makes of their text. */
function steadyCells(rows: readonly Cell[][]): Cell[][] {
  const texts = rows.map(row => row.map(({ text }) => text).join(''))
  const lines = steady(texts.join('\n')).split('\n')
  return rows.map((row, y) => {
    const line = lines[y]!.padEnd(texts[y]!.length)
    let at = 0
    return row.map(cell => ({ ...cell, text: line.slice(at, (at += cell.text.length)) }))
  })
}

/** Draws what is on the screen with the theme for dark backgrounds and with that for light ones. */
async function photograph(terminal: Terminal, name: string, title: string): Promise<void> {
  const folder = join(root, 'docs/pictures')
  await mkdir(folder, { recursive: true })
  // The dark one last, as it was before.
  for (const background of ['light', 'dark'] as const) {
    const page = TERMINAL_COLOURS[background]
    const from = terminal.output.length
    const border = [1, 3, 5].map(at => Number.parseInt(page.border.slice(at, at + 2), 16)).join(';')
    terminal.type(`\u001B]11;rgb:${page.ground.slice(1).replaceAll(/..(?=.)/g, '$&/')}\u001B\\`)
    await terminal.waitFor(() => terminal.output.includes(`38;2;${border}`, from))
    await settled(terminal, REPAINTED_MS)
    const svg = svgOf(steadyCells(cellsOf(terminal, page)), page, title)
    await writeFile(join(folder, `${name}-${background}.svg`), svg)
  }
}

/** The picture for the background of who looks. */
function pictureOf(name: string, title: string): string {
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="pictures/${name}-dark.svg">`,
    `  <img alt="${title}" src="pictures/${name}-light.svg">`,
    '</picture>',
  ].join('\n')
}

/** Presses one key. An Esc with a key right behind it would be Alt and that key; this form of it is Esc alone. */
function pressKey(terminal: Terminal, key: string): void {
  if (key === 'escape') terminal.type('\u001B[27u')
  else if ([...key].length === 1) terminal.type(key)
  else terminal.press(key as Key)
}

/** Presses what is to be pressed, or waits for what is to be waited for. */
export async function press(terminal: Terminal, key: Press): Promise<void> {
  if (key instanceof RegExp) await terminal.waitFor(key)
  else if (typeof key === 'string') pressKey(terminal, key)
  else if ('text' in key) terminal.type(key.text)
  else for (let count = 0; count < key.times; count += 1) for (const each of key.keys) pressKey(terminal, each)
}

const NAMES: Readonly<Record<string, string>> = { escape: 'Esc', down: '↓', up: '↑', pagedown: 'PgDn' }

function nameOf(key: string): string {
  if ([...key].length === 1) return `\`${key}\``
  const name = key.replace(/(^|\+)[a-z]/g, letter => letter.toUpperCase())
  return `\`${NAMES[key] ?? name}\``
}

/** The keys in the order in which they were pressed; the same one several times in a row is told once. */
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

/** A chapter of the tour: where one goes, what was pressed there and what was seen. */
export class Chapter {
  readonly #parts: string[]

  constructor(title: string, words: string) {
    this.#parts = [`## ${title}`, words]
  }

  /** Presses the keys, waits for what they should show, and keeps the screen. */
  async stop(terminal: Terminal, { title, words, keys = [], until, rows, picture }: Stop): Promise<void> {
    for (const key of keys) await press(terminal, key)
    await terminal.waitFor(until)
    const lines = (await settled(terminal)).split('\n')
    const shown =
      rows === undefined || rows + 2 > lines.length ? lines : [...lines.slice(0, rows), '⋮', ...lines.slice(-1)]
    const pressed = keys.length === 0 ? '' : `Keys: ${toldKeys(keys)}.\n\n`
    this.#parts.push(`### ${title}`, `${pressed}${words}`)
    if (picture !== undefined) {
      await photograph(terminal, picture, title)
      this.#parts.push(pictureOf(picture, title))
    }
    this.#parts.push(`\`\`\`text\n${shown.join('\n')}\n\`\`\``)
  }

  /** Adds a sentence. */
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
