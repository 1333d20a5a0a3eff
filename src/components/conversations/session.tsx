import { queryOptions } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Client } from '../../api/client/client.ts'
import { createTraceIndex, type FoundTrace, type TraceIndex } from '../../domain/findings/trace-index.ts'
import { formatCount, plural } from '../../tui/theme/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { fieldLines } from '../lines.ts'
import { PaneState, type PaneData } from '../pane-state.tsx'
import { messageRows } from '../transcript/messages.ts'
import { Transcript } from '../transcript/transcript.tsx'
import { linesNode } from '../viewer/sections.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { goalLabel, outcomeLook, type SessionRow } from './session-row.ts'

/** A session that ended does not change. */
const FINAL = { staleTime: Infinity, refetchInterval: false } as const
const indexes = new WeakMap<Client, Map<string, TraceIndex>>()

/** One index for each project, as long as the client is there. */
function indexOf(client: Client, projectId: string): TraceIndex {
  const known = indexes.get(client) ?? new Map<string, TraceIndex>()
  const index = known.get(projectId) ?? createTraceIndex(client, projectId)
  indexes.set(client, known.set(projectId, index))
  return index
}

/** No route reads the conversation of one journey session; the trace export tells all of them. */
function traceQuery(client: Client, projectId: string, row: SessionRow, heard: (looked: number) => void) {
  return queryOptions<FoundTrace, ApiError>({
    queryKey: ['traceExports', 'otlp', { projectId, session: row.id }, 'read'],
    queryFn: ({ signal }) => indexOf(client, projectId).read(row.ids, { signal, heard }),
    ...FINAL,
    // Conversations are large; what is not looked at any more is soon let go.
    gcTime: 60_000,
  })
}

/** What was said and called in a session of a journey run. */
export function RunSession(props: { projectId: string; row: SessionRow; focused: boolean }) {
  const { projectId, row } = props
  const { client } = useWorkspace()
  const [looked, hear] = useState(0)
  const trace = useApiQuery(traceQuery(client, projectId, row, hear))
  return (
    <Conversation
      {...props}
      data={trace}
      messages={trace.data?.messages}
      loading={`Looking for the session in the trace export${looked > 0 ? `: ${plural(looked, 'session')} so far` : ''}…`}
      empty={
        trace.data && !trace.data.messages
          ? {
              why: trace.data.isWhole
                ? 'The trace export does not tell this session.'
                : `The session is not among the first ${plural(trace.data.looked, 'session')} of the trace export.`,
              next: trace.data.isWhole
                ? 'It tells sessions once they have ended.'
                : 'The export goes from the oldest to the newest; a refresh looks further.',
            }
          : undefined
      }
    />
  )
}

/** What a visitor and the scenario said; the contract leaves payloads of calls out. */
export function VisitorSession(props: { projectId: string; scenarioId: string; row: SessionRow; focused: boolean }) {
  const { projectId, scenarioId, row } = props
  const { queries } = useWorkspace()
  const input = { projectId, scenarioId, sessionId: row.id }
  const first = useApiQuery({ ...queries.userTestingSessions.get.options(input), refetchInterval: false })
  // A page of a transcript is one object with messages in it, which is no list of items.
  const { client } = useWorkspace()
  const rest = useApiQuery({
    ...queryOptions<readonly unknown[], ApiError>({
      queryKey: ['userTestingSessions', 'get', input, 'all'],
      queryFn: async ({ signal }) => {
        const all: unknown[] = []
        for await (const page of client.pages(contract.userTestingSessions.get, input, { signal, priority: 'visible' }))
          all.push(...(page.messages ?? []))
        return all
      },
    }),
    enabled: Boolean(first.data?.nextCursor),
    refetchInterval: false,
  })
  const isUnavailable = first.data?.transcriptUnavailable === true || first.data?.messageCount === null
  return (
    <Conversation
      {...props}
      data={first}
      messages={rest.data ?? first.data?.messages ?? undefined}
      loading="Reading the conversation…"
      note={rest.problem ? `Only its beginning could be read: ${rest.problem.title}.` : undefined}
      empty={
        isUnavailable
          ? { why: 'The service cannot read this conversation.', next: 'It was not kept, or not yet written.' }
          : undefined
      }
    />
  )
}

function Conversation(props: {
  row: SessionRow
  data: PaneData
  messages: readonly unknown[] | undefined
  loading: string
  note?: string | undefined
  empty: { why: string; next: string } | undefined
  focused: boolean
}) {
  const { row, messages, note } = props
  const { symbols } = useTheme()
  const rows = useMemo(() => messageRows(messages ?? [], row.id), [messages, row.id])
  const before = useMemo(() => [linesNode('session', headLines(row, note, symbols))], [row, note, symbols])
  return (
    <PaneState data={props.data} loading={props.loading} empty={props.empty}>
      <Transcript rows={rows} before={before} focused={props.focused} />
    </PaneState>
  )
}

function showsText(shows: SessionRow['shows']): string {
  return shows ? `${shows.shows ? 'yes' : 'no'}: ${shows.because}` : 'nothing tells'
}

function headLines(row: SessionRow, note: string | undefined, symbols: Symbols) {
  const look = outcomeLook(row.outcome)
  const goal = goalLabel(row.goal, symbols)
  return [
    ...fieldLines([
      ['Session', row.id],
      ['Who', row.who],
      ['Outcome', row.outcome && `${symbols[look.symbol]} ${look.word}`, look.tone],
      ...(goal ? [['Goal', goal.text, goal.tone] as const] : []),
      ['Messages', formatCount(row.messages)],
      ...('shows' in row ? [['Shows it', showsText(row.shows)] as const] : []),
    ]),
    ...(row.goal?.reason === undefined ? [] : [{ text: row.goal.reason, indent: 2 }]),
    ...(note === undefined ? [] : [{ text: note, tone: 'warn' as const }]),
    '',
  ]
}
