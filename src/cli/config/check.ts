import { type Document, parseDocument } from 'yaml'
import type * as z from 'zod'
import { placeAt } from '../../lib/text-place.ts'
import { offsetOf } from '../../lib/yaml/yaml-places.ts'
import type { TextProblem } from '../../lib/yaml/yaml-reading.ts'
import { KEY_PREFIX } from '../../api/contract/contract.ts'
import type { Bindings } from '../../tui/keymap/binding.ts'
import { applyOverrides } from '../../tui/keymap/overrides.ts'
import { clean } from '../../tui/theme/text.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { THEME_CHOICES } from '../../tui/theme/theme-choice.ts'
import { TERMINAL_COLOURS } from '../../tui/theme/themes.ts'
import { DEFAULTS, LOCAL_PROFILE } from './defaults.ts'
import { Config } from './schema.ts'

/** Reading ends in the settings, or in everything that is wrong. */
export type Checked =
  | { ok: true; config: Config; document: Document }
  | { ok: false; problems: readonly [TextProblem, ...TextProblem[]] }

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/**
 * Reads the text of a config file.
 * @param groups all bindings, which `keys` is checked against
 */
export function checkConfig(text: string, groups: readonly Bindings[]): Checked {
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' })
  const at = (offset: number, message: string): TextProblem => ({ ...placeAt(text, offset), message: clean(message) })
  const on = (path: Path, onKey: boolean): number => offsetOf(document.contents, path, onKey)
  const broken = document.errors.map(error => at(error.pos[0], `This is not YAML: ${sentence(error.message)}`))
  if (isNonEmpty(broken)) return { ok: false, problems: broken }
  let value: unknown
  try {
    value = document.toJS() ?? {}
  } catch (error) {
    // More aliases than any settings need.
    return { ok: false, problems: [at(0, sentence(error instanceof Error ? error.message : String(error)))] }
  }
  const checked = Config.safeParse(value, { reportInput: true })
  const problems = [
    ...(checked.error?.issues ?? []).flatMap(problemsOf),
    ...nameProblem(value, 'default', LOCAL_PROFILE, [LOCAL_PROFILE, ...Object.keys(members(value, 'profiles'))]),
    ...nameProblem(value, 'theme', DEFAULTS.theme, [...THEME_CHOICES, ...Object.keys(members(value, 'themes'))]),
    ...keyProblems(value, groups),
  ].map(({ path, message, onKey }) => at(on(path, onKey), message))
  problems.sort((a, b) => a.line - b.line || a.column - b.column)
  if (isNonEmpty(problems)) return { ok: false, problems }
  return { ok: true, config: Config.parse(value), document }
}

function isNonEmpty<T>(items: readonly T[]): items is readonly [T, ...T[]] {
  return items.length > 0
}

type Problem = { path: Path; message: string; onKey: boolean }

/** An issue of the schema in words, at the place it is about. */
function problemsOf(issue: Issue): Problem[] {
  const { path } = issue
  const name = path.length === 0 ? 'The file' : `"${path.join('.')}"`
  const on = (message: string, onKey = false): Problem[] => [{ path, message, onKey }]
  switch (issue.code) {
    case 'unrecognized_keys': {
      const allowed = allowedAt(path)
      return issue.keys.map(key => ({
        path: [...path, key],
        onKey: true,
        message: `There is no setting "${key}".${didYouMean(key, allowed)} Allowed here: ${allowed.join(', ')}.`,
      }))
    }
    case 'invalid_value':
      return on(`${name} is ${shown(issue.input)}; it can be ${listed(issue.values.map(String))}.`)
    case 'invalid_type':
      return issue.input === undefined
        ? [{ path: path.slice(0, -1), onKey: true, message: `${name} is missing.` }]
        : on(`${name} must be ${TYPES[issue.expected] ?? issue.expected}, not ${shown(issue.input)}.`)
    case 'invalid_union':
      return unionIssue(issue, name, on)
    case 'invalid_key':
      return on(`${name} cannot be a name here: ${issue.issues[0]?.message ?? 'it is not allowed'}.`, true)
    case 'custom':
      return on(`${name} cannot be used: ${issue.message}.`)
    default:
      return on(`${name} cannot be used: ${issue.message}.`)
  }
}

const TYPES: Record<string, string> = {
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
  object: 'a block of settings',
  record: 'a block of settings by name',
  array: 'a list',
}

/** A text or a list of texts: what is wrong with the one that was written. */
function unionIssue(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  name: string,
  on: (message: string) => Problem[],
): Problem[] {
  const [inner] = issue.errors.flat().filter(({ code }) => code !== 'invalid_type')
  return on(
    inner
      ? `${name} cannot be used: ${inner.message}.`
      : `${name} must be a text or a list of texts, not ${shown(issue.input)}.`,
  )
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** A value as the person wrote it; blocks by their kind. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string' && value.startsWith(KEY_PREFIX)) return 'a key'
  if (value === null) return 'empty'
  if (typeof value === 'object') return 'a block of settings'
  return JSON.stringify(value)
}

/** Names of the settings at a place of the file. */
function allowedAt(path: Path): string[] {
  if (path.length === 0) return Object.keys(Config.shape)
  if (path[0] === 'themes') return ['like', ...Object.keys(TERMINAL_COLOURS.dark)]
  const { profiles, reads } = Config.shape
  const isByScreen = path[0] === 'reads' || (path.at(-1) === 'web' && path.length > 2)
  return isByScreen ? reads.unwrap().keyType.options.map(String) : Object.keys(profiles.unwrap().valueType.shape)
}

/** The members of a block of settings that may be anything yet. */
function members(value: unknown, name: string): Record<string, unknown> {
  const block = (Object(value) as Record<string, unknown>)[name]
  return typeof block === 'object' && block !== null && !Array.isArray(block) ? { ...block } : {}
}

const NOUNS = { default: 'profile', theme: 'theme' } as const

/** A setting that names something which is not there. */
function nameProblem(
  value: unknown,
  setting: keyof typeof NOUNS,
  otherwise: string,
  names: readonly string[],
): Problem[] {
  const { [setting]: name = otherwise } = Object(value) as { [key in typeof setting]?: unknown }
  if (typeof name !== 'string' || names.includes(name)) return []
  const message =
    `"${setting}" cannot be used: there is no ${NOUNS[setting]} of this name.${didYouMean(name, names)} ` +
    `Allowed here: ${names.join(', ')}.`
  return [{ path: [setting], message, onKey: false }]
}

/**
 * Keys for bindings that are none, and keys that something else has at the same time; a key that is none was reported
 * already.
 */
function keyProblems(value: unknown, groups: readonly Bindings[]): Problem[] {
  const known = groups.flatMap(group => Object.keys(group.bindings).map(id => `${group.name}.${id}`))
  const given = Object.entries(members(value, 'keys'))
  const usable = given.flatMap(([name, keys]) => {
    const read = Config.shape.keys.unwrap().valueType.safeParse(keys)
    return known.includes(name) && read.success ? [[name, read.data] as const] : []
  })
  const on = (name: string, message: string): Problem => ({ path: ['keys', name], message, onKey: true })
  return [
    ...given.flatMap(([name]) =>
      known.includes(name)
        ? []
        : on(name, `There is no binding "${name}".${didYouMean(name, known)} docs/keys.md names all of them.`),
    ),
    ...applyOverrides(groups, Object.fromEntries(usable)).problems.map(message =>
      on(usable.find(([name]) => message.startsWith(`${name} `))?.[0] ?? '', message),
    ),
  ]
}

/** A parser's words as a sentence. */
function sentence(words: string): string {
  return `${words.trim().replace(/\.$/, '')}.`
}
