import { useEffect, useRef } from 'react'
import type { ServerRequest } from '../../../api/contract/server-requests.ts'
import { choiceField, useFormDialog } from '../../../components/form/form-dialog.tsx'
import { useOverlays } from '../../../components/overlays.tsx'
import { useNotify } from '../../../hooks/notify.tsx'
import { useWaitingRequests } from '../../../hooks/use-waiting-requests.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { UnavailableAction } from '../../../tui/keymap/dispatcher.ts'
import { useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { clean, truncate } from '../../../tui/theme/text.ts'
import type { Bindings } from '../../../tui/keymap/binding.ts'
import { AnswerDialog, dialogRows } from './answer-dialog.tsx'

const WIDTH = 92
/** Columns of a server's name in a sentence. */
const MOST_NAME = 30

/** Opens what servers ask: the only request, or the one that is chosen of several. Nothing opens by itself. */
export function useAnswerRequests(): () => Promise<void> {
  const { waitingRequests } = useWorkspace()
  const overlays = useOverlays()
  const ask = useFormDialog()
  const open = (request: ServerRequest): void => {
    const close = overlays.open({
      title: clean(`${request.serverName} asks`),
      size: available => ({
        width: Math.min(WIDTH, available.width),
        height: Math.min(dialogRows(request), available.height),
      }),
      content: <AnswerDialog request={request} onClose={() => close()} />,
    })
  }
  return async () => {
    const waiting = waitingRequests?.current() ?? []
    const [first] = waiting
    if (!first) throw new UnavailableAction('No server asks anything now.')
    if (waiting.length === 1) return open(first)
    const options = waiting.map(request => ({ value: request.id, label: requestText(request) }))
    const values = await ask({
      title: `${waiting.length} requests of servers`,
      fields: [choiceField('id', 'Request', options)],
      act: 'Open it',
    })
    const chosen = waiting.find(({ id }) => id === values?.['id'])
    if (chosen) open(chosen)
  }
}

function requestText({ serverName, kind, params, call }: ServerRequest): string {
  const message = params['message']
  const what = typeof message === 'string' ? message : `${kind}, for ${call ?? 'no call'}`
  return `${truncate(serverName, MOST_NAME)}: ${truncate(what, 60)}`
}

/** `everything asks`, or how many ask; undefined when nobody does. */
export function askingText(waiting: readonly ServerRequest[]): string | undefined {
  const [first] = waiting
  if (!first) return undefined
  const names = new Set(waiting.map(({ serverId }) => serverId))
  if (names.size > 1) return `${names.size} servers ask`
  const count = waiting.length > 1 ? ` ${waiting.length} things` : ''
  return `${truncate(clean(first.serverName), MOST_NAME)} asks${count}`
}

/** Says once of each server that it asks, and by which key it is answered; shows nothing itself. */
export function FollowServerRequests({ keys }: { keys: Bindings<'answer'> }) {
  const waiting = useWaitingRequests()
  const notify = useNotify()
  const key = useKeyName()(keys, 'answer')
  const reported = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    for (const { serverId, serverName, params } of waiting) {
      if (reported.current.has(serverId)) continue
      const message = typeof params['message'] === 'string' ? `: ${truncate(clean(params['message']), 80)}` : ''
      notify('warn', `${truncate(clean(serverName), MOST_NAME)} asks${message} (${key} answers).`)
    }
    reported.current = new Set(waiting.map(({ serverId }) => serverId))
  }, [waiting, notify, key])
  return null
}
