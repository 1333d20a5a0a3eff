import { ApiError } from '../../api/client/errors/api-error.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { contract } from '../../api/contract/contract.ts'
import { LOG_LEVELS, type LogLevel } from '../../api/contract/live-servers.ts'
import { choiceField, useFormDialog } from '../../components/form/form-dialog.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import type { Tone } from '../../tui/theme/theme.ts'
import { isLocalOnly, useLiveServer } from './use-live-server.ts'

/** How a level of a log message is drawn; servers write what they like. */
export function levelTone(level: string | null | undefined): Tone {
  const at = LOG_LEVELS.indexOf(level as LogLevel)
  if (at >= LOG_LEVELS.indexOf('error')) return 'error'
  return at === LOG_LEVELS.indexOf('warning') ? 'warn' : 'muted'
}

/** Asks for the level of a server's log messages and sets it. */
export function useLogLevel(projectId: string, serverId: string): KeyHandler | Unavailable {
  const { live, error } = useLiveServer(projectId, serverId)
  const ask = useFormDialog()
  const write = useWrite(contract.liveServers.setLogLevel)
  if (error instanceof ApiError && isLocalOnly(error)) return unavailable(describeError(error).sentence)
  if (live?.offers?.logging === false) return unavailable('This server does not offer log messages.')
  return async () => {
    const levels = LOG_LEVELS.map(level => ({ value: level, label: level }))
    const now = live?.logLevel ?? undefined
    const values = await ask({
      title: 'Log level',
      about: [
        { text: 'The server sends messages of this level and above, also on later connections.', tone: 'muted' },
        ...(live?.problem ? [{ text: live.problem, tone: 'warn' as const }] : []),
      ],
      fields: [choiceField('level', 'Level', levels, { initial: now ?? 'info' })],
      act: 'Set the level',
    })
    if (!values) return
    const level = values['level'] as LogLevel
    await write({
      start: 'Setting the log level…',
      done: () => `The server logs from ${level} on.`,
      input: { projectId, serverId, body: { level } },
      rereads: ({ queryKey }) => queryKey[1] === 'get',
    })
  }
}
