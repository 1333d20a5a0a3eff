import { isPlainObject } from '../../api/contract/shapes.ts'
import type { Tool } from '../connections/types.ts'
import { resolveEnvironment, refuseServerGroup } from '../environments/records.ts'
import { ServiceError } from '../core/errors.ts'
import type { ServiceContext } from '../core/context.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'
import { cut } from '../core/one-line.ts'

/** What a request names as the ground of its drafts; the declaration saw to it that it is one of the two. */
type Source = { environmentId?: string | undefined; serverAttachmentId?: string | undefined }

/** What the servers say of themselves, cut to what a prompt can hold. All of it is theirs and not to be trusted. */
export type Grounding = {
  servers: {
    name: string
    instructions?: string
    tools: { name: string; description?: string; parameters: string[] }[]
  }[]
  /** Every tool there is, also those that did not fit. */
  toolNames: ReadonlySet<string>
}

/** Tools of all servers together that a prompt shows, and the fewest that each of many servers keeps. */
const MAX_TOOLS = 120
const MIN_TOOLS_PER_SERVER = 5
const CHARS = { name: 120, description: 400, instructions: 1500 } as const
const MAX_PARAMETERS = 20

/**
 * The servers whose tools ground the drafts.
 * @throws ServiceError `NOT_FOUND`, `CONFLICT` when the environment cannot run
 */
export function groundingServers(store: Store, projectId: string, source: Source): ServerRow[] {
  refuseServerGroup(source.serverAttachmentId)
  const environment = store.environments.require(projectId, source.environmentId ?? '')
  return resolveEnvironment(store, environment).servers
}

/**
 * Asks the servers for their tools.
 * @throws ServiceError as connections do, when one of them does not answer; `FEATURE_NOT_SUPPORTED` when none has tools
 */
export async function listGrounding(
  { connections, targets }: Pick<ServiceContext, 'connections' | 'targets'>,
  servers: readonly ServerRow[],
  signal: AbortSignal,
): Promise<Grounding> {
  const most = Math.max(MIN_TOOLS_PER_SERVER, Math.floor(MAX_TOOLS / servers.length))
  const listed = await Promise.all(
    servers.map(row =>
      connections.use(targets.of(row), signal, async session => ({
        name: row.name,
        instructions: session.initInfo.instructions,
        tools: await session.listTools(),
      })),
    ),
  )
  const toolNames = new Set(listed.flatMap(({ tools }) => tools.map(({ name }) => name)))
  if (toolNames.size === 0)
    throw new ServiceError(
      'FEATURE_NOT_SUPPORTED',
      'The servers of this environment offer no tools, so that nothing would ground a draft.',
    )
  return {
    servers: listed.map(({ name, instructions, tools }) => ({
      name: cut(name, CHARS.name),
      ...(instructions !== undefined && { instructions: cut(instructions, CHARS.instructions) }),
      tools: tools.slice(0, most).map(toShown),
    })),
    toolNames,
  }
}

function toShown({ name, description, inputSchema }: Tool): Grounding['servers'][number]['tools'][number] {
  const properties = inputSchema?.['properties']
  const parameters = isPlainObject(properties) ? Object.keys(properties) : []
  return {
    name: cut(name, CHARS.name),
    ...(description !== undefined && { description: cut(description, CHARS.description) }),
    parameters: parameters.slice(0, MAX_PARAMETERS).map(parameter => cut(parameter, CHARS.name)),
  }
}
