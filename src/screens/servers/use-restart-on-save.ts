import { useSyncExternalStore } from 'react'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useAskText } from '../../components/ask-text.tsx'
import { patternOfCommand, patternsIn } from '../../domain/watching/watch-patterns.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { isProgram } from './changed-server.ts'

type Act = (server: ProjectServer) => Promise<void>

/** Restarts a server whenever files that the person names change, or stops doing so. */
export function useRestartOnSave(
  restart: Act,
  chosen: ProjectServer | undefined,
  onServer: (act: Act) => KeyHandler | Unavailable,
): KeyHandler | Unavailable {
  const { serverWatches, storedReaches } = useWorkspace()
  const ask = useAskText()
  const notify = useNotify()
  if (!serverWatches) return unavailable('Files are watched where the dashboard runs the servers.')
  if (chosen && !isProgram(chosen)) return unavailable('It is reached over HTTP: its operator restarts it.')
  return onServer(async server => {
    const { id: serverId, name } = server
    if (serverWatches.patternOf(serverId) !== undefined) {
      serverWatches.stop(serverId)
      notify('ok', `${name} is no longer restarted when files change.`)
      return
    }
    const reach = await storedReaches?.of(serverId)
    const pattern = await ask({
      title: `Restart ${name} when files change`,
      lines: [
        'Its process is ended, with the calls under way, and started again whenever a matching file changes.',
        'Patterns are relative to the folder where mcpdeck was started.',
      ],
      initial: (reach && patternOfCommand(reach, process.cwd())) ?? 'src/**',
    })
    if (pattern === undefined || patternsIn(pattern).length === 0) return
    const isWatched = await serverWatches.start({
      serverId,
      pattern: pattern.trim(),
      restart: () => restart(server),
      failed: why => notify('error', `${why} ${name} is no longer restarted.`),
    })
    if (isWatched) notify('ok', `${name} restarts whenever ${pattern.trim()} changes.`)
  })
}

/** Returns the pattern of the files whose changes restart a server; undefined if none do. */
export function useWatchedFiles(serverId: string): string | undefined {
  const { serverWatches } = useWorkspace()
  return useSyncExternalStore(serverWatches?.subscribe ?? never, () => serverWatches?.patternOf(serverId))
}

function never(): () => void {
  return () => undefined
}
