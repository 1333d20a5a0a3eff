import * as z from 'zod'
import { KEY_PREFIX } from '../../api/contract/contract.ts'
import { BADGE_COLOURS } from '../../tui/theme/badge-colours.ts'
import { isKeyName } from '../../tui/keymap/key-names.ts'
import { screens } from '../../app/registry.ts'
import { SHARES } from '../../domain/polling/share.ts'
import { THEME_CHOICES } from '../../tui/theme/theme-choice.ts'
import { TERMINAL_COLOURS, THEMES, type ThemeColours, type ThemeName } from '../../tui/theme/themes.ts'
import { addressProblem, DEFAULT_SLUG } from './address.ts'
import { NOTIFY_CHOICES } from '../../tui/terminal/announcement.ts'
import { DEFAULTS, LOCAL_PROFILE } from './defaults.ts'

/** Settings for the source of a profile's key; a profile has at most one of them. */
export const KEY_SOURCES = ['keyFile', 'keyCommand', 'keyEnv'] as const

const PROFILE_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/i

/** Returns the schema of a text that is not a key: this file is no place for secrets, since its values are shown. */
function text() {
  return z
    .string()
    .min(1, 'it is empty')
    .refine(value => !value.startsWith(KEY_PREFIX), {
      error: 'it looks like a key itself, and keys are not stored in this file',
      abort: true,
    })
}

/** Returns the schema of a web address with parameters in it. */
function webAddress() {
  return text().refine(
    value => /^https?:\/\/[^\s{}]/.test(value) && URL.canParse(value.replaceAll(/[{}]/g, '')),
    'it must begin with https:// or http:// and a host',
  )
}

export const ProfileSettings = z
  .strictObject({
    baseUrl: z
      .string()
      .superRefine((value, context) => {
        const problem = addressProblem(value)
        if (problem) context.addIssue({ code: 'custom', message: problem })
      })
      .describe('Address of the service; without a path, `/api/v1` is added.')
      .meta({ example: 'https://mcp.example.com/api/v1' }),
    keyFile: text()
      .optional()
      .describe('File that holds the API key in its first line, with mode 0600; `~/` is the home directory.')
      .meta({ example: '~/.secrets/mcpdeck-production.key' }),
    keyCommand: z
      .union([text(), z.array(text()).min(1, 'it is empty')])
      .optional()
      .describe(
        'Command that prints the API key in its first line. It runs without a shell, for at most 30 seconds; ' +
          'with a shell: `[sh, -c, "…"]`.',
      )
      .meta({ example: 'pass show mcpdeck/production' }),
    keyEnv: text()
      .regex(/^[A-Za-z_]\w*$/, 'it is not the name of a variable')
      .optional()
      .describe('Environment variable that holds the API key.')
      .meta({ example: 'PRODUCTION_KEY' }),
    slug: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, 'it must be lower-case letters, digits and dashes')
      .default(DEFAULT_SLUG)
      .describe('Name of the service in its own header names, as in `x-<slug>-eval-vocabulary`.'),
    badge: z
      .enum(BADGE_COLOURS)
      .default('yellow')
      .describe("Colour of the profile's badge in the header; green is the local workspace."),
    readOnly: z.boolean().default(false).describe('Refuses every write before it is sent.'),
    web: z
      .partialRecord(z.enum(screens.map(({ route }) => route.screen)), webAddress())
      .optional()
      .describe(
        'Addresses of the hosted UI by screen, for opening a place in the browser; `{projectId}`, `{runId}` ' +
          'and so on are replaced.',
      )
      .meta({ example: { projects: 'https://app.example.com/projects/{projectId}' } }),
    project: text().optional().describe('Id or name of the project to open.').meta({ example: 'prj_0123456789' }),
  })
  .superRefine((profile, context) => {
    const [, ...others] = KEY_SOURCES.filter(source => profile[source] !== undefined)
    for (const source of others)
      context.addIssue({
        code: 'custom',
        path: [source],
        message: `it is a second source for one key; keep one of ${KEY_SOURCES.join(', ')}`,
      })
  })
export type ProfileSettings = z.output<typeof ProfileSettings>

const Colour = z.string().regex(/^#[\da-f]{6}$/i, 'a colour is written #rrggbb')

const OWN_COLOURS = Object.fromEntries(
  Object.keys(TERMINAL_COLOURS.dark).map(name => [name, Colour.optional()]),
) as Record<keyof ThemeColours, z.ZodOptional<typeof Colour>>

/** Colors that replace those of the theme that it extends. */
const OwnTheme = z
  .strictObject({ like: z.enum(Object.keys(THEMES) as ThemeName[]).default('nord'), ...OWN_COLOURS })
  .transform(({ like, ...own }): ThemeColours => ({ ...THEMES[like].colours, ...own }))

/**
 * The config file. Every setting is declared here once: its validation, its default, its sentence for the docs. Rules
 * that involve several settings are checked in `check.ts`, even if one of the settings is invalid.
 */
export const Config = z.strictObject({
  default: z
    .string()
    .default(DEFAULTS.default)
    .describe('Profile that opens when neither an option nor the environment names one.')
    .meta({ example: 'production' }),
  profiles: z
    .record(
      z
        .string()
        .regex(PROFILE_NAME, 'a name is letters, digits, dots, dashes and underscores')
        .refine(name => name !== LOCAL_PROFILE, `"${LOCAL_PROFILE}" is the local workspace itself`),
      ProfileSettings,
    )
    .default(DEFAULTS.profiles)
    .describe('Services by name. A profile without a key source asks for its key once and stores it.'),
  theme: z
    .string()
    .default(DEFAULTS.theme)
    .describe(`Colours of the dashboard: ${THEME_CHOICES.join(', ')}, or a name of \`themes\`.`),
  themes: z
    .record(z.string(), OwnTheme)
    .default(DEFAULTS.themes)
    .describe('Your own themes by name; missing colours are those of the theme that `like` names.')
    .meta({ example: { mine: { like: 'nord', accent: '#a3be8c' } } }),
  notify: z
    .enum(NOTIFY_CHOICES)
    .default(DEFAULTS.notify)
    .describe(
      'How the end of a followed run is announced, once for all windows; `auto` uses what the terminal supports.',
    ),
  mouse: z.boolean().default(DEFAULTS.mouse).describe('Use the mouse: clicks select, the wheel scrolls.'),
  screenReader: z
    .boolean()
    .default(DEFAULTS.screenReader)
    .describe('Print plain lines when something changes, without frames.'),
  reducedMotion: z
    .boolean()
    .default(DEFAULTS.reducedMotion)
    .describe('Show no spinners and no highlights of changed numbers.'),
  keys: z
    .record(
      z.string(),
      z.union([keyName(), z.array(keyName()).min(1, 'it is empty')]).transform(value => [value].flat()),
    )
    .default(DEFAULTS.keys)
    .describe('Keys of a binding, by its name in docs/keys.md; they replace all default ones.')
    .meta({ example: { 'app.refresh': ['r', 'ctrl+o'] } }),
  reads: z
    .partialRecord(z.enum(screens.map(({ route }) => route.screen)), z.enum(SHARES))
    .default(DEFAULTS.reads)
    .describe('How often each screen is refreshed: `less`, `usual` or `more`.')
    .meta({ example: { now: 'more', runs: 'less' } }),
})
export type Config = z.output<typeof Config>
/** Settings of the dashboard's looks and keys. */
export type Preferences = Omit<Config, 'default' | 'profiles'>

function keyName() {
  return z
    .string()
    .refine(
      keys => keys.split(' ').every(isKeyName),
      'it is not a key; keys are written like x, X, ctrl+x, alt+x, enter, shift+tab, and a sequence with spaces',
    )
}
