import { parseExact } from '../../lib/json.ts'
import { contract } from '../../api/contract/contract.ts'
import type { TrafficFrame, TrafficMessage } from '../../api/contract/traffic.ts'
import { collectionTab, type DetailProps } from '../../components/collection/collection-screen.tsx'
import type { Collection } from '../../components/collection/use-collection.ts'
import { fieldLines, heading, jsonLines } from '../../components/lines.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { formatCount, formatDuration } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Column } from '../../components/list/columns.ts'
import { useMemo } from 'react'
import { serversKeys, trafficKeys } from './bindings.ts'
import type { ServerRow } from './columns.ts'
import { shorten, withShortTexts } from './json-text.ts'
import { bytesColumn, instantOf, timeColumn, usePaused, useRecorded, useRecordedActions } from './recorded.ts'
import { measureColumn, noteColumn } from '../../components/collection/plain-parts.ts'

type Row = { serverId: string; frame: TrafficFrame; answer: TrafficFrame | undefined }

/** Maximum length of a text that is laid out. */
const MOST_TEXT = 20_000

/** Messages between this process and a server. */
export const trafficTab = collectionTab({
  noun: 'message',
  title: 'Traffic',
  what: 'what was sent and received',
  param: 'frameId',
  follows: true,
  useItems(projectId: string, { server: { id: serverId } }: ServerRow) {
    const { client } = useWorkspace()
    return useRecorded<TrafficFrame>(['traffic', serverId], (cursor, signal) =>
      client.traffic.list(
        { projectId, serverId, ...(cursor !== undefined && { cursor }) },
        { signal, priority: 'visible' },
      ),
    )
  },
  useAnswer(first) {
    const isPaused = usePaused()
    const dropped = (first as { dropped?: boolean } | undefined)?.dropped
    return {
      notices: [
        ...(isPaused ? ['Paused; recording continues.'] : []),
        ...(dropped ? ['Older messages were dropped; the latest are kept.'] : []),
      ],
    }
  },
  rows: { useRows: useTrafficRows, itemOf: ({ frame }: Row) => frame },
  nameOf: ({ frame }) => frame.method ?? frame.kind,
  tabs: [
    {
      id: 'message',
      title: 'Message',
      Content: (props: DetailProps<Row>) => <Message {...props} of={props.row.frame.id} />,
    },
    { id: 'counterpart', title: 'Counterpart', Content: Counterpart },
  ],
  keys: trafficKeys,
  useActions(_collection: Collection<Row>, projectId: string, { server: { id: serverId } }: ServerRow) {
    const write = useWrite(contract.traffic.clear)
    return useRecordedActions(() => write({ start: 'Clearing the traffic…', input: { projectId, serverId } }))
  },
  empty: (_key, { keyName }) => ({
    why: 'Nothing was sent yet.',
    next: `Press ${keyName(serversKeys, 'doctor')} to connect; connections of other processes are not shown.`,
  }),
})

function useTrafficRows(items: readonly TrafficFrame[], _projectId: string, { server: { id: serverId } }: ServerRow) {
  const { symbols } = useTheme()
  const isOfRuns = items.some(({ origin }) => origin != null)
  const columns = useMemo(() => columnsOf(symbols, isOfRuns), [symbols, isOfRuns])
  const rows = useMemo(() => {
    const answers = new Map(items.flatMap(frame => (frame.answers ? [[frame.answers, frame] as const] : [])))
    return items.map((frame): Row => ({ serverId, frame, answer: answers.get(frame.id) }))
  }, [items, serverId])
  return { rows, columns }
}

function columnsOf(symbols: Symbols, isOfRuns: boolean): readonly Column<Row>[] {
  const hasFailed = ({ frame, answer }: Row) => frame.failed || answer?.failed === true
  const took = ({ frame, answer }: Row) => frame.durationMs ?? answer?.durationMs ?? undefined
  return [
    timeColumn(({ frame }) => frame),
    {
      id: 'direction',
      title: symbols.sent,
      width: 1,
      cell: ({ frame }) => (frame.direction === 'sent' ? symbols.sent : symbols.received),
    },
    {
      id: 'method',
      title: 'Method',
      width: 'flex',
      cell: row => ({ text: row.frame.method ?? row.frame.kind, tone: hasFailed(row) ? 'error' : 'plain' }),
    },
    { id: 'mark', title: '', width: 1, cell: row => (hasFailed(row) ? { text: symbols.error, tone: 'error' } : '') },
    noteColumn('Kind', 12, ({ frame }) => frame.kind, { from: 60 }),
    measureColumn('Took', 7, took, formatDuration),
    bytesColumn(({ frame }) => frame.size),
    ...(isOfRuns ? [originColumn] : []),
    noteColumn('Content', 'flex', ({ frame }) => frame.summary, { from: 72 }),
  ]
}

const originColumn: Column<Row> = noteColumn(
  'Of',
  'flex',
  ({ frame: { origin } }) => (origin ? originLabel(origin) : ''),
  { id: 'origin', from: 60 },
)

function originLabel({ runNumber, caseTitle }: NonNullable<TrafficFrame['origin']>): string {
  return `run #${runNumber}, ${caseTitle}`
}

/** Shows the request of an answer, or the answer of a request. */
function Counterpart(props: DetailProps<Row>) {
  const { frame, answer } = props.row
  const of = frame.answers ?? answer?.id
  if (of != null) return <Message {...props} of={of} />
  const text =
    frame.kind === 'request' ? 'Not answered yet.' : 'There is no answer, or its request is no longer stored.'
  return <Viewer lines={[{ text, tone: 'muted' }]} focused={props.focused} />
}

function Message({ projectId, row: { serverId }, of: frameId, focused }: DetailProps<Row> & { of: string }) {
  const { queries } = useWorkspace()
  const input = { projectId, serverId, frameId }
  const message = useApiQuery(queries.traffic.get.options(input, { refetchInterval: false }))
  const lines = useMemo(() => (message.data ? messageLines(message.data) : []), [message.data])
  return (
    <PaneState data={message} loading="Reading the message…">
      <Viewer lines={lines} focused={focused} />
    </PaneState>
  )
}

/** Returns the message as JSON, with the HTTP exchange that carried it below. */
function messageLines({ frame, text, end, leftOut, exchange }: TrafficMessage): Line[] {
  const { at, direction, kind, connection, size, durationMs, failed, origin } = frame
  return [
    ...fieldLines([
      ['Time', instantOf(at)],
      ['What', `${kind}, ${direction} over connection ${connection}`, failed ? 'error' : 'plain'],
      ...(origin ? [['Of', originLabel(origin)] as const] : []),
      ['Size', `${formatCount(size)} bytes${leftOut > 0 ? `, ${formatCount(leftOut)} of them left out` : ''}`],
      ...(durationMs == null ? [] : [['Took', formatDuration(durationMs)] as const]),
    ]),
    '',
    ...contentLines(text, leftOut > 0),
    ...(leftOut > 0 ? [{ text: `${formatCount(leftOut)} bytes are left out here.`, tone: 'warn' as const }] : []),
    ...(end ? [{ text: end }] : []),
    ...(exchange ? ['', ...exchangeLines(exchange)] : []),
  ]
}

function contentLines(text: string, isPart: boolean): Line[] {
  try {
    if (!isPart) return jsonLines(withShortTexts(parseExact(text), MOST_TEXT))
  } catch {
    // Not JSON: it is shown as received.
  }
  return text === ''
    ? []
    : shorten(text, MOST_TEXT)
        .split('\n')
        .map(line => ({ text: line }))
}

function exchangeLines(exchange: NonNullable<TrafficMessage['exchange']>): Line[] {
  const { method, url, status, durationMs, problem, requestHeaders, responseHeaders } = exchange
  const ending = problem ?? (status == null ? 'not answered yet' : String(status))
  const lines = (title: string, headers: Record<string, string>): Line[] => [
    { text: title, tone: 'muted' },
    ...(Object.keys(headers).length > 0 ? fieldLines(Object.entries(headers), 2) : []),
  ]
  return [
    heading('HTTP exchange'),
    ...fieldLines([
      ['Request', `${method} ${url}`],
      ['Status', ending, problem != null || (status ?? 0) >= 400 ? 'error' : 'plain'],
      ['Headers after', formatDuration(durationMs)],
    ]),
    ...lines('Headers of the request', requestHeaders),
    ...lines('Headers of the answer', responseHeaders ?? {}),
  ]
}
