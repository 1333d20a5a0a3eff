import { isPlainObject } from '../../api/contract/shapes.ts'
import { withoutSecrets } from '../../lib/redaction/redaction.ts'
import type { Taken } from './taken.ts'
import type { YamlDocument, TextProblem } from '../../lib/yaml/yaml-reading.ts'

/** Blocks of documents in which `${NAME}` is replaced by a variable of the environment. */
const FILLED = ['server', 'client'] as const
const REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)\}|\$\{/g

/** A document with its variables filled in, and their values, which must never be printed. */
export type Filled = {
  value: unknown
  secrets: readonly string[]
  taken: readonly Taken[]
  problems: readonly TextProblem[]
}

/** Fills in the `${NAME}` references of a server or client, except in its name; `$${` is an escaped `${`. */
export function filled({ value, at }: YamlDocument, env: Readonly<Record<string, string | undefined>>): Filled {
  const secrets: string[] = []
  const taken: Taken[] = []
  const problems: TextProblem[] = []
  const fill = (text: string, path: readonly PropertyKey[]): string =>
    text.replaceAll(REFERENCE, (found, name: string | undefined) => {
      if (found === '$${') return '${'
      const known = name === undefined ? undefined : env[name]
      if (known !== undefined) {
        if (known !== '') secrets.push(known)
        taken.push({ name: name!, from: 'your environment', field: path.slice(1).join('.') })
        return known
      }
      const message =
        name === undefined
          ? '"${" begins the name of a variable; write "$${" for the text itself.'
          : `The environment has no variable ${name}; set it, since "${path.join('.')}" is filled from it.`
      problems.push({ ...at(path), message })
      return found
    })
  const block = FILLED.find(noun => isPlainObject(value) && isPlainObject(value[noun]))
  if (block === undefined) return { value, secrets, taken, problems }
  const root = value as Record<string, Record<string, unknown>>
  const { name, ...rest } = root[block]!
  const done = mapTexts(rest, fill, [block]) as Record<string, unknown>
  return { value: { ...root, [block]: { ...(name !== undefined && { name }), ...done } }, secrets, taken, problems }
}

/**
 * Returns a form of a server or client for a file, with variables for what is or may be secret. All other text is
 * escaped.
 * @param prefix prefix of its variables; without it, secrets are written as they are
 */
export function withReferences(form: Record<string, unknown>, prefix: string | undefined): Record<string, unknown> {
  const { name, ...rest } = form
  const hide = (text: string, path: readonly PropertyKey[]): string => {
    const field = path.filter(part => part !== 'config').join('_')
    const isHidden = prefix !== undefined && isSecret(text, String(path.at(-1)))
    return isHidden ? variable(prefix, field) : escaped(text)
  }
  return { name, ...(mapTexts(rest, hide, []) as Record<string, unknown>) }
}

/** Escapes a text so that it contains no variable references. */
export function escaped(text: string): string {
  return text.replaceAll('${', () => '$${')
}

/** `${PREFIX_FIELD}`. */
export function variable(prefix: string, field: string): string {
  const words = `${prefix}_${field}`.replaceAll(/([a-z])([A-Z])/g, '$1_$2').replaceAll(/\W+/g, '_')
  return `\${${words.toUpperCase()}}`
}

/** Returns a text that is safe to show, without addresses that have a query or a user. */
export function withoutAddresses(text: string, secrets: readonly string[]): string {
  return withoutSecrets(text, secrets).replaceAll(/\bhttps?:\/\/[^\s"]*[?@][^\s"]*/gi, '[secret]')
}

function isSecret(text: string, field: string): boolean {
  if (field === 'url' && /[?@]/.test(text)) return true
  const line = JSON.stringify({ [field]: text })
  return text !== '' && withoutSecrets(line) !== line
}

function mapTexts(
  value: unknown,
  work: (text: string, path: readonly PropertyKey[]) => string,
  path: readonly PropertyKey[],
): unknown {
  if (typeof value === 'string') return work(value, path)
  if (Array.isArray(value)) return value.map((each, index) => mapTexts(each, work, [...path, index]))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, work, [...path, name])]))
}
