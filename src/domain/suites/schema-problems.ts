import type * as z from 'zod'
import { KEY_PREFIX } from '../../api/contract/contract.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { printable } from '../../lib/printable.ts'
import { MOST_PROBLEMS, type Read, type RowOrigin, type YamlDocument } from '../../lib/yaml/yaml-reading.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Maximum length of text that a sentence quotes. */
const MOST_SHOWN = 60

/** Names of the whole text and of its parts for sentences. */
type Words = {
  whole: string
  part: string
  /** Whether the schema's own messages explain what is required. */
  saysWhy?: boolean
  origin?: YamlDocument['origin']
}

const DOCUMENT: Words = { whole: 'The document', part: 'field' }

/** Validates a document against a declared schema. Faults are reported at their positions, with what is allowed. */
export function checkDocument<T>(document: YamlDocument, schema: z.ZodType<T>): Read<T> {
  const checked = schema.safeParse(document.value, { reportInput: true })
  if (checked.success) return { ok: true, value: checked.data }
  const words = { ...DOCUMENT, origin: document.origin }
  return { ok: false, problems: placed(messagesOf(checked.error, schema, words), document) }
}

/** The fault of a value, and the part it concerns: the value, or its name. */
export type PlacedMessage = { path: Path; message: string; onKey: boolean }

/** Returns the faults that a declared schema finds in a part of a document, or in another text. */
export function problemsOf(schema: z.ZodType, value: unknown, words = DOCUMENT): PlacedMessage[] {
  const checked = schema.safeParse(value, { reportInput: true })
  return checked.success ? [] : messagesOf(checked.error, schema, words)
}

/**
 * Returns messages with their lines, sorted from top to bottom, and their other fields. What several rows of a table
 * have in common is said once.
 */
export function placed<T extends PlacedMessage>(messages: readonly T[], { at, origin }: YamlDocument) {
  const groups = new Map<string, { said: T; from: RowOrigin[] }>()
  for (const [index, said] of messages.entries()) {
    const from = origin?.(said.path)
    const key = from ? JSON.stringify([from.path, said.message]) : String(index)
    const group = groups.get(key)
    if (group && from) group.from.push(from)
    else groups.set(key, { said, from: from ? [from] : [] })
  }
  return [...groups.values()]
    .map(({ said: { path, onKey, ...said }, from }) => ({
      ...said,
      ...at(path, onKey),
      message: printable(`${ofRows(from)}${said.message}`),
    }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** Number of rows that a sentence names. */
const ROWS_NAMED = 3

/** Returns the rows that a message is about, as its beginning; empty if it is about all of them. */
function ofRows(from: readonly RowOrigin[]): string {
  const rows = [...new Set(from.map(({ row }) => row))]
  if (rows.length === 0 || (rows.length === from[0]?.rows && rows.length > 1)) return ''
  const more = rows.length - ROWS_NAMED
  const named = `${rows.slice(0, ROWS_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `Row${rows.length === 1 ? '' : 's'} ${named}: `
}

function messagesOf(error: z.ZodError, schema: z.ZodType, words: Words): PlacedMessage[] {
  return error.issues
    .slice(0, MOST_PROBLEMS)
    .flatMap(issue => issueMessages(issue, schema, words))
    .slice(0, MOST_PROBLEMS)
}

/** Returns messages for an issue of a schema, with positions. */
function issueMessages(issue: Issue, schema: z.ZodType, words: Words): PlacedMessage[] {
  const { path, code, input } = issue
  const { whole, part, saysWhy, origin } = words
  const name = path.length === 0 ? whole : `"${(origin?.(path)?.path ?? path).join('.')}"`
  const on = (message: string, onKey = false): PlacedMessage[] => [{ path, message, onKey }]
  const kind = (value: unknown): string => shown(value, part)
  if (code === 'unrecognized_keys') {
    const allowed = namesAt(schema, path)
    return issue.keys
      .slice(0, MOST_PROBLEMS)
      .map(key => ({
        path: [...path, key],
        onKey: true,
        message: `There is no ${part} "${key}".${didYouMean(key, allowed)} Allowed here: ${allowed.join(', ')}.`,
      }))
  }
  if (code === 'invalid_value') return on(`${name} is ${kind(input)}; it can be ${listed(issue.values.map(String))}.`)
  if (code === 'invalid_type')
    return input === undefined
      ? [{ path: path.slice(0, -1), onKey: saysWhy === true, message: `${name} is missing.` }]
      : on(`${name} must be ${typeWords(issue.expected, part)}, not ${kind(input)}.`)
  if (code === 'invalid_key')
    return on(`${name} cannot be a name here: ${issue.issues[0]?.message ?? 'it is not allowed'}.`, true)
  if (saysWhy) {
    if (code !== 'invalid_union') return on(`${name} cannot be used: ${issue.message}.`)
    // For a text or a list of texts, only the fault of the kind that was written is reported.
    const [inner] = issue.errors.flat().filter(each => each.code !== 'invalid_type')
    return on(
      inner
        ? `${name} cannot be used: ${inner.message}.`
        : `${name} must be a text or a list of texts, not ${kind(input)}.`,
    )
  }
  if (code === 'too_small' || code === 'too_big') return on(`${name} ${boundWords(issue)}, not ${kind(input)}.`)
  return code === 'invalid_format'
    ? on(`${name} is ${kind(input)}; it has to match ${issue.pattern ?? issue.format}.`)
    : on(`${name} cannot be ${kind(input)}: ${issue.message}.`)
}

const TYPES: Record<string, string> = {
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
}

function typeWords(expected: string, part: string): string {
  const block = `a block of ${part}s`
  return { object: block, record: `${block} by name` }[expected] ?? TYPES[expected] ?? expected
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function boundWords(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const [bound, words] =
    issue.code === 'too_small' ? ([issue.minimum, 'at least'] as const) : ([issue.maximum, 'at most'] as const)
  if (issue.origin === 'array') return `needs ${words} ${bound} ${Number(bound) === 1 ? 'entry' : 'entries'}`
  if (issue.origin === 'string') return `needs ${words} ${bound} ${Number(bound) === 1 ? 'character' : 'characters'}`
  return `must be ${words} ${bound}`
}

/** Returns a value as the person wrote it. Blocks are given by their kind. */
function shown(value: unknown, part: string): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  // Bytes created by a tag have methods with names such as `keys`.
  if (typeof value === 'object' || typeof value === 'function') return `a block of ${part}s`
  if (typeof value === 'string' && value.startsWith(KEY_PREFIX)) return 'a key'
  const text = JSON.stringify(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}

/** Returns the names allowed at a position of a document. */
function namesAt(schema: z.ZodType, path: Path): string[] {
  let at: z.core.$ZodType | undefined = schema
  for (const segment of path) at = at && childOf(bare(at), segment)
  const { def } = (at && bare(at))?._zod ?? {}
  // A record that accepts only some names allows these.
  const named = def && 'keyType' in def ? (def.keyType as z.core.$ZodType)._zod.def : def
  const names = named && ('entries' in named ? named.entries : 'shape' in named && named.shape)
  return Object.keys(names || {})
}

/** Returns the schema without its optional, nullable and transforming wrappers. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod
  const inner = 'innerType' in def ? def.innerType : 'in' in def ? def.in : undefined
  return inner ? bare(inner as z.core.$ZodType) : schema
}

function childOf(schema: z.core.$ZodType, segment: PropertyKey): z.core.$ZodType | undefined {
  const { def } = schema._zod
  if ('element' in def) return def.element as z.core.$ZodType
  if ('valueType' in def) return def.valueType as z.core.$ZodType
  if ('shape' in def) return (def.shape as Record<PropertyKey, z.core.$ZodType>)[segment]
  return undefined
}
