import { THEMES, type ThemeName } from './themes.ts'

/** Themes that follow the terminal's background, or use no colors; the others set their own background. */
const BY_TERMINAL = {
  auto: 'by the background of the terminal',
  dark: 'for dark backgrounds',
  light: 'for light backgrounds',
  'high-contrast': 'at least 7:1, by the background of the terminal',
  'high-contrast-dark': 'at least 7:1, for dark backgrounds',
  'high-contrast-light': 'at least 7:1, for light backgrounds',
  monochrome: 'bold, underlined and inverse, no colours',
} as const

/** Description of each theme, by its name. */
export const ABOUT_THEMES: Readonly<Record<ThemeChoice, string>> = {
  ...BY_TERMINAL,
  ...(Object.fromEntries(Object.entries(THEMES).map(([name, { about }]) => [name, about])) as Record<
    ThemeName,
    string
  >),
}

/** The dashboard's themes; a config file adds its own. */
export type ThemeChoice = keyof typeof BY_TERMINAL | ThemeName
export const THEME_CHOICES = Object.keys(ABOUT_THEMES) as readonly ThemeChoice[]

/** The kind of background behind the text. */
export type Background = 'dark' | 'light'
