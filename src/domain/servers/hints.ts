import type { Tool } from '../../api/contract/server-operations.ts'
import { objectOf } from './rule-facts.ts'
import { listed, placeOf, quoted, type Found, type Rule } from './rule.ts'

const DESTROYING = 'delete destroy drop erase purge remove truncate uninstall wipe'
/**
 * Verbs that change any object. Verbs such as `add` or `create` are left out: one can add numbers or create an answer
 * without writing anything.
 */
const WRITING = `${DESTROYING} deploy edit insert install overwrite publish rename revoke update upload write`

const [destroying, writing] = [DESTROYING, WRITING].map(verbs => new Set(verbs.split(' '))) as [
  Set<string>,
  Set<string>,
]

/** Compares annotations with each other and with the tool's own words, and reports missing ones. */
export const hints: Rule = {
  id: 'hints',
  severity: 'advice',
  says:
    'Annotations of a tool contradict each other, or the verb that begins its name and its description; ' +
    'or tools have no annotations that say whether they write.',
  advice: 'State readOnlyHint and destructiveHint; clients decide by them when to ask people.',
  more: 'have wrong hints',
  find: ({ tools }) => [...tools.flatMap(contradictions), ...silence(tools)],
}

function contradictions(tool: Tool): Found[] {
  const { readOnlyHint, destructiveHint } = objectOf(tool['annotations'])
  const found = (says: string): Found[] => [
    { place: `${placeOf(tool.name)}/annotations`, text: `The tool ${quoted(tool.name)} says that it ${says}` },
  ]
  if (readOnlyHint === true && destructiveHint === true) return found('only reads, and that it destroys')
  const verb = verbOf(tool)
  if (verb === undefined) return []
  if (readOnlyHint === true && writing.has(verb)) return found(`only reads, but also “${verb}”`)
  if (destructiveHint === false && destroying.has(verb)) return found(`destroys nothing, but also “${verb}”`)
  return []
}

/** Returns the verb at the start of both name and description. A name alone is too ambiguous. */
function verbOf({ name, description }: Tool): string | undefined {
  const [front] = name
    .slice(0, 200)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
  const first = /^\s*([A-Za-z]+)/.exec(typeof description === 'string' ? description.slice(0, 200) : '')?.[1]
  const verb = front?.toLowerCase()
  return verb !== undefined && [verb, `${verb}s`, `${verb}es`].includes(first?.toLowerCase() ?? '') ? verb : undefined
}

/**
 * Reports tools without annotations. They count as writing and destructive (MCP 2025-11-25, ToolAnnotations), so people
 * are always asked.
 */
function silence(tools: readonly Tool[]): Found[] {
  const silent = tools.filter(tool => {
    const { readOnlyHint, destructiveHint } = objectOf(tool['annotations'])
    return typeof readOnlyHint !== 'boolean' && typeof destructiveHint !== 'boolean'
  })
  if (silent.length === 0) return []
  return [{ place: 'tools', text: silenceText(silent, tools.length) }]
}

function silenceText(silent: readonly Tool[], all: number): string {
  if (all === 1) return 'Its only tool does not say by its annotations whether it writes'
  if (silent.length === all) return `None of its ${all} tools says by its annotations whether it writes`
  const names = listed(silent.map(({ name }) => name))
  return silent.length === 1
    ? `1 of its ${all} tools does not say by its annotations whether it writes: ${names}`
    : `${silent.length} of its ${all} tools do not say by their annotations whether they write: ${names}`
}
