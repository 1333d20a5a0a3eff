import { contract } from '../../api/contract/contract.ts'
import type { LiveServer } from '../../api/contract/live-servers.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { isProgram } from './changed-server.ts'
import { ordinal } from './process-age.ts'
import { useOtherServer } from './use-saving.ts'

/** Ends the process of a server and begins a new one; what the old one answered is read again, also if none begins. */
export function useRestart(projectId: string): (server: ProjectServer) => Promise<void> {
  const write = useWrite(contract.liveServers.restart)
  const { lookAgain } = useOtherServer(projectId)
  return async server => {
    const { id: serverId, name } = server
    const [start, done, noun] = isProgram(server)
      ? ['Restarting', 'Restarted', 'start']
      : ['Connecting anew to', 'Connected anew to', 'connection']
    await write<LiveServer>({
      start: `${start} ${name}…`,
      work: async ({ send }) => {
        const live = await send(contract.liveServers.restart, { projectId, serverId, body: {} })
        lookAgain(server)
        return live
      },
      failed: () => lookAgain(server),
      done: ({ starts }) => `${done} ${name}: its ${ordinal(starts)} ${noun}.`,
    })
  }
}
