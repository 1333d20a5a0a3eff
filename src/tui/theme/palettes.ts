import type { ChalkInstance } from 'chalk'
import type { Background, ThemeChoice } from './theme-choice.ts'

/** As chalk counts: no colours, sixteen, 256, 24 bits. */
export type ColourLevel = 0 | 1 | 2 | 3

export type PaletteName = 'dark' | 'light' | 'contrast-dark' | 'contrast-light'

/** Colours by meaning; no other file names a colour. */
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
  | 'border'
  | 'borderFocused'
  | 'localBadge'
  | 'remoteBadge'
  | 'key'

type Paint = (text: string) => string
type Palette = (chalk: ChalkInstance, level: ColourLevel) => Record<Tone, Paint>

/** The palette for what was chosen, on what lies behind the text. */
export function paletteFor(choice: ThemeChoice, background: Background): PaletteName {
  if (choice === 'high-contrast') return `contrast-${background}`
  return choice === 'auto' ? background : choice
}

/** On dark backgrounds the terminal's own sixteen are readable, and follow what its owner made of them. */
const dark: Palette = chalk => ({
  plain: text => text,
  muted: chalk.gray,
  strong: chalk.bold,
  emphasis: chalk.italic,
  accent: chalk.cyan,
  ok: chalk.green,
  warn: chalk.yellow,
  error: chalk.red,
  live: chalk.blueBright,
  selected: chalk.inverse,
  selectedIdle: chalk.bold,
  border: chalk.gray,
  borderFocused: chalk.cyan,
  localBadge: chalk.black.bgGreen,
  remoteBadge: chalk.black.bgYellow,
  key: chalk.bold.cyan,
})

/**
 * Colours of the 256, which no terminal changes, with at least 4.5:1 against white and off-white. Of the sixteen,
 * yellow and cyan cannot be read there.
 */
export const LIGHT_COLOURS = { muted: 59, accent: 24, ok: 22, warn: 94, error: 124, live: 25 } as const

const light: Palette = (chalk, level) => {
  const few = level === 1
  const accent = few ? chalk.blue : chalk.ansi256(LIGHT_COLOURS.accent)
  const muted = few ? chalk.gray : chalk.ansi256(LIGHT_COLOURS.muted)
  const ok = few ? chalk.green : chalk.ansi256(LIGHT_COLOURS.ok)
  const warn = few ? chalk.magenta : chalk.ansi256(LIGHT_COLOURS.warn)
  return {
    plain: text => text,
    muted,
    strong: chalk.bold,
    emphasis: chalk.italic,
    accent,
    ok,
    warn,
    error: few ? chalk.red : chalk.ansi256(LIGHT_COLOURS.error),
    live: few ? chalk.blue : chalk.ansi256(LIGHT_COLOURS.live),
    selected: chalk.inverse,
    selectedIdle: chalk.bold,
    border: muted,
    borderFocused: accent,
    localBadge: few ? chalk.black.bgGreen : chalk.whiteBright.bgAnsi256(LIGHT_COLOURS.ok),
    remoteBadge: few ? chalk.black.bgYellow : chalk.whiteBright.bgAnsi256(LIGHT_COLOURS.warn),
    key: accent.bold,
  }
}

/** Colours of the 256 with at least 7:1 against their background. */
export const CONTRAST_COLOURS = {
  dark: { accent: 51, ok: 83, warn: 226, error: 217, live: 153 },
  light: { accent: 17, ok: 22, warn: 52, error: 88, live: 17 },
} as const

type ContrastTone = keyof typeof CONTRAST_COLOURS.dark

/** The nearest of the sixteen that can be told apart. */
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

/** Nothing is grey or thin; what is chosen is inverse and bold. */
function contrast(background: Background): Palette {
  const colours = CONTRAST_COLOURS[background]
  return (chalk, level) => {
    const bold = chalk.bold
    const paint = (tone: ContrastTone): Paint =>
      level === 1 ? contrastOfSixteen(bold, background)[tone] : bold.ansi256(colours[tone])
    return {
      plain: text => text,
      muted: text => text,
      strong: bold,
      emphasis: chalk.italic,
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
}

export const PALETTES: Record<PaletteName, Palette> = {
  dark,
  light,
  'contrast-dark': contrast('dark'),
  'contrast-light': contrast('light'),
}
