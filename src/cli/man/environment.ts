/** Environment variables that the program reads, each with what it decides. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  MCPDECK_BASE_URL: 'Address of the service, with /api/v1.',
  MCPDECK_API_KEY: 'Key of the service at that address, or of a profile that names no other source.',
  MCPDECK_PROFILE: 'Profile of the config file, or local.',
  MCPDECK_CONFIG: 'The config file.',
  MCPDECK_DATA_DIR: 'Directory of the local workspace.',
  MCPDECK_MODEL_BASE_URL: "Address of the local workspace's models, compatible with OpenAI's.",
  MCPDECK_MODEL_KIND: 'openai-compatible, or anthropic, which needs no address.',
  MCPDECK_MODEL_API_KEY: 'Key of that endpoint.',
  MCPDECK_MODEL: 'The model wherever nothing else names one.',
  MCPDECK_THEME: 'Colours; "mcpdeck theme list" names them.',
  MCPDECK_SCREEN_READER: '1: plain lines as things change. INK_SCREEN_READER does the same.',
  MCPDECK_NOTIFY: 'How the end of a long run is announced; goes before "notify" in the config file.',
  NO_COLOR: 'Set to anything: no colours.',
  VISUAL: 'The editor of records and files, before EDITOR.',
  EDITOR: 'The editor where VISUAL is not set.',
  'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME': 'Where the directories under FILES lie.',
}
