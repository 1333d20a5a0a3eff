import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Terminal } from '../../test/pty/terminal.ts'
import { TERMINAL_COLOURS } from '../../src/tui/theme/themes.ts'
import { steady } from '../tour/steady.ts'
import { cellsOf, type Cell } from './cells.ts'
import { filmOf, svgOf, type Frame } from './svg.ts'

/** Backgrounds of the pictures. Dark is last, because it is the default of the terminals here. */
export const BACKGROUNDS = ['light', 'dark'] as const

export type PictureBackground = (typeof BACKGROUNDS)[number]

/** Milliseconds without output after which the screen is complete. */
const QUIET_MS = 250
/**
 * Milliseconds without output after which a screen that changes only its colors is complete, even if a run continues.
 */
const REPAINTED_MS = 60
const PATIENCE_MS = 3000

/** Returns the screen of the terminal once there was no output for a while, or after three seconds. */
export async function settled(terminal: Terminal, quietMs = QUIET_MS): Promise<string> {
  const until = performance.now() + PATIENCE_MS
  for (let before = -1; before !== terminal.bytes && performance.now() < until;) {
    before = terminal.bytes
    await delay(quietMs)
  }
  return steady(terminal.screen().trimEnd())
}

/** Returns the cells with their text replaced as by `steady`. */
function steadyCells(rows: readonly Cell[][]): Cell[][] {
  const texts = rows.map(row => row.map(({ text }) => text).join(''))
  const lines = steady(texts.join('\n')).split('\n')
  return rows.map((row, y) => {
    const line = lines[y]!.padEnd(texts[y]!.length)
    let at = 0
    return row.map(cell => ({ ...cell, text: line.slice(at, (at += cell.text.length)) }))
  })
}

/** Reports a background to the program as its terminal's, and waits until the screen is repainted. */
export async function layOn(terminal: Terminal, background: PictureBackground): Promise<void> {
  const { muted, ground } = TERMINAL_COLOURS[background]
  const from = terminal.output.length
  const painted = [1, 3, 5].map(at => Number.parseInt(muted.slice(at, at + 2), 16)).join(';')
  terminal.type(`\u001B]11;rgb:${ground.slice(1).replaceAll(/..(?=.)/g, '$&/')}\u001B\\`)
  await terminal.waitFor(() => terminal.output.includes(`38;2;${painted}`, from))
  await settled(terminal, REPAINTED_MS)
}

/** Returns the cells of the screen, painted for the last reported background. */
export function cellsOn(terminal: Terminal, background: PictureBackground): Cell[][] {
  return steadyCells(cellsOf(terminal, TERMINAL_COLOURS[background]))
}

/** Writes screens recorded on this background as one animated picture. */
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
