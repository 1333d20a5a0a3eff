import { isPlainRead } from '../../api/client/cache/cache-contents.ts'
import { contract } from '../../api/contract/contract.ts'
import type { InputOf } from '../../api/contract/endpoint.ts'
import { useWrite } from '../../hooks/use-write.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { ProjectServer } from '../../api/contract/servers.ts'
import type { ServerChanges } from './changed-server.ts'
import { useForgetAnswers, useServerChecks } from './checks.ts'
import type { TokensTyped } from './token-form.ts'

/** Requests of what a person just asked for. */
const ASKED = { priority: 'asked' } as const
/** What MCP servers themselves answered does not hang on a write, and may take them long. */
const OWN = { predicate: isPlainRead }

/**
 * Writes about the saved servers of a project, without a question. What they made out of date is read again, whatever came of
 * them; where a server is another one afterwards, the doctor looks again if it had looked before.
 */
export function useServerWrites(projectId: string) {
  const { client } = useWorkspace()
  const write = useWrite()
  const forgetAnswers = useForgetAnswers(projectId)
  const checks = useServerChecks()

  const lookAgain = ({ id, enabled }: ProjectServer): void => {
    if (forgetAnswers(id) && enabled) checks.doctor({ projectId, serverId: id })
  }

  return {
    create: (body: InputOf<typeof contract.servers.create>['body']) =>
      write(contract.servers.create, () => client.servers.create({ projectId, body }, ASKED), OWN),
    change: (serverId: string, body: ServerChanges) =>
      write(
        contract.servers.update,
        async () => {
          const changed = await client.servers.update({ projectId, serverId, body }, ASKED)
          if (Object.keys(body).some(field => field !== 'name')) lookAgain(changed)
          return changed
        },
        OWN,
      ),
    importTokens: (server: ProjectServer, body: TokensTyped) =>
      write(
        contract.servers.importTokens,
        async () => {
          const imported = await client.servers.importTokens({ projectId, serverId: server.id, body }, ASKED)
          lookAgain(server)
          return imported
        },
        OWN,
      ),
    remove: (serverId: string) =>
      write(
        contract.servers.delete,
        async () => {
          await client.servers.delete({ projectId, serverId }, ASKED)
          forgetAnswers(serverId)
        },
        OWN,
      ),
  }
}
