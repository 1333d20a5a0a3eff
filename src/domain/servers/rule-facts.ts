import type { DoctorReport, Prompt, Tool } from '../../api/contract/server-operations.ts'
import { entriesOf, referred } from '../../lib/json-schema/parts.ts'
import { canonicalJson, isPlainObject } from '../../lib/json.ts'

type Described = { name: string; description?: unknown }
/** `isDescribed` also if the tool's text names it, a part has a description, or only one value is possible. */
type Argument = Described & { isDescribed: boolean }

/** Returns a value as an object; empty for other values. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function promptsOf({ prompts }: DoctorReport): readonly Prompt[] {
  return prompts ?? []
}

export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === ''
}

/** Returns a description, normalized for comparison; undefined if there is none. */
export function normal(description: unknown): string | undefined {
  if (typeof description !== 'string' || isBlank(description)) return undefined
  return description.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

/** Matches valid tool names (MCP 2025-11-25, “Tool Names”). */
export const TOOL_NAME = /^[\w.-]{1,128}$/

/** Maximum number of arguments checked in a tool or prompt. */
const MOST_ARGUMENTS = 500

/** Returns the arguments of a tool or prompt, as far as it declares them by name. */
export function argumentsOf(item: Tool | Prompt): Argument[] {
  if ('arguments' in item && Array.isArray(item.arguments))
    return item.arguments
      .slice(0, MOST_ARGUMENTS)
      .map(({ name, description }: Described) => ({ name, description, isDescribed: !isBlank(description) }))
  const root = item['inputSchema']
  const properties = Object.entries(objectOf(objectOf(root)['properties'])).slice(0, MOST_ARGUMENTS)
  const isInText = namesDescribedIn(item.description, properties.length === 1)
  return properties.map(([name, schema]) => ({
    name,
    description: objectOf(schema)['description'],
    isDescribed: isInText(name) || isGiven(schema) || isDescribedIn(schema, root),
  }))
}

/** Maximum number of parts that are checked in an argument. An argument with more counts as described. */
const MOST_PARTS = 200

/** Whether a schema or any of its parts has a description. A model reads all of them. */
function isDescribedIn(schema: unknown, root: unknown): boolean {
  const waiting = [schema]
  const seen = new Set<unknown>()
  while (waiting.length > 0) {
    const part = waiting.pop()
    if (!isPlainObject(part) || seen.has(part)) continue
    if (!isBlank(part['description']) || seen.size === MOST_PARTS) return true
    seen.add(part)
    const { anyOf, oneOf, allOf, prefixItems, properties, items, additionalProperties, $ref } = part
    const inner = [anyOf, oneOf, allOf, prefixItems, properties].flatMap(each => entriesOf(each).slice(0, MOST_PARTS))
    waiting.push(
      ...inner.map(([, value]) => value),
      items,
      additionalProperties,
      typeof $ref === 'string' ? referred($ref, root)?.part : undefined,
    )
  }
  return false
}

const MOST_LINES = 1_000
const MOST_OF_LINE = 1_000
const MOST_SPELLED = 50_000

/**
 * Returns whether a tool's description mentions a name: at the start of a line (`- path: where it is`), in quotes, as
 * an identifier that is not a normal word (`maxDepth`, `max_depth`), or by its words, if it has several or is the only
 * name.
 */
function namesDescribedIn(description: unknown, isOnly: boolean): (name: string) => boolean {
  if (typeof description !== 'string') return () => false
  const lines = description.split('\n', MOST_LINES).map(line => line.slice(0, MOST_OF_LINE).trim())
  const spelled = ` ${wordsOf(lines.join(' ').slice(0, MOST_SPELLED)).join(' ')} `
  const names = new Set(
    lines.flatMap(line => {
      const bare = line.replace(/^(?:[-*•]|\d+[.)])\s+/, '').replaceAll(/[`"*]/g, '')
      const [, front] = /^([\w.$-]+)\s?(?:\([^)]*\))?\s?(?::|[-–—])\s\S/.exec(bare) ?? []
      const named = [...line.matchAll(/[`'"]([\w.$-]+)[`'"]/g)].map(([, name]) => name!)
      const words = line.match(/\w+/g)?.filter(word => /[a-z\d][A-Z]|[^_]_[^_]/.test(word)) ?? []
      return [...(front === undefined ? [] : [front]), ...named, ...words]
    }),
  )
  return name => {
    const words = wordsOf(name)
    return (
      names.has(name) ||
      ((words.length > 1 || (isOnly && words.length === 1)) && spelled.includes(` ${words.join(' ')} `))
    )
  }
}

/** Whether only one value is possible, so that the argument needs no description. */
function isGiven(schema: unknown): boolean {
  const { const: value, type, properties, additionalProperties } = objectOf(schema)
  const isEmpty = type === 'object' && additionalProperties === false && entriesOf(properties).length === 0
  return value !== undefined || isEmpty
}

/**
 * Whether the common description of several arguments names one of them and not the others, as copied text does. Only
 * the names distinguish the others.
 */
export function isCopied(twins: readonly Described[]): boolean {
  const words = twins.map(({ name }) => new Set(wordsOf(name)))
  const said = new Set(wordsOf(normal(twins[0]?.description) ?? ''))
  const counts = new Map<string, number>()
  for (const own of words) for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].some(([word, count]) => said.has(word) && count < words.length)
}

function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(word => word.length > 1)
}

/** Groups things with the same mark, in order. Things without a mark are not grouped. */
export function twinsOf<T>(items: readonly T[], markOf: (item: T) => string | undefined): [T, ...T[]][] {
  const byMark = new Map<string, [T, ...T[]]>()
  for (const item of items) {
    const mark = markOf(item)
    if (mark === undefined) continue
    const known = byMark.get(mark)
    if (known) known.push(item)
    else byMark.set(mark, [item])
  }
  return [...byMark.values()].filter(({ length }) => length > 1)
}

/** Approximate number of characters in a token of model text. Other scripts need about one token for each letter. */
const CHARACTERS_A_TOKEN = 4

/** Returns the approximate number of tokens that tools take in a model's context. Each model counts differently. */
export function tokensOf(tools: readonly Tool[]): number {
  const text = tools
    .map(({ name, description, inputSchema }) => canonicalJson({ name, description, inputSchema }))
    .join('')
  const others = text.replaceAll(/[\u0000-\u024f]/g, '').length
  return Math.ceil((text.length - others) / CHARACTERS_A_TOKEN) + others
}
