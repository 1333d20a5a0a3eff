import type { EvalIteration } from '../../api/contract/iterations.ts'
import { schemaChanges, type SchemaChange } from '../../lib/json-schema/changes.ts'
import { plural } from '../../lib/format.ts'
import { isPlainObject } from '../../lib/json.ts'

/** A tool as it was listed. */
export type SeenTool = {
  name: string
  description?: string | undefined
  inputSchema?: unknown
  outputSchema?: unknown
  /** Whether the tool was too long to store, so that only its digest is known. */
  omitted?: boolean
  hash?: string | undefined
}

/** The tools of one server at one moment. */
export type ToolListing = {
  serverName: string
  /** Digest of the listing, if the recorder provides one. */
  hash?: string | undefined
  tools: readonly SeenTool[]
}

export type ToolChange = {
  serverName: string
  toolName: string
  kind: 'gone' | 'new' | 'description' | 'schema' | 'output' | 'unknown'
  /** Changes of the schema; empty for other kinds of changes. */
  changes: readonly SchemaChange[]
}

/** Limits for reading a trace, which may come from any service. */
const MOST_SERVERS = 50
const MOST_TOOLS = 2_000

/**
 * Returns the tools that a trial saw according to its trace (`toolsSeen`, written by the local workspace). Undefined if
 * the trace does not say, which differs from a server without tools.
 */
export function toolsSeenIn(trace: unknown): ToolListing[] | undefined {
  const seen = isPlainObject(trace) ? trace['toolsSeen'] : undefined
  if (!Array.isArray(seen)) return undefined
  const listings = seen.slice(0, MOST_SERVERS).flatMap((each): ToolListing[] => {
    if (!isPlainObject(each) || typeof each['serverName'] !== 'string' || !Array.isArray(each['tools'])) return []
    const { serverName, hash, tools } = each
    const known = (tools as unknown[]).slice(0, MOST_TOOLS).flatMap(toolOf)
    return [{ serverName, tools: known, ...(typeof hash === 'string' && { hash }) }]
  })
  return listings.length > 0 ? listings : undefined
}

function toolOf(value: unknown): SeenTool[] {
  if (!isPlainObject(value) || typeof value['name'] !== 'string') return []
  const { name, description, inputSchema, outputSchema, omitted, hash } = value
  return [
    {
      name,
      ...(typeof description === 'string' && { description }),
      ...(isPlainObject(inputSchema) && { inputSchema }),
      ...(isPlainObject(outputSchema) && { outputSchema }),
      ...(omitted === true && { omitted }),
      ...(typeof hash === 'string' && { hash }),
    },
  ]
}

/**
 * Returns how tools changed between two listings, in the order of the earlier one, with new tools last. Servers in only
 * one of them are left out.
 */
export function toolChanges(before: readonly ToolListing[], after: readonly ToolListing[]): ToolChange[] {
  const later = new Map(after.map(listing => [listing.serverName, listing]))
  return before.flatMap(({ serverName, hash, tools }) => {
    const now = later.get(serverName)
    if (!now || (hash !== undefined && hash === now.hash)) return []
    const known = new Map(now.tools.map(tool => [tool.name, tool]))
    const named = new Set(tools.map(({ name }) => name))
    const change = (toolName: string, kind: ToolChange['kind'], changes: readonly SchemaChange[] = []) => ({
      serverName,
      toolName,
      kind,
      changes,
    })
    return [
      ...tools.flatMap(tool => {
        const other = known.get(tool.name)
        if (!other) return [change(tool.name, 'gone')]
        if (tool.omitted || other.omitted)
          return tool.omitted && other.omitted && tool.hash === other.hash ? [] : [change(tool.name, 'unknown')]
        const schema = schemaChanges(tool.inputSchema ?? {}, other.inputSchema ?? {})
        const output = schemaChanges(tool.outputSchema ?? {}, other.outputSchema ?? {})
        return [
          ...(schema.length > 0 ? [change(tool.name, 'schema', schema)] : []),
          ...(output.length > 0 ? [change(tool.name, 'output', output)] : []),
          ...((tool.description ?? '') === (other.description ?? '') ? [] : [change(tool.name, 'description')]),
        ]
      }),
      ...now.tools.filter(({ name }) => !named.has(name)).map(({ name }) => change(name, 'new')),
    ]
  })
}

/** Returns a text such as `the schema of get-sum changed: a is now string (was number)`. */
export function changeLabel({ toolName, kind, changes }: ToolChange, most = 3): string {
  switch (kind) {
    case 'gone':
      return `the tool ${toolName} is gone`
    case 'new':
      return `the tool ${toolName} is new`
    case 'description':
      return `the description of ${toolName} changed`
    case 'unknown':
      return `${toolName} is too large to be stored, so its change is unknown`
    case 'schema':
    case 'output': {
      const what = kind === 'schema' ? 'the schema' : 'the output schema'
      const shown = changes.slice(0, most).map(({ path, says }) => `${path === '' ? 'it' : `\`${path}\``} ${says}`)
      const rest = changes.length - shown.length
      return `${what} of ${toolName} changed: ${shown.join('; ')}${rest > 0 ? `; ${rest} more` : ''}`
    }
  }
}

/** Returns tools by name with the titles of the cases whose trials call or expect them. */
export function casesByTool(
  trials: readonly Pick<EvalIteration, 'id' | 'title' | 'expectedToolCalls' | 'actualToolCalls'>[],
): Map<string, Set<string>> {
  const cases = new Map<string, Set<string>>()
  for (const trial of trials)
    for (const call of [...(trial.expectedToolCalls ?? []), ...(trial.actualToolCalls ?? [])]) {
      const name = toolNameOf(call)
      if (name === undefined) continue
      const titles = cases.get(name) ?? new Set()
      cases.set(name, titles.add(trial.title ?? trial.id))
    }
  return cases
}

export function toolNameOf(call: Record<string, unknown>): string | undefined {
  const name = call['toolName'] ?? call['name']
  return typeof name === 'string' ? name : undefined
}

/** Whether a change may make arguments or results invalid, so that it is a likely cause of a failure. */
export function mayBreak({ kind, changes }: ToolChange): boolean {
  if (kind === 'schema') return changes.some(({ input }) => input !== 'safe')
  return kind === 'gone' || (kind === 'output' && changes.some(({ output }) => output !== 'safe'))
}

/**
 * Returns sentences about changes of tools that failing cases use, those that may break calls first: `everything: the
 * schema of get-sum changed: a is now string (3 cases)`.
 */
export function changesBehind(
  changes: readonly ToolChange[],
  failing: Parameters<typeof casesByTool>[0],
): { change: ToolChange; cases: ReadonlySet<string>; says: string }[] {
  const cases = casesByTool(failing)
  return changes
    .flatMap(change => {
      const using = cases.get(change.toolName)
      if (!using || change.kind === 'new') return []
      const says = `${change.serverName}: ${changeLabel(change)} (${plural(using.size, 'case')})`
      return [{ change, cases: using, says }]
    })
    .toSorted((one, other) => Number(mayBreak(other.change)) - Number(mayBreak(one.change)))
}
