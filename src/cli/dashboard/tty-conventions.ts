import { THEME_CHOICES } from '../../tui/theme/theme-choice.ts'
import type { ThemeColours } from '../../tui/theme/themes.ts'
import type { Preferences } from '../config/schema.ts'
import { NOTIFY_CHOICES, type Notify } from '../../tui/terminal/announcement.ts'
import { UsageError, type CommonOptions } from '../config/settings.ts'

/** Settings of the dashboard for the terminal and the person. */
export type TtyConventions = {
  /** Name of the theme, one of `THEME_CHOICES` or of `themes`. */
  theme: string
  /** The person's own themes, by name. */
  themes: Readonly<Record<string, ThemeColours>>
  mouse: boolean
  notify: Notify
  /** Plain lines, without anything that is only visual. */
  screenReader: boolean
}

/**
 * Resolves each setting from its flag, then the environment, then the config file.
 * @throws UsageError if a name is unknown
 */
export function resolveTtyConventions(
  options: CommonOptions,
  env: NodeJS.ProcessEnv,
  config: Pick<Preferences, 'theme' | 'themes' | 'mouse' | 'notify' | 'screenReader'>,
): TtyConventions {
  const themes = [...THEME_CHOICES, ...Object.keys(config.themes)]
  return {
    theme:
      chosen('--theme', themes, options.theme) ?? chosen('MCPDECK_THEME', themes, env.MCPDECK_THEME) ?? config.theme,
    themes: config.themes,
    mouse: options.mouse === false ? false : config.mouse,
    notify: chosen('MCPDECK_NOTIFY', NOTIFY_CHOICES, env.MCPDECK_NOTIFY) ?? config.notify,
    screenReader: options.screenReader || wantsScreenReader(env) || config.screenReader,
  }
}

/** Reads mcpdeck's own variable, or Ink's. */
export function wantsScreenReader(env: NodeJS.ProcessEnv): boolean {
  return [env.MCPDECK_SCREEN_READER, env.INK_SCREEN_READER].some(value => value === '1' || value === 'true')
}

function chosen<Choice extends string>(
  name: string,
  choices: readonly Choice[],
  given: string | undefined,
): Choice | undefined {
  if (given === undefined || given === '') return undefined
  const found = choices.find(choice => choice === given)
  if (found === undefined) throw new UsageError(`${name} is one of ${choices.join(', ')}, not "${given}".`)
  return found
}
