import { THEMES, type ThemeName } from './themes.ts'

/** Themes that go by the terminal's background, or want no colours; the others are painted as they are. */
const BY_TERMINAL = {
  auto: 'by the background of the terminal',
  dark: 'for dark backgrounds',
  light: 'for light backgrounds',
  'high-contrast': 'at least 7:1, by the background of the terminal',
  'high-contrast-dark': 'at least 7:1, for dark backgrounds',
  'high-contrast-light': 'at least 7:1, for light backgrounds',
  monochrome: 'bold, underlined and inverse, no colours',
} as const

/** What each theme is for, by the names that can be chosen. */
export const ABOUT_THEMES: Readonly<Record<ThemeChoice, string>> = {
  ...BY_TERMINAL,
  ...(Object.fromEntries(Object.entries(THEMES).map(([name, { about }]) => [name, about])) as Record<
    ThemeName,
    string
  >),
}

/** How the dashboard's colours can be chosen; a config file adds themes of its own. */
export type ThemeChoice = keyof typeof BY_TERMINAL | ThemeName
export const THEME_CHOICES = Object.keys(ABOUT_THEMES) as readonly ThemeChoice[]

/** What is behind the text. */
export type Background = 'dark' | 'light'
