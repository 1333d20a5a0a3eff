/** Colors of a theme, `#rrggbb` each. */
export type ThemeColours = {
  /** The background of everything. */
  ground: string
  text: string
  /** Color of secondary text. */
  muted: string
  border: string
  /** Color of the focus, of keys and of links. */
  accent: string
  ok: string
  warn: string
  error: string
  live: string
  /** The background of the selected row, on which its colors stay. */
  selected: string
}

/**
 * Colors on the terminal's own background; `selected` applies until the terminal has reported its background. States
 * can be told apart with each of the three color-vision deficiencies, here as in every theme below.
 */
export const TERMINAL_COLOURS = {
  dark: {
    ground: '#16181d',
    text: '#d7dae0',
    muted: '#8b93a1',
    border: '#4a5160',
    accent: '#6cb6ff',
    ok: '#47c88c',
    warn: '#e8b84a',
    error: '#ff7b72',
    live: '#8fd3ff',
    selected: '#2c3340',
  },
  light: {
    ground: '#ffffff',
    text: '#1f2328',
    muted: '#656d76',
    border: '#b8c0ca',
    accent: '#0a58b5',
    ok: '#007639',
    warn: '#8a5a00',
    error: '#c00022',
    live: '#3d6a7f',
    selected: '#dfe6f0',
  },
} as const satisfies Record<string, ThemeColours>

/**
 * Themes with their own background, with their authors' published colors. A color with less than 4.5:1 as text, or two
 * states that look alike to some people, were changed no further than needed.
 */
export const THEMES = {
  'catppuccin-mocha': {
    about: 'Catppuccin, its darkest',
    colours: {
      ground: '#1e1e2e',
      text: '#cdd6f4',
      muted: '#9399b2',
      border: '#585b70',
      accent: '#b4befe',
      ok: '#a6e3a1',
      warn: '#fff2d4',
      error: '#f38ba8',
      live: '#7edeef',
      selected: '#313244',
    },
  },
  'catppuccin-latte': {
    about: 'Catppuccin, its light one',
    colours: {
      ground: '#eff1f5',
      text: '#4c4f69',
      muted: '#6c6f85',
      border: '#acb0be',
      accent: '#4856c8',
      ok: '#0e7000',
      warn: '#845936',
      error: '#c70033',
      live: '#006994',
      selected: '#dce0e8',
    },
  },
  'tokyo-night': {
    about: 'Tokyo Night',
    colours: {
      ground: '#1a1b26',
      text: '#c0caf5',
      muted: '#7c83ab',
      border: '#3b4261',
      accent: '#7aa2f7',
      ok: '#9ece6a',
      warn: '#c49243',
      error: '#f7768e',
      live: '#7dcfff',
      selected: '#292e42',
    },
  },
  'gruvbox-dark': {
    about: 'Gruvbox, dark',
    colours: {
      ground: '#282828',
      text: '#ebdbb2',
      muted: '#a89984',
      border: '#665c54',
      accent: '#88aa9d',
      ok: '#b2b601',
      warn: '#ffc855',
      error: '#ff7c68',
      live: '#9dcc91',
      selected: '#3c3836',
    },
  },
  'gruvbox-light': {
    about: 'Gruvbox, light',
    colours: {
      ground: '#fbf1c7',
      text: '#3c3836',
      muted: '#796c61',
      border: '#bdae93',
      accent: '#076678',
      ok: '#686136',
      warn: '#885400',
      error: '#9d0006',
      live: '#316b53',
      selected: '#ebdbb2',
    },
  },
  nord: {
    about: 'Nord',
    colours: {
      ground: '#2e3440',
      text: '#d8dee9',
      muted: '#919db5',
      border: '#4c566a',
      accent: '#88c0d0',
      ok: '#b8d4b2',
      warn: '#ebcb8b',
      error: '#ff8f88',
      live: '#92b2d3',
      selected: '#3b4252',
    },
  },
  'solarized-dark': {
    about: 'Solarized, dark',
    colours: {
      ground: '#002b36',
      text: '#93a1a1',
      muted: '#839496',
      border: '#586e75',
      accent: '#41a1ea',
      ok: '#8ca300',
      warn: '#c9a356',
      error: '#ff695d',
      live: '#37aaa1',
      selected: '#073642',
    },
  },
  'solarized-light': {
    about: 'Solarized, light',
    colours: {
      ground: '#fdf6e3',
      text: '#556b72',
      muted: '#657b83',
      border: '#93a1a1',
      accent: '#006cac',
      ok: '#606e00',
      warn: '#644a00',
      error: '#d0001b',
      live: '#00746d',
      selected: '#eee8d5',
    },
  },
} as const satisfies Record<string, { about: string; colours: ThemeColours }>

export type ThemeName = keyof typeof THEMES

/** Whether this is the name of a theme with its own background. */
export function isThemeName(name: string): name is ThemeName {
  return Object.hasOwn(THEMES, name)
}

/** Returns the colors of a theme; undefined for one that follows the terminal or has none. */
export function coloursOf(choice: string): ThemeColours | undefined {
  if (choice === 'dark' || choice === 'light') return TERMINAL_COLOURS[choice]
  return isThemeName(choice) ? THEMES[choice].colours : undefined
}
