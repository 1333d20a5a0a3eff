import { useEffect, useRef } from 'react'
import type { ServerRequest } from '../../../api/contract/server-requests.ts'
import { useOverlays } from '../../../components/overlays.tsx'
import { useNotify } from '../../../hooks/notify.tsx'
import { useWaitingRequests } from '../../../hooks/use-waiting-requests.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { UnavailableAction } from '../../../tui/keymap/dispatcher.ts'
import { useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { clean, truncate } from '../../../tui/theme/text.ts'
import type { Bindings } from '../../../tui/keymap/binding.ts'

const WIDTH = 92
/** Maximum columns of a server's name in a sentence. */
const MOST_NAME = 30

/** Most people never see this dialog, so it is loaded with a server's first request. */
const loadDialog = () => import('./requests-dialog.tsx')

/** Returns a function that opens the servers' requests; they never open by themselves. */
export function useAnswerRequests(): () => Promise<void> {
  const { waitingRequests } = useWorkspace()
  const overlays = useOverlays()
  return async () => {
    const waiting = waitingRequests?.current() ?? []
    const [first] = waiting
    if (!first) throw new UnavailableAction('No server is asking for anything.')
    const { RequestsDialog, dialogRows } = await loadDialog()
    overlays.open({
      title: clean(waiting.length === 1 ? `${first.serverName} asks` : `${waiting.length} requests of servers`),
      width: WIDTH,
      height: Math.max(...waiting.map(dialogRows)),
      content: close => <RequestsDialog waiting={waiting} onClose={close} />,
    })
  }
}

/** Returns `weather asks`, or how many servers ask; undefined if none does. */
export function askingText(waiting: readonly ServerRequest[]): string | undefined {
  const [first] = waiting
  if (!first) return undefined
  const names = new Set(waiting.map(({ serverId }) => serverId))
  if (names.size > 1) return `${names.size} servers ask`
  const count = waiting.length > 1 ? ` ${waiting.length} things` : ''
  return `${truncate(clean(first.serverName), MOST_NAME)} asks${count}`
}

/** Reports once for each server that it asks, and which key answers; renders nothing. */
export function FollowServerRequests({ keys }: { keys: Bindings<'answer'> }) {
  const waiting = useWaitingRequests()
  const notify = useNotify()
  const key = useKeyName()(keys, 'answer')
  const reported = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (waiting.length > 0) void loadDialog()
    for (const { serverId, serverName, params } of waiting) {
      if (reported.current.has(serverId)) continue
      const message = typeof params['message'] === 'string' ? `: ${truncate(clean(params['message']), 80)}` : ''
      notify('warn', `${truncate(clean(serverName), MOST_NAME)} asks${message} (${key} answers).`)
    }
    reported.current = new Set(waiting.map(({ serverId }) => serverId))
  }, [waiting, notify, key])
  return null
}
