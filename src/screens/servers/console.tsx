import { contract } from '../../api/contract/contract.ts'
import type { ConsoleLine } from '../../api/contract/traffic.ts'
import { collectionTab, plainRows } from '../../components/collection/collection-screen.tsx'
import { fieldsTab } from '../../components/collection/tabbed-pane.tsx'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { formatCount, plural } from '../../tui/theme/format.ts'
import { consoleKeys, serversKeys } from './bindings.ts'
import type { ServerRow } from './columns.ts'
import { levelTone, useLogLevel } from './log-level.ts'
import { instantOf, timeColumn, usePaused, useRecorded, useRecordedActions } from './recorded.ts'

/** What a server's program printed beside the protocol, and what it logged by it. */
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
        ...(isPaused ? ['Paused; what comes meanwhile is recorded.'] : []),
        ...(polluting > 0
          ? [`${plural(polluting, 'line')} on stdout, which the protocol has for itself: print to stderr.`]
          : []),
        ...(dropped ? ['Older lines are gone: the latest are kept.'] : []),
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
      ['From', stream === 'stdout' ? 'stdout, no message of MCP' : stream, stream === 'stdout' ? 'warn' : 'plain'],
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
          why: 'The program printed nothing yet.',
          next: `Press ${keyName(serversKeys, 'doctor')} to start it. Programs that runs start do not show.`,
        }
      : { why: 'The server logged nothing yet.', next: 'What it prints shows where it runs.' },
})
