import { stringify } from 'yaml'
import * as z from 'zod'
import { Config, ProfileSettings } from './schema.ts'

/** A setting as documented for people. */
export type SettingText = {
  name: string
  /** Possible values of the setting. */
  type: string
  /** The default as YAML; undefined if there is none. */
  default: string | undefined
  says: string
  /** An example value that shows the syntax. */
  example: unknown
  required: boolean
}

type Declared = {
  type?: string
  enum?: readonly string[]
  anyOf?: readonly Declared[]
  default?: unknown
  description?: string
  example?: unknown
}

/** Returns the declared settings of the file, and of a profile. */
export function settingTexts(): { file: SettingText[]; profile: SettingText[] } {
  return { file: textsOf(Config), profile: textsOf(ProfileSettings) }
}

function textsOf(schema: z.ZodType): SettingText[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties as Record<string, Declared>).map(([name, declared]) => ({
    name,
    type: typeOf(declared),
    default: declared.default === undefined ? undefined : inline(declared.default),
    says: declared.description ?? '',
    example: declared.example ?? declared.default,
    required: required.includes(name),
  }))
}

function typeOf({ enum: words, anyOf, type }: Declared): string {
  if (words) return words.join(', ')
  if (anyOf) return 'text or list of texts'
  return { boolean: 'true, false', object: 'block', string: 'text' }[type ?? 'string'] ?? 'text'
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow' }).trim()
}

/** Returns the file that `config init` writes: every setting with its description, commented out at its default. */
export function defaultFile(): string {
  const { file, profile } = settingTexts()
  const intro = [
    'Settings of mcpdeck. Everything is optional; what is commented out shows the default or an example.',
    '`mcpdeck config check` names what is wrong, line by line. All settings: docs/config.md.',
  ]
  return [
    ...intro.map(line => `# ${line}`),
    ...file.flatMap(setting => [
      '',
      `# ${about(setting)}`,
      ...(setting.name === 'profiles' ? profileExample(profile) : commented({ [setting.name]: setting.example })),
    ]),
    '',
  ].join('\n')
}

function about({ says, type }: SettingText): string {
  return type === 'block' ? says : `${says} (${type})`
}

function commented(settings: object): string[] {
  return stringify(settings)
    .trimEnd()
    .split('\n')
    .map(line => `# ${line}`)
}

/**
 * Returns a profile with every setting; those without a default are commented out again, as only one key source can be
 * used.
 */
function profileExample(profile: readonly SettingText[]): string[] {
  return [
    '# profiles:',
    '#   production:',
    ...profile.flatMap(setting => [
      `#     # ${about(setting)}`,
      ...commented({ [setting.name]: setting.example }).map(line =>
        line.replace('# ', setting.required || setting.default !== undefined ? '#     ' : '#     # '),
      ),
    ]),
  ]
}
