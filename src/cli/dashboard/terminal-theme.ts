import type { Abilities } from '../../tui/terminal/abilities.ts'
import { backgroundOf, backgroundReply, isLight } from '../../tui/terminal/background.ts'
import type { BadgeColour } from '../../tui/theme/badge-colours.ts'
import { painted, paletteFor, type ColourLevel, type Palette } from '../../tui/theme/palettes.ts'
import { createTheme, type Theme } from '../../tui/theme/theme.ts'
import { ABOUT_THEMES, THEME_CHOICES, type Background, type ThemeChoice } from '../../tui/theme/theme-choice.ts'
import type { ThemeColours } from '../../tui/theme/themes.ts'
import type { TtyConventions } from './tty-conventions.ts'

/** chalk's levels by number of colours. */
const LEVELS: Record<Abilities['colour'], ColourLevel> = { 0: 0, 16: 1, 256: 2, true: 3 }

/** The theme of this terminal, which may change with what the terminal replies and what the person chooses. */
export type TerminalTheme = {
  readonly level: ColourLevel
  readonly theme: Theme
  /** Name of what was chosen. */
  readonly choice: string
  /** All that can be chosen, with what each is for. */
  readonly choices: readonly { name: string; about: string }[]
  /** What the terminal's default colours are to be; undefined = they stay its own. */
  readonly ground: Pick<ThemeColours, 'ground' | 'text'> | undefined
  /** Whether the terminal can be asked for its background. */
  readonly asksBackground: boolean
  /** Takes a reply of the terminal's; true when the theme is another one now. */
  reply(sequence: string): boolean
  /** Changes to the theme of that name. */
  choose(name: string): void
}

/**
 * The first frame goes by what the environment says; the terminal's answer changes it when it comes, if it ever does.
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
      // Whoever chose one of these said it.
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
      // A terminal that tells its colours takes others too, and gives its own back.
      return answer !== undefined && level > 1 ? palette.ground : undefined
    },
    // The Linux console has one background and prints parts of what it does not understand.
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
