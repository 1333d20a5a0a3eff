import type { Abilities } from '../../tui/terminal/abilities.ts'
import { backgroundOf, backgroundReply } from '../../tui/terminal/background.ts'
import type { BadgeColour } from '../../tui/theme/badge-colours.ts'
import { paletteFor, type ColourLevel } from '../../tui/theme/palettes.ts'
import { createTheme, type Theme } from '../../tui/theme/theme.ts'
import type { TtyConventions } from './tty-conventions.ts'

/** chalk's levels by number of colours. */
const LEVELS: Record<Abilities['colour'], ColourLevel> = { 0: 0, 16: 1, 256: 2, true: 3 }

/** The theme of this terminal, which may change with what the terminal replies. */
export type TerminalTheme = {
  readonly level: ColourLevel
  readonly theme: Theme
  /** Whether the terminal's background matters and the terminal can be asked for it. */
  readonly asksBackground: boolean
  /** Takes a reply of the terminal's; true when the theme is another one now. */
  reply(sequence: string): boolean
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
  const make = (background: 'dark' | 'light'): Theme =>
    createTheme({
      level,
      ascii,
      palette: paletteFor(conventions.theme, background),
      badge: options.badge,
      plain: conventions.screenReader,
      links: abilities.links && !conventions.screenReader,
    })
  let background = backgroundOf(env) ?? 'dark'
  let theme = make(background)
  const matters = conventions.theme === 'auto' || conventions.theme === 'high-contrast'
  return {
    level,
    get theme() {
      return theme
    },
    // The Linux console has one background and prints parts of what it does not understand.
    asksBackground: matters && level > 0 && env.TERM !== 'linux',
    reply(sequence) {
      const answer = backgroundReply(sequence)
      if (answer === undefined || answer === background || !matters) return false
      background = answer
      theme = make(background)
      return true
    },
  }
}
