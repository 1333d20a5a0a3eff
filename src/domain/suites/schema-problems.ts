import type * as z from 'zod'
import { printable } from '../../lib/printable.ts'
import type { Read, TextProblem, YamlDocument } from '../../lib/yaml/yaml-reading.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Longest piece of a text that a sentence repeats. */
const MOST_SHOWN = 60

/** Checks a document by a declared schema; what is wrong is reported where it stands, with what is allowed. */
export function checkDocument<T>(document: YamlDocument, schema: z.ZodType<T>): Read<T> {
  const checked = schema.safeParse(document.value, { reportInput: true })
  if (checked.success) return { ok: true, value: checked.data }
  return { ok: false, problems: placed(messagesOf(checked.error, schema), document) }
}

/** What is wrong with a value, and with which part of it: the value there, or the name in front of it. */
export type PlacedMessage = { path: Path; message: string; onKey: boolean }

/** What a declared schema finds wrong with a part of a document. */
export function problemsOf(schema: z.ZodType, value: unknown): PlacedMessage[] {
  const checked = schema.safeParse(value, { reportInput: true })
  return checked.success ? [] : messagesOf(checked.error, schema)
}

/** Messages at their lines, from top to bottom. */
export function placed(messages: readonly PlacedMessage[], { at }: YamlDocument): TextProblem[] {
  return messages
    .map(({ path, message, onKey }): TextProblem => ({ ...at(path, onKey), message: printable(message) }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
}

function messagesOf(error: z.ZodError, schema: z.ZodType): PlacedMessage[] {
  return error.issues.flatMap(issue => issueMessages(issue, schema))
}

/** An issue of a schema in words, at the place it is about. */
function issueMessages(issue: Issue, schema: z.ZodType): PlacedMessage[] {
  const { path } = issue
  const name = path.length === 0 ? 'The document' : `"${path.join('.')}"`
  const on = (message: string, onKey = false): PlacedMessage[] => [{ path, message, onKey }]
  switch (issue.code) {
    case 'unrecognized_keys': {
      const allowed = namesAt(schema, path)
      return issue.keys.map(key => ({
        path: [...path, key],
        onKey: true,
        message: `There is no field "${key}" here. Allowed: ${allowed.join(', ')}.`,
      }))
    }
    case 'invalid_value':
      return on(`${name} is ${shown(issue.input)}; it can be ${issue.values.map(String).join(', ')}.`)
    case 'invalid_type':
      return issue.input === undefined
        ? [{ path: path.slice(0, -1), onKey: false, message: `${name} is missing.` }]
        : on(`${name} must be ${TYPES[issue.expected] ?? issue.expected}, not ${shown(issue.input)}.`)
    case 'too_small':
    case 'too_big':
      return on(`${name} ${boundWords(issue)}, not ${shown(issue.input)}.`)
    case 'invalid_format':
      return on(`${name} is ${shown(issue.input)}; it has to match ${issue.pattern ?? issue.format}.`)
    default:
      return on(`${name} cannot be ${shown(issue.input)}: ${issue.message}.`)
  }
}

const TYPES: Record<string, string> = {
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  object: 'a block of fields',
  record: 'a block of fields',
  array: 'a list',
}

function boundWords(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const [bound, words] =
    issue.code === 'too_small' ? ([issue.minimum, 'at least'] as const) : ([issue.maximum, 'at most'] as const)
  if (issue.origin === 'array') return `needs ${words} ${bound} ${Number(bound) === 1 ? 'entry' : 'entries'}`
  if (issue.origin === 'string') return `needs ${words} ${bound} ${Number(bound) === 1 ? 'character' : 'characters'}`
  return `must be ${words} ${bound}`
}

/** A value as the person wrote it; blocks by their kind. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'a block of fields'
  const text = JSON.stringify(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

/** Names of the fields at a place of a document. */
function namesAt(schema: z.ZodType, path: Path): string[] {
  let at: z.core.$ZodType | undefined = schema
  for (const segment of path) at = at && childOf(bare(at), segment)
  const { def } = (at && bare(at))?._zod ?? {}
  return def && 'shape' in def ? Object.keys(def.shape as object) : []
}

/** Without the wrappers that let it be absent or null. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod
  return 'innerType' in def ? bare(def.innerType as z.core.$ZodType) : schema
}

function childOf(schema: z.core.$ZodType, segment: PropertyKey): z.core.$ZodType | undefined {
  const { def } = schema._zod
  if ('element' in def) return def.element as z.core.$ZodType
  if ('shape' in def) return (def.shape as Record<PropertyKey, z.core.$ZodType>)[segment]
  return undefined
}
