import type { Tool } from '../../connections/types.ts'
import { ServiceError } from '../../core/errors.ts'
import { canonicalJson } from '../../core/canonical.ts'
import type { ServiceContext } from '../../core/context.ts'
import type { ServerRow } from '../../servers/rows.ts'

/** The tools that cases are written against, by name. */
export type KnownTools = ReadonlyMap<string, Tool>

/** A tool as the model is shown it. All of it was written by a server and is not to be trusted. */
export type ShownTool = { server: string; name: string; description?: string; inputSchema?: string }

/** Longest texts of one tool, and of all tools together, in characters. */
const MAX_DESCRIPTION = 600
const MAX_SCHEMA = 2000
const MAX_ALL = 60_000

/**
 * Asks all servers for their tools; what does not fit a prompt is known all the same.
 * @throws ServiceError as connections do; `FEATURE_NOT_SUPPORTED` when no server has a tool
 */
export async function discoverTools(
  { connections, targets }: Pick<ServiceContext, 'connections' | 'targets'>,
  servers: readonly ServerRow[],
  signal: AbortSignal,
): Promise<{ known: KnownTools; shown: ShownTool[] }> {
  const listed = await Promise.all(
    servers.map(async row => {
      const tools = await connections.use(targets.of(row), signal, session => session.listTools())
      return tools.map(tool => ({ server: row.name, tool }))
    }),
  )
  const all = listed.flat()
  if (all.length === 0)
    throw new ServiceError(
      'FEATURE_NOT_SUPPORTED',
      'The servers of the suite offer no tools, so that there is nothing to write cases against.',
    )
  let room = MAX_ALL
  const shown: ShownTool[] = []
  for (const { server, tool } of all) {
    const entry = toShown(server, tool)
    room -= JSON.stringify(entry).length
    if (room < 0) break
    shown.push(entry)
  }
  return { known: new Map(all.map(({ tool }) => [tool.name, tool])), shown }
}

function toShown(server: string, { name, description, inputSchema }: Tool): ShownTool {
  const schema = inputSchema && canonicalJson(inputSchema)
  return {
    server,
    name,
    ...(description !== undefined && { description: description.slice(0, MAX_DESCRIPTION) }),
    ...(schema !== undefined && { inputSchema: schema.slice(0, MAX_SCHEMA) }),
  }
}
