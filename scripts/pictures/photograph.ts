import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Terminal } from '../../test/pty/terminal.ts'
import { TERMINAL_COLOURS } from '../../src/tui/theme/themes.ts'
import { steady } from '../tour/steady.ts'
import { cellsOf, type Cell } from './cells.ts'
import { filmOf, svgOf, type Frame } from './svg.ts'

/** What pictures are made on; the dark one last, as a program finds its terminal. */
export const BACKGROUNDS = ['light', 'dark'] as const

export type PictureBackground = (typeof BACKGROUNDS)[number]

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

/** Tells the program what its terminal has behind the text, and waits until it is painted for that. */
export async function layOn(terminal: Terminal, background: PictureBackground): Promise<void> {
  const { muted, ground } = TERMINAL_COLOURS[background]
  const from = terminal.output.length
  const painted = [1, 3, 5].map(at => Number.parseInt(muted.slice(at, at + 2), 16)).join(';')
  terminal.type(`\u001B]11;rgb:${ground.slice(1).replaceAll(/..(?=.)/g, '$&/')}\u001B\\`)
  await terminal.waitFor(() => terminal.output.includes(`38;2;${painted}`, from))
  await settled(terminal, REPAINTED_MS)
}

/** What is on the screen, as it is painted for the background that it was told of last. */
export function cellsOn(terminal: Terminal, background: PictureBackground): Cell[][] {
  return steadyCells(cellsOf(terminal, TERMINAL_COLOURS[background]))
}

/** Writes screens that were taken on this background as one animated picture. */
export async function writeFilm(
  frames: readonly Frame[],
  { file, title, background }: { file: string; title: string; background: PictureBackground },
): Promise<void> {
  await writeFile(file, filmOf(frames, TERMINAL_COLOURS[background], title))
}

/** Writes a picture of the screen on this background. */
export async function photograph(
  terminal: Terminal,
  { file, title, background }: { file: string; title: string; background: PictureBackground },
): Promise<void> {
  await layOn(terminal, background)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, svgOf(cellsOn(terminal, background), TERMINAL_COLOURS[background], title))
}
