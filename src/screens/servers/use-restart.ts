import { contract } from '../../api/contract/contract.ts'
import type { LiveServer } from '../../api/contract/live-servers.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { isProgram } from './changed-server.ts'
import { ordinal } from './process-age.ts'
import { useOtherServer } from './use-saving.ts'

type Act = (server: ProjectServer) => Promise<void>

/** Ends the process of a server, and starts a new one or leaves that to the next request. */
export function useRestart(projectId: string): { restart: Act; end: Act } {
  const { restart: restarting, end: ending } = contract.liveServers
  const writeRestart = useWrite(restarting)
  const writeEnd = useWrite(ending)
  const { lookAgain } = useOtherServer(projectId)
  const input = ({ id: serverId }: ProjectServer) => ({ projectId, serverId, body: {} })
  return {
    // Answers of the old process are read again, even if no new one starts.
    async restart(server) {
      const { name } = server
      const [start, done, noun] = isProgram(server)
        ? ['Restarting', 'Restarted', 'start']
        : ['Reconnecting to', 'Reconnected to', 'connection']
      await writeRestart<LiveServer>({
        start: `${start} ${name}…`,
        work: async ({ send }) => {
          const live = await send(restarting, input(server))
          lookAgain(server)
          return live
        },
        failed: () => lookAgain(server),
        done: ({ starts }) => `${done} ${name}: its ${ordinal(starts)} ${noun}.`,
      })
    },
    async end(server) {
      const { name } = server
      await writeEnd<LiveServer>({
        confirm: {
          title: `End ${isProgram(server) ? 'the process of' : 'the connection to'} "${name}"?`,
          lines: ['Calls under way end, and what the server holds for the calls so far is gone.'],
          action: 'End it',
        },
        start: `Ending ${name}…`,
        work: ({ send }) => send(ending, input(server)),
        done: () => `Ended ${isProgram(server) ? `the process of ${name}` : `the connection to ${name}`}.`,
      })
    },
  }
}
