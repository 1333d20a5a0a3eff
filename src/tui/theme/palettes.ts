import type { ChalkInstance } from 'chalk'
import { contrastOf, luminance, nearestIndexed, quietGround } from './colour.ts'
import type { Background, ThemeChoice } from './theme-choice.ts'
import { isThemeName, TERMINAL_COLOURS, THEMES, type ThemeColours } from './themes.ts'

/** chalk's levels: no colors, sixteen, 256, 24 bits. */
export type ColourLevel = 0 | 1 | 2 | 3

/** Colors by meaning; no other file names a color. */
export type Tone =
  | 'plain'
  | 'muted'
  | 'strong'
  | 'emphasis'
  | 'accent'
  | 'ok'
  | 'warn'
  | 'error'
  | 'live'
  | 'selected'
  | 'selectedIdle'
  | 'cursor'
  | 'match'
  | 'border'
  | 'borderFocused'
  | 'localBadge'
  | 'remoteBadge'
  | 'key'

type Paint = (text: string) => string

/** The colors of a theme, before the number of the terminal's colors is known. */
export type Palette = {
  /** @param hasOwnText whether the selected row sets its own text color: the look of unstyled text is unknown */
  paints: (chalk: ChalkInstance, level: ColourLevel, hasOwnText?: boolean) => Record<Tone, Paint>
  /**
   * The color level from which the selected row has a muted background on which its colors stay; undefined if it never
   * has.
   */
  tintsFrom?: ColourLevel
  /** Default colors to set on the terminal; absent if they stay. */
  ground?: Pick<ThemeColours, 'ground' | 'text'>
}

/**
 * Returns the palette of the chosen theme for a background.
 * @param ground the terminal's own `#rrggbb`, once it has reported it
 */
export function paletteFor(choice: ThemeChoice, background: Background, ground?: string): Palette {
  if (choice === 'monochrome') return monochrome
  if (choice === 'high-contrast') return contrast(background)
  if (choice === 'high-contrast-dark') return elsewhere(contrast('dark'), 'dark', background)
  if (choice === 'high-contrast-light') return elsewhere(contrast('light'), 'light', background)
  if (isThemeName(choice)) return painted(THEMES[choice].colours)
  const name = choice === 'auto' ? background : choice
  const colours: ThemeColours = TERMINAL_COLOURS[name]
  if (name !== background) return elsewhere(coloured(colours), name, background)
  return coloured(ground !== undefined ? { ...colours, selected: quietGround(ground, colours.text) } : colours)
}

/** Returns a palette for one kind of background. On a terminal of the other kind, it also sets the background. */
function elsewhere(palette: Palette, own: Background, background: Background): Palette {
  return own === background ? palette : { ...palette, ground: TERMINAL_COLOURS[own] }
}

/** Returns a palette with its own background. */
export function painted(colours: ThemeColours): Palette {
  return { ...coloured(colours), ground: colours }
}

/** Returns a palette of these colors on the terminal's own background and text. */
export function coloured(colours: ThemeColours): Palette {
  const sixteen = luminance(colours.ground) > 0.5 ? lightSixteen : darkSixteen
  return {
    tintsFrom: 2,
    paints: (chalk, level, hasOwnText = false) =>
      level === 1 ? sixteen(chalk) : manyColours(colours, chalk, { level, hasOwnText }),
  }
}

/** Minimum contrast of text, and of secondary text (WCAG 2 AA, and its rule for large text). */
export const LEAST_CONTRAST = { text: 4.5, muted: 3 } as const

/**
 * Returns the numbers of the 256 colors for a theme: each close to its color and readable on both backgrounds, and no
 * two tones the same. Backgrounds come first, and states before colors that are only used beside them.
 */
function indexedColours(colours: ThemeColours): Record<keyof ThemeColours, number> {
  const ground = nearestIndexed(colours.ground)
  const { text, muted } = LEAST_CONTRAST
  // Unstyled text keeps its own color on any background.
  const bare = Math.min(text, contrastOf(colours.text, colours.selected))
  const selected = nearestIndexed(
    colours.selected,
    ({ number, hex }) => number !== ground.number && contrastOf(colours.text, hex) >= bare,
  )
  const grounds = [colours.ground, ground.hex, selected.hex]
  const taken = new Set<number>()
  const pick = (name: keyof ThemeColours, least: number): number => {
    const { number } = nearestIndexed(
      colours[name],
      candidate => !taken.has(candidate.number) && grounds.every(behind => contrastOf(candidate.hex, behind) >= least),
    )
    taken.add(number)
    return number
  }
  return {
    ground: ground.number,
    selected: selected.number,
    ok: pick('ok', text),
    error: pick('error', text),
    warn: pick('warn', text),
    live: pick('live', text),
    accent: pick('accent', text),
    text: pick('text', text),
    muted: pick('muted', muted),
    border: pick('border', 1),
  }
}

function manyColours(
  colours: ThemeColours,
  chalk: ChalkInstance,
  { level, hasOwnText }: { level: ColourLevel; hasOwnText: boolean },
): Record<Tone, Paint> {
  const numbers = level === 2 ? indexedColours(colours) : undefined
  const ink = (name: keyof ThemeColours, pen = chalk): ChalkInstance =>
    numbers ? pen.ansi256(numbers[name]) : pen.hex(colours[name])
  const on = (name: keyof ThemeColours, pen = chalk): ChalkInstance =>
    numbers ? pen.bgAnsi256(numbers[name]) : pen.bgHex(colours[name])
  const accent = ink('accent')
  // Uses one of the sixteen colors, since it is sent with every move.
  const ownText = luminance(colours.selected) > 0.5 ? chalk.black : chalk.whiteBright
  return {
    ...inverseRow(chalk),
    muted: ink('muted'),
    accent,
    ok: ink('ok'),
    warn: ink('warn'),
    error: ink('error'),
    live: ink('live'),
    selected: on('selected', hasOwnText ? ownText : chalk),
    border: ink('border'),
    borderFocused: accent,
    localBadge: on('ok', ink('ground')),
    remoteBadge: on('warn', ink('ground')),
    key: accent.bold,
  }
}

type Sixteen = (chalk: ChalkInstance) => Record<Tone, Paint>

/** On dark backgrounds the terminal's own sixteen colors are readable, and follow its user's settings. */
const darkSixteen: Sixteen = chalk => ({
  ...inverseRow(chalk),
  muted: chalk.gray,
  accent: chalk.cyan,
  ok: chalk.green,
  warn: chalk.yellow,
  error: chalk.red,
  live: chalk.blueBright,
  border: chalk.gray,
  borderFocused: chalk.cyan,
  key: chalk.bold.cyan,
})

/** On light backgrounds yellow and cyan cannot be read. */
const lightSixteen: Sixteen = chalk => ({
  ...inverseRow(chalk),
  muted: chalk.gray,
  accent: chalk.blue,
  ok: chalk.green,
  warn: chalk.magenta,
  error: chalk.red,
  live: chalk.blue,
  border: chalk.gray,
  borderFocused: chalk.blue,
  key: chalk.bold.blue,
})

/** Styles of every palette whose selected row is inverse. */
function inverseRow(chalk: ChalkInstance) {
  return {
    plain: (text: string) => text,
    strong: chalk.bold,
    emphasis: chalk.italic,
    selected: chalk.inverse,
    // The pointer marks it: more would outshine the row of the focused pane.
    selectedIdle: (text: string) => text,
    cursor: chalk.inverse,
    match: chalk.inverse,
    localBadge: chalk.black.bgGreen,
    remoteBadge: chalk.black.bgYellow,
  }
}

const monochrome: Palette = {
  paints: chalk => ({
    ...inverseRow(chalk),
    muted: chalk.dim,
    accent: chalk.bold,
    ok: text => text,
    warn: chalk.underline,
    error: chalk.bold,
    live: text => text,
    border: chalk.dim,
    borderFocused: chalk.bold,
    localBadge: chalk.inverse,
    remoteBadge: chalk.inverse.underline,
    key: chalk.bold,
  }),
}

/** Colors of the 256 with at least 7:1 against their background. */
export const CONTRAST_COLOURS = {
  dark: { accent: 51, ok: 83, warn: 226, error: 217, live: 153 },
  light: { accent: 17, ok: 22, warn: 52, error: 88, live: 17 },
} as const

type ContrastTone = keyof typeof CONTRAST_COLOURS.dark

/** Returns the closest of the sixteen colors that can be told apart. */
function contrastOfSixteen(chalk: ChalkInstance, background: Background): Record<ContrastTone, Paint> {
  return background === 'dark'
    ? {
        accent: chalk.cyanBright,
        ok: chalk.greenBright,
        warn: chalk.yellowBright,
        error: chalk.redBright,
        live: chalk.whiteBright,
      }
    : { accent: chalk.blue, ok: chalk.green, warn: chalk.magenta, error: chalk.red, live: chalk.blue }
}

/** Nothing is grey or thin; the selection is inverse and bold. */
function contrast(background: Background): Palette {
  const colours = CONTRAST_COLOURS[background]
  const paints: Palette['paints'] = (chalk, level) => {
    const bold = chalk.bold
    const paint = (tone: ContrastTone): Paint =>
      level === 1 ? contrastOfSixteen(bold, background)[tone] : bold.ansi256(colours[tone])
    return {
      ...inverseRow(chalk),
      muted: text => text,
      accent: paint('accent'),
      ok: paint('ok'),
      warn: paint('warn'),
      error: paint('error'),
      live: paint('live'),
      selected: chalk.inverse.bold,
      selectedIdle: bold.underline,
      border: text => text,
      borderFocused: paint('accent'),
      localBadge: chalk.inverse.bold,
      remoteBadge: chalk.inverse.bold.underline,
      key: bold.underline,
    }
  }
  return { paints }
}
