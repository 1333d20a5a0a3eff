/** Name of the local workspace where a profile is named; no profile can have it. */
export const LOCAL_PROFILE = 'local'

/** The settings in force where there is no config file; known without the schema, which costs a start milliseconds. */
export const DEFAULTS = {
  default: LOCAL_PROFILE,
  profiles: {},
  theme: 'auto',
  themes: {},
  notify: 'off',
  mouse: true,
  screenReader: false,
  reducedMotion: false,
  keys: {},
  reads: {},
} as const
