import { type Document, parseDocument } from 'yaml'
import { createPlaces } from '../../lib/text-place.ts'
import { offsetOf } from '../../lib/yaml/yaml-places.ts'
import { MOST_PROBLEMS, type TextProblem } from '../../lib/yaml/yaml-reading.ts'
import { problemsOf, type PlacedMessage } from '../../domain/suites/schema-problems.ts'
import type { Bindings } from '../../tui/keymap/binding.ts'
import { applyOverrides } from '../../tui/keymap/overrides.ts'
import { clean } from '../../tui/theme/text.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { THEME_CHOICES } from '../../tui/theme/theme-choice.ts'
import { DEFAULTS, LOCAL_PROFILE } from './defaults.ts'
import { Config } from './schema.ts'

/** The settings, or everything that is wrong. */
export type Checked =
  | { ok: true; config: Config; document: Document }
  | { ok: false; problems: readonly [TextProblem, ...TextProblem[]] }

/**
 * Checks the text of a config file.
 * @param groups all bindings, which `keys` is checked against
 */
export function checkConfig(text: string, groups: readonly Bindings[]): Checked {
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' })
  const placeAt = createPlaces(text)
  const at = (offset: number, message: string): TextProblem => ({ ...placeAt(offset), message: clean(message) })
  const on = (path: readonly PropertyKey[], onKey: boolean): number => offsetOf(document.contents, path, onKey)
  const broken = document.errors
    .slice(0, MOST_PROBLEMS)
    .map(error => at(error.pos[0], `This is not YAML: ${sentence(error.message)}`))
  if (isNonEmpty(broken)) return { ok: false, problems: broken }
  let value: unknown
  try {
    value = document.toJS() ?? {}
  } catch (error) {
    // The text has more aliases than settings ever need.
    return { ok: false, problems: [at(0, sentence(error instanceof Error ? error.message : String(error)))] }
  }
  const problems = [
    ...problemsOf(Config, value, WORDS),
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

const WORDS = { whole: 'The file', part: 'setting', saysWhy: true }

/** Returns the members of a block of settings that is not validated yet. */
function members(value: unknown, name: string): Record<string, unknown> {
  const block = (Object(value) as Record<string, unknown>)[name]
  return typeof block === 'object' && block !== null && !Array.isArray(block) ? { ...block } : {}
}

const NOUNS = { default: 'profile', theme: 'theme' } as const

/** Returns the problem of a setting that names something that does not exist. */
function nameProblem(
  value: unknown,
  setting: keyof typeof NOUNS,
  otherwise: string,
  names: readonly string[],
): PlacedMessage[] {
  const { [setting]: name = otherwise } = Object(value) as { [key in typeof setting]?: unknown }
  if (typeof name !== 'string' || names.includes(name)) return []
  const message =
    `"${setting}" cannot be used: there is no ${NOUNS[setting]} of this name.${didYouMean(name, names)} ` +
    `Allowed here: ${names.join(', ')}.`
  return [{ path: [setting], message, onKey: false }]
}

/**
 * Returns the problems of unknown bindings, and of keys with two meanings at the same time; invalid keys were already
 * reported.
 */
function keyProblems(value: unknown, groups: readonly Bindings[]): PlacedMessage[] {
  const known = groups.flatMap(group => Object.keys(group.bindings).map(id => `${group.name}.${id}`))
  const given = Object.entries(members(value, 'keys'))
  const usable = given.flatMap(([name, keys]) => {
    const read = Config.shape.keys.unwrap().valueType.safeParse(keys)
    return known.includes(name) && read.success ? [[name, read.data] as const] : []
  })
  const on = (name: string, message: string): PlacedMessage => ({ path: ['keys', name], message, onKey: true })
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

/** Turns a parser's message into a sentence. */
function sentence(words: string): string {
  return `${words.trim().replace(/\.$/, '')}.`
}
