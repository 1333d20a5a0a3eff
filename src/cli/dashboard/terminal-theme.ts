import type { Abilities } from '../../tui/terminal/abilities.ts'
import { backgroundOf, backgroundReply, isLight } from '../../tui/terminal/background.ts'
import type { BadgeColour } from '../../tui/theme/badge-colours.ts'
import { painted, paletteFor, type ColourLevel, type Palette } from '../../tui/theme/palettes.ts'
import { createTheme, type Theme } from '../../tui/theme/theme.ts'
import { ABOUT_THEMES, THEME_CHOICES, type Background, type ThemeChoice } from '../../tui/theme/theme-choice.ts'
import type { ThemeColours } from '../../tui/theme/themes.ts'
import type { TtyConventions } from './tty-conventions.ts'

/** chalk's levels by number of colors. */
const LEVELS: Record<Abilities['colour'], ColourLevel> = { 0: 0, 16: 1, 256: 2, true: 3 }

/** The theme of this terminal, which may change with the terminal's replies and the person's choices. */
export type TerminalTheme = {
  readonly level: ColourLevel
  readonly theme: Theme
  /** Name of the chosen theme. */
  readonly choice: string
  /** All themes to choose from, each with its description. */
  readonly choices: readonly { name: string; about: string }[]
  /** Default colors to set on the terminal; undefined to keep its own. */
  readonly ground: Pick<ThemeColours, 'ground' | 'text'> | undefined
  /** Whether the terminal's background can be queried. */
  readonly asksBackground: boolean
  /** Handles a reply of the terminal; returns true if the theme changed. */
  reply(sequence: string): boolean
  /** Changes to the theme with this name. */
  choose(name: string): void
}

/**
 * Creates the theme. The first frame uses the theme from the environment; the terminal's reply changes it if one
 * arrives.
 */
export function createTerminalTheme(options: {
  abilities: Abilities
  ascii: boolean
  conventions: TtyConventions
  badge: BadgeColour | undefined
  env: NodeJS.ProcessEnv
}): TerminalTheme {
  const { abilities, conventions, env } = options
  const level = conventions.screenReader ? 0 : LEVELS[abilities.colour]
  const ascii = options.ascii || !abilities.unicode
  let choice = conventions.theme
  let answer: string | undefined
  let background: Background = backgroundOf(env) ?? 'dark'
  let palette: Palette
  const make = (): Theme => {
    const own = conventions.themes[choice]
    palette = own ? painted(own) : paletteFor(choice as ThemeChoice, background, answer)
    return createTheme({
      level,
      ascii,
      palette,
      badge: options.badge,
      plain: conventions.screenReader,
      links: abilities.links && !conventions.screenReader,
      // Choosing one of these themes states the background.
      isGroundUnknown: answer === undefined && choice !== 'dark' && choice !== 'light',
    })
  }
  let theme = make()
  return {
    level,
    get theme() {
      return theme
    },
    get choice() {
      return choice
    },
    choices: [
      ...THEME_CHOICES.map(name => ({ name, about: ABOUT_THEMES[name] })),
      ...Object.keys(conventions.themes).map(name => ({ name, about: 'of your config file' })),
    ],
    get ground() {
      // A terminal that reports its colors also accepts others, and can restore its own.
      return answer !== undefined && level > 1 ? palette.ground : undefined
    },
    // The Linux console has one background and prints parts of unknown sequences.
    asksBackground: level > 0 && env.TERM !== 'linux',
    reply(sequence) {
      const told = backgroundReply(sequence)
      if (told === undefined || told === answer) return false
      answer = told
      background = isLight(told) ? 'light' : 'dark'
      theme = make()
      return true
    },
    choose(name) {
      if (name === choice) return
      choice = name
      theme = make()
    },
  }
}
