import { contract } from '../../api/contract/contract.ts'
import type { ConsoleLine } from '../../api/contract/traffic.ts'
import { collectionTab, plainRows } from '../../components/collection/collection-screen.tsx'
import { fieldsTab } from '../../components/collection/tabbed-pane.tsx'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { formatCount, plural } from '../../lib/format.ts'
import { consoleKeys, serversKeys } from './bindings.ts'
import type { ServerRow } from './columns.ts'
import { instantOf, timeColumn, usePaused, useRecorded, useRecordedActions } from './recorded.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { LOG_LEVELS, type LogLevel } from '../../api/contract/live-servers.ts'
import { choiceField, useFormDialog } from '../../components/form/form-dialog.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import type { Tone } from '../../tui/theme/theme.ts'
import { isLocalOnly, useLiveServer } from './use-live-server.ts'

/** Output of a server's program outside the protocol, and its log messages within the protocol. */
export const consoleTab = collectionTab({
  noun: 'line',
  title: 'Console',
  what: 'what the program printed',
  param: 'lineId',
  follows: true,
  useItems(projectId: string, { server: { id: serverId } }: ServerRow) {
    const { client } = useWorkspace()
    return useRecorded<ConsoleLine>(['console', serverId], (cursor, signal) =>
      client.console.list(
        { projectId, serverId, ...(cursor !== undefined && { cursor }) },
        { signal, priority: 'visible' },
      ),
    )
  },
  useAnswer(first) {
    const isPaused = usePaused()
    const { items = [], dropped } = (first ?? {}) as { items?: readonly ConsoleLine[]; dropped?: boolean }
    const polluting = items.filter(({ stream }) => stream === 'stdout').length
    return {
      notices: [
        ...(isPaused ? ['Paused; recording continues.'] : []),
        ...(polluting > 0
          ? [`${plural(polluting, 'line')} on stdout, which is reserved for the protocol: print to stderr.`]
          : []),
        ...(dropped ? ['Older lines were dropped; the latest are kept.'] : []),
      ],
    }
  },
  rows: plainRows<ConsoleLine>(({ warn }) => [
    timeColumn(line => line),
    {
      id: 'stream',
      title: 'From',
      width: 9,
      cell: ({ stream, level }) => {
        if (stream === 'stdout') return { text: `${warn} ${stream}`, tone: 'warn' }
        return stream === 'log' ? { text: level ?? stream, tone: levelTone(level) } : { text: stream, tone: 'muted' }
      },
    },
    {
      id: 'text',
      title: 'Line',
      width: 'flex',
      cell: ({ stream, text, logger }) => ({
        text: logger ? `${logger}: ${text}` : text,
        tone: stream === 'process' ? 'muted' : 'plain',
      }),
    },
  ]),
  nameOf: ({ stream }) => stream,
  tabs: [
    fieldsTab('Line', ({ at, stream, connection, text, leftOut, level, logger }: ConsoleLine) => [
      ['Time', instantOf(at)],
      ['From', stream === 'stdout' ? 'stdout, not an MCP message' : stream, stream === 'stdout' ? 'warn' : 'plain'],
      ...(level ? [['Level', level, levelTone(level)] as const] : []),
      ...(logger ? [['Logger', logger] as const] : []),
      ['Connection', String(connection)],
      ['Text', text],
      ...(leftOut > 0 ? [['Left out', `${formatCount(leftOut)} more characters`] as const] : []),
    ]),
  ],
  keys: consoleKeys,
  useActions(_collection: Collection<ConsoleLine>, projectId: string, { server: { id: serverId } }: ServerRow) {
    const write = useWrite(contract.console.clear)
    const clear = () => write({ start: 'Clearing the console…', input: { projectId, serverId } })
    const level = useLogLevel(projectId, serverId)
    return { ...useRecordedActions(clear), level }
  },
  empty: (_key, { parent: { server }, keyName }) =>
    server.transportType === 'stdio'
      ? {
          why: 'The program has not printed anything yet.',
          next: `Press ${keyName(serversKeys, 'doctor')} to start it. Programs started by runs are not shown.`,
        }
      : { why: 'The server has not logged anything yet.', next: 'Its output appears where it runs.' },
})

/** Returns the tone for the level of a log message; servers may send any word. */
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
