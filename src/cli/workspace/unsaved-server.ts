import { createBudget } from '../../api/client/budget/budget.ts'
import { SERVER_DEADLINE_MS } from '../../api/contract/servers.ts'
import { createClient } from '../../api/client/client.ts'
import type { CommonOptions } from '../config/settings.ts'
import { contextOf, ending, type CommandContext } from './in-workspace.ts'
import { createWaitingRequests } from '../../domain/servers/waiting.ts'
import { UNSAVED, type UnsavedServer } from './unsaved-reach.ts'
import { LOCAL_ADDRESS } from './workspace.ts'

/**
 * Runs a command in a workspace in memory with one server, `UNSAVED`; nothing is saved.
 *
 * @param answers whether the command answers the forms of servers
 */
export async function withUnsavedServer(
  common: CommonOptions,
  { reach, early }: UnsavedServer,
  work: (context: CommandContext) => Promise<number | void>,
  answers = false,
): Promise<number> {
  const waitingRequests = answers ? createWaitingRequests() : undefined
  const { createService } = await import('../../service/workspace/service.ts')
  const service = await createService({
    memory: true,
    emptyProject: UNSAVED,
    schedulePollMs: 0,
    connections: { early },
    ...(waitingRequests && { onServerRequests: waitingRequests.note, answersOnlyForms: true }),
  })
  const client = createClient({
    fetch: service.answer,
    baseUrl: LOCAL_ADDRESS,
    serverDeadlineMs: SERVER_DEADLINE_MS,
    key: service.localKey,
    budget: createBudget({ unlimited: true }),
  })
  const refusing = common.readOnly ? '--read-only' : undefined
  const targetOf = async (serverId: string) => service.targetOf(serverId)
  const context = contextOf({ client, common, refusing, project: undefined, targetOf, waitingRequests })
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
