import { tupleOf } from '../../domain/suites/skeleton.ts'
import { namedValues, plainSchemas, type NamedValue, type PlainSchema } from '../../lib/json-schema/plain-schema.ts'
import { beginningOfJson } from '../../lib/json-beginning.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import type { Line } from '../../components/viewer.tsx'
import { shorten } from './json-text.ts'

/** Limits of what is laid out, since a schema comes from a foreign server. */
const MOST_DEPTH = 6
const MOST_LINES = 400
const MOST_TEXT = 2_000
const MOST_CHOICES = 30

/** Resolves a part of the schema. */
type Read = (schema: unknown) => PlainSchema

/** Returns a schema's type in words: `number`, `string[]`, `"a" | "b"`, `string | null`. */
export function schemaType(plain: PlainSchema, read: Read, depth = 0): string {
  const { schema, options, isNullable } = plain
  if (depth > MOST_DEPTH) return 'any'
  const named = namedValues(plain)
  if (named) return valueWords(named)
  const types = (options.length > 0 ? options.map(option => option.schema) : [schema]).map(each =>
    ownType(each, read, depth),
  )
  return [...new Set([...types, ...(isNullable ? ['null'] : [])])].join(' | ')
}

function ownType(schema: JsonObject, read: Read, depth: number): string {
  const named = namedValues({ schema, options: [], isNullable: false })
  if (named) return valueWords(named)
  const { type } = schema
  if (type === 'array' || (type === undefined && 'items' in schema)) {
    const tuple = tupleOf(schema)
    if (tuple.length > 0) return `[${tuple.map(item => schemaType(read(item), read, depth + 1)).join(', ')}]`
    const items = schemaType(read(schema['items']), read, depth + 1)
    return items.includes(' | ') ? `(${items})[]` : `${items}[]`
  }
  return typeof type === 'string' ? type : isPlainObject(schema['properties']) ? 'object' : 'any'
}

function valueWords(values: readonly NamedValue[]): string {
  const named = values.slice(0, MOST_CHOICES).map(({ value, title }) => {
    const text = shorten(value === undefined ? 'any' : beginningOfJson(value, 80).text, 80)
    return title === undefined || title === value ? text : `${text} (${shorten(title, 80)})`
  })
  const rest = values.length - named.length
  return [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(' | ')
}

const LIMITS: readonly (readonly [keyword: string, words: string])[] = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['minLength', 'characters at least'],
  ['maxLength', 'characters at most'],
  ['minItems', 'items at least'],
  ['maxItems', 'items at most'],
  ['format', 'format'],
  ['pattern', 'pattern'],
]

/** Returns further constraints on a value: `at least 1, at most 10, default 3`. */
export function constraints(schema: JsonObject): string {
  const limits = LIMITS.filter(([keyword]) => ['number', 'string'].includes(typeof schema[keyword])).map(
    ([keyword, words]) => `${words} ${shorten(String(schema[keyword]), 80)}`,
  )
  const start = schema['default']
  return [...limits, ...(start === undefined ? [] : [`default ${shorten(beginningOfJson(start, 80).text, 80)}`])].join(
    ', ',
  )
}

/** A line about a schema; the line of a property contains its path of names. */
export type SchemaLine = Exclude<Line, string> & { path?: readonly string[] }

/** Returns the text about an input schema: each property, its type, whether it is required, its description. */
export function schemaLines(schema: JsonObject | null | undefined): SchemaLine[] {
  if (!schema) return [{ text: 'The server gave no input schema.', tone: 'muted', indent: 2 }]
  const read = plainSchemas(schema)
  const plain = read(schema)
  const lines = propertyLines(plain, read, [])
  if (lines.length === 0) {
    const type = schemaType(plain, read)
    const isOpen = !isPlainObject(schema['properties']) && schema['additionalProperties'] !== false
    const text = isOpen ? 'Names no arguments; any JSON object is accepted.' : 'Takes no arguments.'
    return [{ text: type === 'object' ? text : type, tone: 'muted', indent: 2 }]
  }
  const rest = lines.length - MOST_LINES
  return rest > 0
    ? [...lines.slice(0, MOST_LINES), { text: `${rest} more lines in the raw JSON`, tone: 'warn', indent: 2 }]
    : lines
}

/** Returns the properties of a schema, of its items, or of each of its alternatives; `depth` is their indentation. */
function propertyLines({ schema, options }: PlainSchema, read: Read, path: readonly string[], depth = 0): SchemaLine[] {
  if (depth > MOST_DEPTH) return []
  if (isPlainObject(schema['items'])) return propertyLines(read(schema['items']), read, path, depth + 1)
  const groups = options.filter(option => isPlainObject(option.schema['properties']))
  if (groups.length === 0) return ownLines(schema, read, path, depth)
  const margin = ' '.repeat(2 + depth * 2)
  const lines: SchemaLine[] = []
  for (const { schema: option } of groups) {
    if (lines.length > MOST_LINES) break
    const word = lines.length === 0 ? 'either' : 'or'
    lines.push(
      { text: `${margin}${word}${titleOf(option)}`, tone: 'muted' },
      ...ownLines(option, read, path, depth + 1),
    )
  }
  return lines
}

function titleOf({ title }: JsonObject): string {
  return typeof title === 'string' && title !== '' ? ` ${shorten(title, 80)}` : ''
}

function ownLines(holder: JsonObject, read: Read, path: readonly string[], depth: number): SchemaLine[] {
  const properties = isPlainObject(holder['properties']) ? holder['properties'] : {}
  const required = Array.isArray(holder['required']) ? (holder['required'] as unknown[]) : []
  const lines: SchemaLine[] = []
  for (const [name, value] of Object.entries(properties)) {
    if (lines.length > MOST_LINES) break
    const plain = read(value)
    const property = { path: [...path, name], plain, required: required.includes(name) }
    lines.push(...oneProperty(property, read, depth), ...propertyLines(plain, read, property.path, depth + 1))
  }
  return lines
}

function oneProperty(
  { path, plain, required }: { path: readonly string[]; plain: PlainSchema; required: boolean },
  read: Read,
  depth: number,
): SchemaLine[] {
  const margin = ' '.repeat(2 + depth * 2)
  const indent = margin.length + 2
  const limits = constraints(plain.schema)
  const { description } = plain.schema
  return [
    {
      path,
      parts: [
        { text: `${margin}${shorten(path.at(-1)!, 80)}`, tone: 'strong' },
        { text: `  ${shorten(schemaType(plain, read), 200)}`, tone: 'accent' },
        { text: required ? '  required' : '', tone: 'warn' },
      ],
    },
    ...(limits ? [{ text: limits, tone: 'muted' as const, indent }] : []),
    ...(typeof description === 'string' && description ? textLines(description, indent) : []),
  ]
}

/** Returns text of several lines, each wrapped when it is shown. */
export function textLines(text: string, indent: number): Exclude<Line, string>[] {
  return shorten(text, MOST_TEXT)
    .split(/\r\n|\n|\r/)
    .map(line => ({ text: line, indent }))
}
