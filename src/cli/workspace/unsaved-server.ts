import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { reachOf, type Reach, type ReachMore } from '../../screens/servers/new-server.ts'
import { createService } from '../../service/workspace/service.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommonOptions } from '../config/settings.ts'
import { contextOf, ending, type CommandContext } from './in-workspace.ts'
import { LOCAL_ADDRESS } from './workspace.ts'

/** How a server that is saved nowhere is reached. */
export type ReachOptions = ReachParts & { command?: string; url?: string }

/** What goes with a command or an address; `timeout` in milliseconds. */
export type ReachParts = { env?: readonly string[]; header?: readonly string[]; tokenEnv?: string; timeout?: number }

/** What such a server is called for as long as it is there. */
export const UNSAVED = 'unsaved'

/**
 * Runs a command over a workspace in memory that knows one server, `UNSAVED`; nothing of it stays.
 * @throws UsageError for a reach that is none
 */
export async function withUnsavedServer(
  common: CommonOptions,
  own: ReachOptions,
  work: (context: CommandContext) => Promise<number | void>,
): Promise<number> {
  const reach = requireReach(own, process.env)
  const service = await createService({ memory: true, emptyProject: UNSAVED, schedulePollMs: 0 })
  const client = createClient({
    fetch: service.answer,
    baseUrl: LOCAL_ADDRESS,
    key: service.localKey,
    budget: createBudget({ unlimited: true }),
  })
  const refusing = common.readOnly ? '--read-only' : undefined
  const context = contextOf({ client, common, refusing, project: undefined })
  return await ending(
    async () => {
      await client.servers.create({
        projectId: await context.projectId(),
        body: { name: UNSAVED, enabled: true, ...reach },
      })
      return await work(context)
    },
    () => service.close(),
  )
}

function requireReach({ command, url, ...parts }: ReachOptions, env: NodeJS.ProcessEnv): Reach {
  if (command !== undefined && url !== undefined) throw new UsageError('--command and --url exclude each other.')
  const option = url === undefined ? '--command' : '--url'
  const reach = reachOf(url ?? command ?? '', moreOf(parts, env))
  if (typeof reach === 'string') throw new UsageError(`${option}: ${reach}`)
  const kind = reach.transportType === 'http' ? '--url' : '--command'
  if (kind !== option) throw new UsageError(`${option}: this goes with ${kind}.`)
  return reach
}

/** What goes with a command or an address, as a reach takes it. @throws UsageError for a token that is none */
export function moreOf({ env = [], header = [], tokenEnv, timeout }: ReachParts, own: NodeJS.ProcessEnv): ReachMore {
  const token = tokenEnv === undefined ? '' : (own[tokenEnv]?.trim() ?? '')
  if (tokenEnv !== undefined && token === '') throw new UsageError(`The variable ${tokenEnv} of --token-env is empty.`)
  return { token, env, headers: header, ...(timeout !== undefined && { timeout: String(timeout / 1000) }) }
}
