import { withinLevels, isPlainObject, type JsonObject } from '../../lib/json.ts'
import type { Line } from '../../components/viewer.tsx'
import { shorten } from './json-text.ts'

/** Deepest nesting and longest text that are laid out; a schema comes from somebody else's server. */
const MOST_DEPTH = 6
const MOST_LINES = 400
const MOST_TEXT = 2_000
const MOST_CHOICES = 30

/** A schema's type in words: `number`, `string[]`, `"a" | "b"`, `string | null`. */
export function schemaType(schema: unknown, depth = 0): string {
  if (!isPlainObject(schema) || depth > MOST_DEPTH) return 'any'
  const { type } = schema
  if (Array.isArray(schema['enum'])) return choices(schema['enum'] as unknown[])
  if ('const' in schema) return choices([schema['const']])
  if (typeof schema['$ref'] === 'string') return schema['$ref'].split('/').at(-1) || 'any'
  for (const keyword of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[keyword]))
      return [...new Set((schema[keyword] as unknown[]).map(option => schemaType(option, depth + 1)))].join(' | ')
  if (Array.isArray(type)) return type.join(' | ')
  if (type === 'array') return `${schemaType(schema['items'], depth + 1)}[]`
  return typeof type === 'string' ? type : isPlainObject(schema['properties']) ? 'object' : 'any'
}

function choices(values: readonly unknown[]): string {
  const named = values.slice(0, MOST_CHOICES).map(value => shorten(JSON.stringify(withinLevels(value)) ?? 'any', 80))
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

/** What else a value must satisfy: `at least 1, at most 10, default 3`. */
export function constraints(schema: JsonObject): string {
  const limits = LIMITS.filter(([keyword]) => ['number', 'string'].includes(typeof schema[keyword])).map(
    ([keyword, words]) => `${words} ${shorten(String(schema[keyword]), 80)}`,
  )
  const start = schema['default']
  return [
    ...limits,
    ...(start === undefined ? [] : [`default ${shorten(JSON.stringify(withinLevels(start)) ?? '', 80)}`]),
  ].join(', ')
}

/** An input schema for reading: a property, its type, whether it is required, what it means. */
export function schemaLines(schema: JsonObject | null | undefined): Line[] {
  if (!schema) return [{ text: 'The server gave no input schema.', tone: 'muted', indent: 2 }]
  const lines = propertyLines(schema, 0)
  if (lines.length === 0) {
    const type = schemaType(schema)
    const isOpen = !isPlainObject(schema['properties']) && schema['additionalProperties'] !== false
    const text = isOpen ? 'Names no arguments; any JSON object is accepted.' : 'Takes no arguments.'
    return [{ text: type === 'object' ? text : type, tone: 'muted', indent: 2 }]
  }
  const rest = lines.length - MOST_LINES
  return rest > 0
    ? [...lines.slice(0, MOST_LINES), { text: `${rest} more lines in the raw JSON`, tone: 'warn', indent: 2 }]
    : lines
}

function propertyLines(schema: JsonObject, depth: number): Line[] {
  if (depth > MOST_DEPTH) return []
  const holder = isPlainObject(schema['items']) ? schema['items'] : schema
  const properties = isPlainObject(holder['properties']) ? holder['properties'] : {}
  const required = Array.isArray(holder['required']) ? (holder['required'] as unknown[]) : []
  const lines: Line[] = []
  for (const [name, value] of Object.entries(properties)) {
    if (lines.length > MOST_LINES) break
    const property = isPlainObject(value) ? value : {}
    lines.push(...oneProperty(name, property, required.includes(name), depth), ...propertyLines(property, depth + 1))
  }
  return lines
}

function oneProperty(name: string, property: JsonObject, required: boolean, depth: number): Line[] {
  const margin = ' '.repeat(2 + depth * 2)
  const indent = margin.length + 2
  const limits = constraints(property)
  const { description } = property
  return [
    {
      parts: [
        { text: `${margin}${shorten(name, 80)}`, tone: 'strong' },
        { text: `  ${shorten(schemaType(property), 200)}`, tone: 'accent' },
        { text: required ? '  required' : '', tone: 'warn' },
      ],
    },
    ...(limits ? [{ text: limits, tone: 'muted' as const, indent }] : []),
    ...(typeof description === 'string' && description ? textLines(description, indent) : []),
  ]
}

/** Text of several lines, each wrapped where it is shown. */
export function textLines(text: string, indent: number): Line[] {
  return shorten(text, MOST_TEXT)
    .split(/\r\n|\n|\r/)
    .map(line => ({ text: line, indent }))
}
