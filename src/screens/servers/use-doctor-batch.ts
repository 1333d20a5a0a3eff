import { useQueryClient } from '@tanstack/react-query'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { stateOf } from '../../domain/servers/findings.ts'
import { plural } from '../../tui/theme/format.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { doctorQuery } from './checks.ts'
import { reportLook } from './status.ts'

/** Servers that are examined at once; each examination is one request of the budget. */
const AT_ONCE = 3
const NO_REPORT = 'without a report'

/** Examines several servers, a few at once; what was found shows in the list as it comes. */
export function useDoctorBatch(projectId: string): (servers: readonly ProjectServer[]) => Promise<unknown> {
  const workspace = useWorkspace()
  const queryClient = useQueryClient()
  const runTask = useRunTask()
  return servers =>
    runTask({
      start: `Examining ${plural(servers.length, 'server')}…`,
      stopped: 'The round was stopped.',
      work: async ({ signal, progress }) => {
        const waiting = [...servers]
        const words: string[] = []
        progress(0, servers.length)
        const examine = async (): Promise<void> => {
          for (let server = waiting.shift(); server && !signal.aborted; server = waiting.shift()) {
            const report = queryClient.query(doctorQuery(workspace, { projectId, serverId: server.id }))
            words.push(await report.then(found => reportLook(stateOf(found)).word).catch(() => NO_REPORT))
            progress(words.length, servers.length)
          }
        }
        await Promise.all(Array.from({ length: AT_ONCE }, examine))
        return words
      },
      done: words => ({
        tone: words.every(word => word === 'ready') ? 'ok' : 'warn',
        text: batchSentence(words, servers.length),
      }),
    })
}

/** `Examined 3 servers: 2 ready, 1 partial.`, or how far it came before it was stopped. */
export function batchSentence(words: readonly string[], wanted: number): string {
  const tally = [...new Set(words)].map(word => `${words.filter(other => other === word).length} ${word}`)
  const found = tally.length > 0 ? `: ${tally.join(', ')}` : ''
  return words.length === wanted
    ? `Examined ${plural(wanted, 'server')}${found}.`
    : `Stopped after ${words.length} of ${plural(wanted, 'server')}${found}.`
}
