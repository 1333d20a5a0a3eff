import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { reachOf } from '../../screens/servers/new-server.ts'
import { createService } from '../../service/workspace/service.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommonOptions } from '../config/settings.ts'
import { contextOf, ending, type CommandContext } from './in-workspace.ts'
import { LOCAL_ADDRESS } from './workspace.ts'

/** How a server that is saved nowhere is reached. */
export type ReachOptions = { command?: string; url?: string; tokenEnv?: string }

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
  const service = await createService({ memory: true, schedulePollMs: 0 })
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

function requireReach({ command, url, tokenEnv }: ReachOptions, env: NodeJS.ProcessEnv) {
  if (command !== undefined && url !== undefined) throw new UsageError('--command and --url exclude each other.')
  const token = tokenEnv === undefined ? '' : (env[tokenEnv]?.trim() ?? '')
  if (tokenEnv !== undefined && token === '') throw new UsageError(`The variable ${tokenEnv} of --token-env is empty.`)
  const option = url === undefined ? '--command' : '--url'
  const reach = reachOf(url ?? command ?? '', token)
  if (typeof reach === 'string') throw new UsageError(`${option}: ${reach}`)
  const kind = reach.transportType === 'http' ? '--url' : '--command'
  if (kind !== option) throw new UsageError(`${option}: this goes with ${kind}.`)
  return reach
}
