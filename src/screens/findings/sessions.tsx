import { Box } from 'ink'
import { useMemo, type ReactNode } from 'react'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { UserTestingSession } from '../../api/contract/user-testing.ts'
import { showsFinding } from '../../domain/findings/shows.ts'
import { scorecardLabel } from '../../domain/findings/waves.ts'
import { UNKNOWN } from '../../lib/format.ts'
import { wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { List } from '../../components/list/list.tsx'
import { BelowCut } from '../../components/list/read-on.tsx'
import { useReadAhead } from '../../hooks/use-whole-list.ts'
import { useList } from '../../components/list/use-list.ts'
import { useRestedIndex } from '../../components/list/use-rested-index.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useApiPages, type ApiPages } from '../../hooks/use-api-pages.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { runSession, sessionColumns, type SessionRow } from '../../components/conversations/session-row.ts'
import { RunSession, VisitorSession } from '../../components/conversations/session.tsx'
import { evidenceColumn, type FindingRow, sessionKey } from './columns.ts'
import { useBehindPlace, useOpener, type BehindProps } from './use-behind-place.ts'

type Evidence = { evidence: ReadonlySet<string> }

/** The scorecard of an ended run does not change. */
const RESTING = { staleTime: 30_000, refetchInterval: false } as const
/** Number of rows left below the selected one at which the next page is read. */
const READ_AHEAD = 20
/** Sorts sessions that show the problem first, and otherwise keeps the service's order. */
const EVIDENCE_FIRST = { column: 'evidence', descending: true }

function visitorSession(session: UserTestingSession): SessionRow {
  const { visitor } = session
  const ids = [session.id, ...(session.chatSessionId == null ? [] : [session.chatSessionId])]
  return {
    id: session.id,
    ids,
    outcome: undefined,
    who: visitor?.displayName ?? visitor?.authType ?? undefined,
    messages: session.messageCount ?? undefined,
    preview: visitorWords(session),
    goal: undefined,
    at: toEpochMs(session.startedAt),
    shows: undefined,
    record: session,
  }
}

/** Returns the sessions, marked with whether they show the finding. */
function withMarks(
  row: FindingRow,
  sessions: readonly SessionRow[],
  known: Parameters<typeof showsFinding>[2],
): SessionRow[] {
  return sessions.map(session => ({ ...session, shows: showsFinding(row, session, known) }))
}

/**
 * Summarizes what sets the session of a visitor apart: that it was interrupted, or its feedback, or its first message.
 */
function visitorWords({ authInterrupted, feedback, preview }: UserTestingSession): string | undefined {
  if (authInterrupted) return 'left at the login of a server'
  if (feedback?.comment) return `${feedback.rating ?? UNKNOWN}/5 “${feedback.comment}”`
  return preview ?? undefined
}

export function RunSessions(props: BehindProps & Evidence & { runId: string }) {
  const { projectId, runId, evidence } = props
  const { queries } = useWorkspace()
  const scorecard = useApiQuery({
    ...queries.journeyRuns.scorecard.options({ projectId, runId }),
    enabled: props.row.subject.kind === 'criterion',
    ...RESTING,
  })
  const pages = useApiPages(queries.journeyRuns.sessions.infinite({ projectId, runId }), false)
  const rows = useMemo(
    () => withMarks(props.row, (pages.items ?? []).map(runSession), { evidence, scorecard: scorecard.data }),
    [props.row, pages.items, evidence, scorecard.data],
  )
  return (
    <Sessions
      {...props}
      pages={pages}
      rows={rows}
      note={scorecardLabel(props.row, scorecard.data)}
      hasOutcome
      empty={{ why: 'This run left no sessions.', next: 'None of its attempts reached a conversation.' }}
      render={row => <RunSession key={row.id} projectId={projectId} row={row} focused={props.focused} />}
    />
  )
}

/** Lists the sessions of a scenario's visitors. */
export function ScenarioSessions(props: BehindProps & Evidence & { scenarioId: string }) {
  const { projectId, scenarioId, evidence } = props
  const { queries } = useWorkspace()
  const pages = useApiPages(queries.userTestingSessions.list.infinite({ projectId, scenarioId }), false)
  const rows = useMemo(
    () => withMarks(props.row, (pages.items ?? []).map(visitorSession), { evidence }),
    [props.row, pages.items, evidence],
  )
  return (
    <Sessions
      {...props}
      pages={pages}
      rows={rows}
      note={undefined}
      hasOutcome={false}
      empty={{ why: 'No visitor has opened a session.', next: 'Sessions appear with the first visitor.' }}
      render={row => (
        <VisitorSession key={row.id} projectId={projectId} scenarioId={scenarioId} row={row} focused={props.focused} />
      )}
    />
  )
}

function Sessions(
  props: BehindProps & {
    pages: ApiPages<unknown>
    rows: readonly SessionRow[]
    /** A note about all sessions together. */
    note: string | undefined
    hasOutcome: boolean
    empty: { why: string; next: string }
    render: (row: SessionRow) => ReactNode
  },
) {
  const { pages, rows, empty, focused } = props
  const place = useBehindPlace(props.row)
  const { symbols } = useTheme()
  const { hasOutcome, note } = props
  const { width, height } = useSize()
  const hasGoal = rows.some(({ goal }) => goal !== undefined)
  const columns = useMemo(
    () => [evidenceColumn(symbols), ...sessionColumns(symbols, { outcome: hasOutcome, goal: hasGoal })],
    [symbols, hasOutcome, hasGoal],
  )
  const list = useList({
    items: rows,
    keyOf: sessionKey,
    columns,
    initialKey: place.sessionId,
    initialSorting: EVIDENCE_FIRST,
  })
  const isNear = useRestedIndex(list.selection) + READ_AHEAD >= rows.length
  useReadAhead(pages, isNear)
  const open = place.sessionId === undefined ? undefined : rows.find(({ id }) => id === place.sessionId)
  useOpener(props.onOpen, open || rows.length === 0 ? undefined : () => place.go({ sessionId: list.choose()?.id }))
  if (open) return props.render(open)
  const above = note === undefined ? 0 : wrap(note, Math.max(1, width - 2)).length
  return (
    <Box flexDirection="column" width={width} height={height}>
      {note !== undefined && <Sentence tone="plain" text={note} />}
      <SizeProvider width={width} height={Math.max(1, height - above)} top={above}>
        <PaneState
          data={pages}
          loading="Reading the sessions…"
          empty={rows.length === 0 && !pages.hasMore ? empty : undefined}
        >
          <BelowCut pages={pages} count={rows.length} noun="session" focused={focused}>
            <List list={list} focused={focused} empty={empty.why} goesOn={pages.hasMore} />
          </BelowCut>
        </PaneState>
      </SizeProvider>
    </Box>
  )
}
