/** Name of the local workspace as a profile; no other profile can have it. */
export const LOCAL_PROFILE = 'local'

/** The settings without a config file; available without the schema, which would cost a start milliseconds. */
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
