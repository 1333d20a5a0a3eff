import { useMemo } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { UserTestingSession } from '../../api/contract/user-testing-sessions.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { formatAgo, formatCount } from '../../tui/theme/format.ts'
import { fieldLines } from '../../components/lines.ts'
import { List } from '../../components/list/list.tsx'
import { BelowCut } from '../../components/list/read-on.tsx'
import { useList } from '../../components/list/use-list.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { messageRows } from '../../components/transcript/messages.ts'
import { Transcript } from '../../components/transcript/transcript.tsx'
import { lineSection } from '../../components/viewer/sections.ts'
import { useApiPages } from '../../hooks/use-api-pages.ts'
import { useVisitorTranscript, type VisitorTranscript } from '../../hooks/use-visitor-transcript.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { visitsKeys } from './bindings.ts'
import { visitColumns, visitKey, visitorLabel } from './columns.ts'
import type { TabProps } from './tab.ts'
import { useLookAgain } from './use-scenarios.ts'

const EMPTY = { why: 'No visitor has opened a session yet.', next: 'Hand its link over; who enters shows here.' }
const NO_VISITS: never[] = []

/** The visitors of a scenario, or what one of them said. */
export function Sessions(props: TabProps) {
  const { sessionId } = usePlace().params
  return sessionId === undefined ? <Visits {...props} /> : <Visit {...props} sessionId={sessionId} />
}

function Visits(props: TabProps) {
  const { queries } = useWorkspace()
  const router = useRouter()
  const pages = useApiPages(queries.userTestingSessions.list.infinite(props.input), useLookAgain())
  const list = useList({ items: pages.items ?? NO_VISITS, keyOf: visitKey, columns: visitColumns })
  const some = list.items.length > 0
  useBindings(
    visitsKeys,
    {
      read: some
        ? () => router.replace({ sessionId: list.choose()?.id, pane: 'detail' })
        : unavailable('There is no session to read.'),
    },
    { active: props.focused },
  )
  return (
    <PaneState
      data={pages}
      loading="Reading the sessions…"
      empty={list.total === 0 && !pages.hasMore ? EMPTY : undefined}
    >
      <BelowCut pages={pages} count={list.total} noun="session" focused={props.focused} always>
        <List list={list} focused={props.focused} empty={EMPTY.why} goesOn={pages.hasMore} />
      </BelowCut>
    </PaneState>
  )
}

function Visit(props: TabProps & { sessionId: string }) {
  const { sessionId } = props
  const { queries } = useWorkspace()
  const transcript = useVisitorTranscript({ ...props.input, sessionId })
  const visits = useApiPages(queries.userTestingSessions.list.infinite(props.input), false)
  const visit = visits.items?.find(({ id }) => id === sessionId)
  const whole = transcript.data
  const rows = useMemo(() => messageRows(whole?.messages ?? [], sessionId), [whole, sessionId])
  const before = useMemo(
    () => (whole ? [lineSection('visit', 'Session', visitLines(whole, visit))] : []),
    [whole, visit],
  )
  if (whole?.detail.transcriptUnavailable)
    return <Sentence tone="warn" text="The service has this session, but cannot read what was said in it." />
  return (
    <PaneState data={transcript} loading="Reading what was said…">
      <Transcript rows={rows} before={before} focused={props.focused} />
    </PaneState>
  )
}

function since(time: Parameters<typeof toEpochMs>[0]): string {
  return formatAgo(toEpochMs(time), serviceNow())
}

function visitLines({ detail, isWhole }: VisitorTranscript, visit: UserTestingSession | undefined) {
  const { feedback } = visit ?? {}
  const stars = feedback?.rating == null ? undefined : `${feedback.rating} of 5`
  return [
    ...fieldLines([
      ['Visitor', visit?.visitor?.displayName],
      ['Who', visit && visitorLabel(visit)],
      ['Began', since(detail.startedAt)],
      ['Last seen', since(detail.lastActivityAt)],
      ['Model', detail.modelId],
      ['Messages', formatCount(detail.messageCount)],
      ['Feedback', [stars, feedback?.comment].filter(Boolean).join(': ')],
    ]),
    ...(visit?.authInterrupted ? [{ text: 'They left at the login of a server.', tone: 'warn' as const }] : []),
    ...(isWhole ? [] : [{ text: 'Only its beginning was read.', tone: 'warn' as const }]),
    '',
  ]
}
