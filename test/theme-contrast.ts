import {
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  parse,
  type Color,
} from 'culori'
import { paletteFor } from '../src/tui/theme/palettes.ts'
import { contrastTable } from '../src/tui/theme/sample.ts'
import type { ThemeChoice } from '../src/tui/theme/theme-choice.ts'
import { createTheme, type Tone } from '../src/tui/theme/theme.ts'
import { TERMINAL_COLOURS, THEMES, type ThemeColours } from '../src/tui/theme/themes.ts'

/** Every theme with its own colours. */
export const COLOUR_THEMES: readonly (readonly [name: ThemeChoice, ThemeColours])[] = [
  ...Object.entries(TERMINAL_COLOURS),
  ...Object.entries(THEMES).map(([name, { colours }]) => [name, colours] as const),
] as [ThemeChoice, ThemeColours][]

export const STATES = ['ok', 'warn', 'error', 'live'] as const

/** Colours as seen by people who have all three kinds of cones, or lack one. */
export const SEEN = {
  'all colours': (colour: Color) => colour,
  protanopia: filterDeficiencyProt(1),
  deuteranopia: filterDeficiencyDeuter(1),
  tritanopia: filterDeficiencyTrit(1),
}

/** The lowest contrast of text on the background or on the selected row, 1 to 21 (WCAG 2). */
export type LeastContrast = { text: number; muted: number; states: number }

/** The text in these colours that is hardest to read. `text` includes text in the accent colour. */
export function leastContrast(colours: ThemeColours, behind: 'ground' | 'selected'): LeastContrast {
  const table = contrastTable(colours)
  const least = (tones: readonly string[]): number =>
    Math.min(...table.filter(({ tone }) => tones.includes(tone)).map(row => row[behind]))
  return { text: least(['text', 'accent']), muted: least(['muted']), states: least(STATES) }
}

/**
 * The difference between the two most similar states (CIEDE2000); below about 2 nobody can tell them apart side by
 * side.
 */
export function leastDistance(colours: Pick<ThemeColours, (typeof STATES)[number]>, seen: keyof typeof SEEN): number {
  const shown = STATES.map(state => SEEN[seen](parse(colours[state])!))
  const distances = shown.flatMap((one, index) =>
    shown.slice(index + 1).map(other => differenceCiede2000()(one, other)),
  )
  return Math.min(...distances)
}

/** The colour with this number of the 256, as xterm has it from 16 on. */
export function indexed(number: number): string {
  const hex = (shares: number[]) => `#${shares.map(share => share.toString(16).padStart(2, '0')).join('')}`
  if (number >= 232) return hex(Array.from({ length: 3 }, () => 8 + 10 * (number - 232)))
  const digits = [Math.floor((number - 16) / 36), Math.floor((number - 16) / 6) % 6, (number - 16) % 6]
  return hex(digits.map(digit => digit && 55 + 40 * digit))
}

/** A theme as shown by a terminal of 256 colours, on the theme's own background. */
export function with256(name: ThemeChoice, colours: ThemeColours): ThemeColours {
  const theme = createTheme({ level: 2, ascii: false, palette: paletteFor(name, 'dark') })
  const painted = (tone: Tone): string => indexed(Number(/[34]8;5;(\d+)/.exec(theme.paint(tone, 'x'))?.[1]))
  const tones = ['muted', 'border', 'accent', ...STATES, 'selected'] as const
  return { ...colours, ...Object.fromEntries(tones.map(tone => [tone, painted(tone)])) }
}
