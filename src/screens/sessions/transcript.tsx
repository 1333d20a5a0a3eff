import { queryOptions } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { JourneyRunSession } from '../../api/contract/journey-runs.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import type { SessionSummary } from '../../api/contract/sessions.ts'
import { BelowNotices } from '../../components/below-notices.tsx'
import type { DetailProps } from '../../components/collection/collection-screen.tsx'
import { RunSession } from '../../components/conversations/session.tsx'
import { runSession } from '../../components/conversations/session-row.ts'
import { chatRow } from '../../components/conversations/use-chat.tsx'
import { Empty, PaneState, Sentence, type PaneData } from '../../components/pane-state.tsx'
import { messageRows } from '../../components/transcript/messages.ts'
import { isError, type Trace, type TraceNode } from '../../components/transcript/trace-nodes.ts'
import { traceOf } from '../../components/transcript/trace-document.ts'
import { TraceTree } from '../../components/transcript/trace-tree.tsx'
import { Transcript } from '../../components/transcript/transcript.tsx'
import { useApiQuery, useLiveQuery } from '../../hooks/use-api-query.ts'
import { useVisitorTranscript } from '../../hooks/use-visitor-transcript.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { linesNode } from '../../components/viewer/sections.ts'
import type { Line } from '../../components/viewer.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'

/** Data of ended runs never changes again, such as the trace of a trial. */
const FINAL = { staleTime: Infinity, refetchInterval: false } as const
const LOADING = 'Reading the transcript…'

/** Shows the messages and calls of a session, read by the operation for its source, or that there is none. */
export function SessionTranscript(props: DetailProps<SessionSummary>) {
  const { sourceType, parentRef } = props.row
  const { profile } = useWorkspace()
  const { suiteRunId, iterationId, scenarioId } = parentRef ?? {}
  if (suiteRunId && iterationId) return <Trial {...props} runId={suiteRunId} iterationId={iterationId} />
  if (scenarioId) return <Visit {...props} scenarioId={scenarioId} />
  if (sourceType === 'swarm') return <Journey {...props} />
  if (sourceType === 'direct' && profile.local) return <Chat {...props} />
  const what = sourceType === 'direct' ? 'a chat' : 'this session'
  return (
    <Empty
      why={`This service’s API does not offer the transcript of ${what}.`}
      next="Where it came from may show more."
    />
  )
}

type SessionProps = DetailProps<SessionSummary>

type TrialProps = SessionProps & { runId: string; iterationId: string }

function Trial(props: TrialProps) {
  const { projectId, runId } = props
  const { queries } = useWorkspace()
  const run = useLiveQuery(queries.runs.get.options({ projectId, runId }), {
    isLive: ({ status }) => !isTerminalRunStatus(status),
    requests: 1,
  })
  const status = run.data?.status ?? ''
  return (
    <PaneState data={run} loading={LOADING}>
      {isTerminalRunStatus(status) ? (
        <EndedTrial {...props} />
      ) : (
        <Sentence tone="muted" text="The transcript appears when the run ends." />
      )}
    </PaneState>
  )
}

function EndedTrial({ projectId, runId, iterationId, focused }: TrialProps) {
  const { queries } = useWorkspace()
  const trace = useApiQuery({ ...queries.iterations.trace.options({ projectId, runId, iterationId }), ...FINAL })
  const recorded = useMemo(() => traceOf(trace.data, []), [trace.data])
  const { symbols } = useTheme()
  const before = useMemo(() => [linesNode('outcome', outcomeLines(recorded, symbols))], [recorded, symbols])
  const isBlank = trace.hasData && recorded.nodes.length + recorded.messages.length === 0
  return (
    <PaneState
      data={trace}
      loading={LOADING}
      empty={isBlank ? { why: 'Nothing was recorded of this trial.', next: 'Its run says why.' } : undefined}
    >
      <TraceTree trace={recorded} before={before} focused={focused} />
    </PaneState>
  )
}

/** Returns the first failure in the trace; the verdict itself belongs to the run. */
function outcomeLines(trace: Trace, symbols: Symbols): Line[] {
  const wrong = firstError(trace.nodes)
  if (!wrong) return [{ text: 'No recorded step failed; its run has the verdict.', tone: 'muted' }, '']
  const { name, reason = wrong.call?.error } = wrong
  return [{ text: `${symbols.error} ${name} failed${reason === undefined ? '' : `: ${reason}`}`, tone: 'error' }, '']
}

/** Returns the innermost part that failed first, in the order of the trace. */
function firstError(nodes: readonly TraceNode[]): TraceNode | undefined {
  for (const node of nodes) {
    const inner = firstError(node.children)
    if (inner) return inner
    if (isError(node)) return node
  }
  return undefined
}

function Visit({ projectId, scenarioId, row, focused }: SessionProps & { scenarioId: string }) {
  const transcript = useVisitorTranscript({ projectId, scenarioId, sessionId: row.id })
  const { detail, messages, isWhole } = transcript.data ?? {}
  if (detail?.transcriptUnavailable || (detail && detail.messageCount === null))
    return <Sentence tone="warn" text="The service has this session, but cannot read its transcript." />
  const notice = isWhole === false ? 'Only its beginning was read.' : undefined
  return <Said data={transcript} id={row.id} messages={messages} notice={notice} focused={focused} />
}

function Chat({ projectId, row, focused }: SessionProps) {
  const { queries } = useWorkspace()
  const chat = useApiQuery(queries.chats.get.options({ projectId, sessionId: row.id }))
  const rows = useMemo(() => (chat.data?.messages ?? []).map(chatRow), [chat.data])
  return (
    <PaneState data={chat} loading={LOADING}>
      <Transcript rows={rows} focused={focused} />
    </PaneState>
  )
}

/** The result of a journey's session is in the list of its run; the transcript is shown without it too. */
function Journey({ projectId, row, focused }: SessionProps) {
  const { client } = useWorkspace()
  const runId = row.parentRef?.journeyRunId
  const ofRun = useLiveQuery(
    {
      ...queryOptions<JourneyRunSession | null, ApiError>({
        queryKey: ['journeyRuns', 'sessions', { projectId, runId }, 'one', row.id],
        async queryFn({ signal }) {
          const input = { projectId, runId: runId ?? '' }
          for await (const { items } of client.pages(contract.journeyRuns.sessions, input, { signal, ...READ })) {
            const found = items.find(({ id }) => id === row.id)
            if (found) return found
          }
          return null
        },
      }),
      enabled: runId != null,
      ...FINAL,
    },
    { isLive: session => session?.outcome === 'pending' || session?.outcome === 'running', requests: 1 },
  )
  const session = useMemo(() => {
    const { id, chatSessionId, messageCount } = row
    return runSession(ofRun.data ?? { id, chatSessionId, messageCount })
  }, [ofRun.data, row])
  return <RunSession projectId={projectId} row={session} focused={focused} />
}

const READ = { priority: 'visible' } as const

function Said(props: {
  data: PaneData
  id: string
  messages: readonly unknown[] | undefined
  notice: string | undefined
  focused: boolean
}) {
  const { id, messages, notice } = props
  const rows = useMemo(() => messageRows(messages ?? [], id), [messages, id])
  return (
    <PaneState data={props.data} loading={LOADING}>
      <BelowNotices notices={notice === undefined ? [] : [notice]}>
        <Transcript rows={rows} focused={props.focused} />
      </BelowNotices>
    </PaneState>
  )
}
