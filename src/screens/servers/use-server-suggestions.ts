import type { CompletionRequest } from '../../api/contract/live-servers.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { clean } from '../../tui/theme/text.ts'
import type { ArgumentQuestion } from './argument-dialog.tsx'

/** Returns a server's suggestions for the arguments of a prompt or a template; a hosted service is not asked. */
export function useServerSuggestions(projectId: string, serverId: string) {
  const { client } = useWorkspace()
  return (of: CompletionRequest['of'], name: string): NonNullable<ArgumentQuestion['suggest']> =>
    async (argument, value, others, signal) => {
      const body = { of, name, argument, value, others }
      const { values } = await client.liveServers.complete({ projectId, serverId, body }, { signal })
      // Texts that cannot be shown unchanged would be sent unseen.
      return values.filter(text => clean(text) === text)
    }
}
