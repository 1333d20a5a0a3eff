import { Chalk } from 'chalk'
import { contrastOf } from './colour.ts'
import { fit } from './text.ts'
import { createTheme, type Tone } from './theme.ts'
import type { ColourLevel, Palette } from './palettes.ts'
import type { ThemeColours } from './themes.ts'

const STATES = [
  ['ok', 'passed'],
  ['warn', 'undecided'],
  ['error', 'failed'],
  ['live', 'running'],
] as const

const WIDTH = 72

/**
 * Returns rows as the dashboard draws them in a theme, with the second one selected, on the theme's own background if
 * it has one.
 */
export function sampleLines(palette: Palette, options: { level: ColourLevel; ascii: boolean }): string[] {
  const theme = createTheme({ ...options, palette })
  const { symbols } = theme
  const states = STATES.map(([tone, word]) => theme.paint(tone, `${symbols[tone]} ${word}`)).join('   ')
  const plain = STATES.map(([tone, word]) => `${symbols[tone]} ${word}`).join('   ')
  const texts: readonly [Tone, string][] = [
    ['plain', 'text'],
    ['muted', 'secondary'],
    ['accent', 'accent'],
    ['key', 'key'],
    ['match', 'found'],
    ['border', symbols.lines.horizontal.repeat(4)],
  ]
  const gap = (used: string): string => ' '.repeat(Math.max(0, WIDTH - used.length))
  const rest = gap(` ${plain}`)
  const chosen = theme.tintsRows
    ? theme.paint('selected', `${symbols.pointer}${states}${rest}`)
    : theme.paint('selected', `${symbols.pointer}${plain}${rest}`)
  const { ground } = palette
  const chalk = new Chalk({ level: options.level })
  const lay = (line: string): string =>
    ground && options.level > 1 ? chalk.bgHex(ground.ground).hex(ground.text)(line) : line
  const painted = texts.map(([tone, text]) => theme.paint(tone, text)).join('   ')
  const bare = texts.map(([, text]) => text).join('   ')
  return [` ${states}${rest}`, chosen, ` ${painted}${gap(` ${bare}`)}`].map(lay)
}

const TEXTS = ['text', 'muted', 'accent', 'ok', 'warn', 'error', 'live'] as const

/** Contrast of a tone on the background and on the selected row, 1 to 21 (WCAG 2). */
export type ToneContrast = { tone: (typeof TEXTS)[number]; ground: number; selected: number }

/** Returns the contrast of every text tone in these colors. */
export function contrastTable(colours: ThemeColours): ToneContrast[] {
  const rounded = (value: number): number => Math.floor(value * 10) / 10
  return TEXTS.map(tone => ({
    tone,
    ground: rounded(contrastOf(colours[tone], colours.ground)),
    selected: rounded(contrastOf(colours[tone], colours.selected)),
  }))
}

/** Returns `text 11.3/9.4 muted 5.6/4.6 …`: each on the background and on the selected row. */
export function contrastLine(colours: ThemeColours): string {
  return contrastTable(colours)
    .map(({ tone, ground, selected }) => fit(`${tone} ${ground.toFixed(1)}/${selected.toFixed(1)}`, 16))
    .join('')
    .trimEnd()
}
