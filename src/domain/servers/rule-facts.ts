import type { DoctorReport, Prompt, Tool } from '../../api/contract/server-operations.ts'
import { canonicalJson } from '../../lib/json.ts'

type Described = { name: string; description?: unknown }

/** The object that a value is; an empty one where it is none. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export function promptsOf({ prompts }: DoctorReport): readonly Prompt[] {
  return prompts ?? []
}

export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === ''
}

/** A description as it is compared; undefined where there is none. */
export function normal(description: unknown): string | undefined {
  if (typeof description !== 'string' || isBlank(description)) return undefined
  return description.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}

/** What a tool or a prompt takes, as far as it declares that by name. */
export function argumentsOf(item: Tool | Prompt): Described[] {
  if ('arguments' in item && Array.isArray(item.arguments)) return item.arguments
  const properties = objectOf(objectOf(item['inputSchema'])['properties'])
  return Object.entries(properties).map(([name, schema]) => ({ name, description: describedBy(schema) }))
}

/** A reference may be described where it leads to. */
function describedBy(schema: unknown): unknown {
  const { description, $ref } = objectOf(schema)
  return description ?? ($ref === undefined ? undefined : 'described elsewhere')
}

/** Things with the same mark, in their order; what has none has no twin. */
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

const WRITING: ReadonlySet<string> = new Set(
  (
    'add append approve assign cancel close commit create delete deploy drop edit execute import insert install kill ' +
    'merge modify move overwrite post publish purge push put remove rename replace reset revoke save send set store ' +
    'submit truncate uninstall update upload write'
  )
    .split(' ')
    .flatMap(verb => [verb, `${verb}s`, `${verb}es`]),
)

/** The word by which a tool says that it writes: one of its name's, or the first of its description. */
export function writes({ name, description }: Tool): string | undefined {
  const words = name
    .slice(0, 200)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
  const first = /^\s*([A-Za-z]+)/.exec(typeof description === 'string' ? description : '')?.[1]
  return [words[0], words.at(-1), first].find(word => word !== undefined && WRITING.has(word.toLowerCase()))
}

/** What a character of a model's text is worth in tokens; letters beyond Latin mostly take one each. */
const CHARACTERS_A_TOKEN = 4

/** About how many tokens tools take in a model's context. An estimate: each model counts by a table of its own. */
export function tokensOf(tools: readonly Tool[]): number {
  const text = tools
    .map(({ name, description, inputSchema }) => canonicalJson({ name, description, inputSchema }))
    .join('')
  const others = text.replaceAll(/[\u0000-\u024f]/g, '').length
  return Math.ceil((text.length - others) / CHARACTERS_A_TOKEN) + others
}
