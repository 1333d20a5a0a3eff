import { queryOptions } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { FoundTrace } from '../../domain/findings/trace-index.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { recordView, type Field } from '../lines.ts'
import { PaneState, type PaneData } from '../pane-state.tsx'
import { messageRows } from '../transcript/messages.ts'
import { Transcript } from '../transcript/transcript.tsx'
import { linesNode } from '../viewer/sections.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useTracedSession } from '../../hooks/use-traced-session.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { goalLabel, outcomeLook, type SessionRow } from './session-row.ts'

/** Shows the messages and calls of a session in a journey run. */
export function RunSession(props: { projectId: string; row: SessionRow; focused: boolean }) {
  const { projectId, row } = props
  const trace = useTracedSession(projectId, row)
  return (
    <Conversation
      {...props}
      data={trace}
      messages={trace.data?.messages}
      loading={searchingLabel(trace.searched)}
      empty={trace.data && untraced(trace.data)}
    />
  )
}

/** Shows the messages of a visitor and the scenario; the contract leaves out payloads of calls. */
export function VisitorSession(props: { projectId: string; scenarioId: string; row: SessionRow; focused: boolean }) {
  const { projectId, scenarioId, row } = props
  const { queries } = useWorkspace()
  const input = { projectId, scenarioId, sessionId: row.id }
  const first = useApiQuery({ ...queries.userTestingSessions.get.options(input), refetchInterval: false })
  // A page of a transcript is an object that contains messages, and not a list of items.
  const { client } = useWorkspace()
  const rest = useApiQuery({
    ...queryOptions<readonly unknown[], ApiError>({
      queryKey: ['userTestingSessions', 'get', input, 'all'],
      queryFn: async ({ signal }) => {
        const all: unknown[] = []
        for await (const page of client.pages(contract.userTestingSessions.get, input, { signal, priority: 'visible' }))
          for (const message of page.messages ?? []) all.push(message)
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
          ? { why: 'The service cannot read this conversation.', next: 'It was not stored, or is not written yet.' }
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
  const { lines, rest } = useMemo(() => headView(row, note, symbols), [row, note, symbols])
  const before = useMemo(() => [linesNode('session', lines)], [lines])
  return (
    <PaneState data={props.data} loading={props.loading} empty={props.empty}>
      <Transcript rows={rows} before={before} rest={rest} focused={props.focused} />
    </PaneState>
  )
}

function showsText(shows: SessionRow['shows']): string {
  return shows ? `${shows.shows ? 'yes' : 'no'}: ${shows.because}` : 'unknown'
}

const NO_CRITERIA = 'not known of a single session; the scorecard of its run counts them'

/**
 * Returns the outcome. A completed attempt counts as a success only if the session is known to have reached its goal.
 */
function outcomeField({ outcome, goal }: SessionRow, symbols: Symbols): Field {
  if (outcome === 'succeeded' && goal?.isReached !== true) return ['Outcome', 'came to its end']
  const look = outcomeLook(outcome)
  return ['Outcome', outcome && `${symbols[look.symbol]} ${look.word}`, look.tone]
}

/** Returns the outcome and its reason; what else is known of the session is folded below the messages. */
function headView(row: SessionRow, note: string | undefined, symbols: Symbols) {
  const goal = goalLabel(row.goal, symbols)
  const score = goal && [goal.text, row.goal?.reason].filter(Boolean).join(': ')
  return recordView(
    [
      outcomeField(row, symbols),
      ...(goal ? [['Goal', score, goal.tone] as const, ['Criteria', NO_CRITERIA] as const] : []),
      ...('shows' in row ? [['Shows it', showsText(row.shows)] as const] : []),
      ['Who', row.who],
      ['Messages', formatCount(row.messages)],
    ],
    [['Session', row.id]],
    [...(note === undefined ? [] : [{ text: note, tone: 'warn' as const }]), ''],
  )
}

/** Returns the text shown while a session is being searched for. */
function searchingLabel(searched: number): string {
  const soFar = searched > 0 ? `: ${plural(searched, 'session')} so far` : ''
  return `Searching for the session in the trace export${soFar}…`
}

/** Returns why the trace export does not contain a session, and what to do; undefined if it does. */
function untraced({ messages, isWhole, searched }: FoundTrace): { why: string; next: string } | undefined {
  if (messages) return undefined
  return isWhole
    ? { why: 'The trace export does not contain this session.', next: 'It contains sessions once they have ended.' }
    : {
        why: `The session is not among the first ${plural(searched, 'session')} of the trace export.`,
        next: 'The export goes from the oldest to the newest; refresh to read further.',
      }
}
