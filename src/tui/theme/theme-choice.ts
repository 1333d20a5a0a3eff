/** How the dashboard's colours can be chosen: by the terminal's background, or one by its name. */
export const THEME_CHOICES = ['auto', 'dark', 'light', 'high-contrast'] as const
export type ThemeChoice = (typeof THEME_CHOICES)[number]

/** What lies behind the text. */
export type Background = 'dark' | 'light'
