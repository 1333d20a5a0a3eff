import { Box, Text } from 'ink'
import { useMemo, useState, type ReactNode } from 'react'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { UserTestingSession } from '../../api/contract/user-testing.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { HOURS, hoursOf } from '../../domain/scenarios/hours.ts'
import { sparkline } from '../../tui/theme/charts.ts'
import { formatAgo, formatCount, plural } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { recordView, type Field } from '../../components/lines.ts'
import { useMouseArea } from '../../components/mouse-areas.tsx'
import { List } from '../../components/list/list.tsx'
import { BelowCut } from '../../components/list/read-on.tsx'
import { useChosen } from '../../components/list/use-chosen.ts'
import { noRow, useList, type ListState } from '../../components/list/use-list.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { messageRows } from '../../components/transcript/messages.ts'
import { Transcript } from '../../components/transcript/transcript.tsx'
import { lineSection } from '../../components/viewer/sections.ts'
import { useApiPages } from '../../hooks/use-api-pages.ts'
import { useVisitorTranscript, type VisitorTranscript } from '../../hooks/use-visitor-transcript.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { scenariosKeys, visitsKeys } from './bindings.ts'
import { visitColumns, visitKey, visitorLabel } from './columns.ts'
import type { TabProps } from './tab.ts'
import { useAccessRead } from './use-scenarios.ts'

const NO_VISITOR = 'No visitor has opened a session yet.'
const NO_VISITS: never[] = []

/** Shows the visitors of a scenario, or what one of them said. */
export function Sessions(props: TabProps) {
  const { sessionId } = usePlace().params
  return sessionId === undefined ? <Visits {...props} /> : <Visit {...props} sessionId={sessionId} />
}

function Visits(props: TabProps) {
  const { queries } = useWorkspace()
  const router = useRouter()
  const pages = useApiPages(queries.userTestingSessions.list.infinite(props.input), useAccessRead())
  const list = useList({ items: pages.items ?? NO_VISITS, keyOf: visitKey, columns: visitColumns })
  const copyLink = useKeyName()(scenariosKeys, 'copyLink')
  const empty = { why: NO_VISITOR, next: `Press ${copyLink} to copy its link and hand it over.` }
  const some = list.items.length > 0
  useBindings(
    visitsKeys,
    { read: some ? () => router.replace({ sessionId: list.choose()?.id, pane: 'detail' }) : noRow(list, 'session') },
    { active: props.focused },
  )
  return (
    <PaneState
      data={pages}
      loading="Reading the sessions…"
      empty={list.total === 0 && !pages.hasMore ? empty : undefined}
    >
      <BelowCut pages={pages} count={list.total} noun="session" focused={props.focused} always>
        <BelowHours visits={pages.items ?? NO_VISITS} isWhole={!pages.hasMore} list={list}>
          <List list={list} focused={props.focused} empty={NO_VISITOR} goesOn={pages.hasMore} />
        </BelowHours>
      </BelowCut>
    </PaneState>
  )
}

/** A pane with fewer rows gives all of them to the list. */
const HOURS_FROM = 14

/** Shows the last days in columns of an hour, if there is room. */
function BelowHours(props: HoursProps) {
  const { height } = useSize()
  return height < HOURS_FROM || props.visits.length === 0 ? props.children : <VisitHours {...props} />
}

/** Labels of both ends of the hours, if there is room. */
const BEGIN = ` ${HOURS}h ago `
const END = ' now'

type HoursProps = {
  visits: readonly UserTestingSession[]
  isWhole: boolean
  list: ListState<UserTestingSession>
  children: ReactNode
}

/** The hour under the mouse, or of the selected session, stands out and is described. */
function VisitHours(props: HoursProps) {
  const { visits, isWhole, list } = props
  const { width, height } = useSize()
  const theme = useTheme()
  const chosen = useChosen(list)
  const [hovered, setHovered] = useState<number>()
  const [before, after] = width < HOURS + BEGIN.length + END.length ? [' ', ''] : [BEGIN, END]
  useMouseArea({ hover: over => setHovered(over && over.column - before.length) }, { height: 1 })
  const times = visits.flatMap(({ startedAt }) => toEpochMs(startedAt) ?? [])
  const { counts, at } = hoursOf(times, serviceNow(), isWhole)
  const began = toEpochMs(chosen?.startedAt)
  const isOver = hovered !== undefined && hovered in counts
  const place = isOver ? hovered : began === undefined ? undefined : at(began)
  const most = counts.reduce<number>((largest, count = 0) => Math.max(largest, count), 0)
  const signs = [
    ...sparkline(
      theme.symbols,
      counts.map(count => count && count / most),
    ),
  ].map((sign, index) =>
    counts[index] === undefined ? theme.symbols.heat.unread : counts[index] === 0 ? theme.symbols.bullet : sign,
  )
  const all = counts.reduce<number>((sum, count = 0) => sum + count, 0)
  const which = isOver ? 'the hour under the mouse' : 'the chosen hour'
  const hour = place === undefined ? '' : `, ${formatCount(counts[place])} in ${which}`
  const busiest = most > 0 ? `, at most ${formatCount(most)} an hour` : ''
  // An inverse bar would look like an hour without sessions.
  const marked = place !== undefined && counts[place] ? 'strong' : 'cursor'
  const picture = signs.map((sign, index) => theme.paint(index === place ? marked : 'accent', sign)).join('')
  return (
    <Box flexDirection="column" width={width} height={height}>
      {signs.length > 0 && (
        <Text wrap="truncate">{theme.paint('muted', before) + picture + theme.paint('muted', after)}</Text>
      )}
      <Text wrap="truncate">{theme.paint('muted', ` ${plural(all, 'session')} in ${HOURS} h${busiest}${hour}`)}</Text>
      <SizeProvider width={width} height={height - 1 - Math.sign(signs.length)} top={1 + Math.sign(signs.length)}>
        {props.children}
      </SizeProvider>
    </Box>
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
  const view = useMemo(() => whole && visitView(whole, visit), [whole, visit])
  const before = useMemo(() => (view ? [lineSection('visit', 'Session', view.lines)] : []), [view])
  if (whole?.detail.transcriptUnavailable)
    return <Sentence tone="warn" text="The service has this session, but cannot read its transcript." />
  return (
    <PaneState data={transcript} loading="Reading the transcript…">
      <Transcript rows={rows} before={before} rest={view?.rest ?? []} focused={props.focused} />
    </PaneState>
  )
}

function since(time: Parameters<typeof toEpochMs>[0]): string {
  return formatAgo(toEpochMs(time), serviceNow())
}

function visitView({ detail, isWhole }: VisitorTranscript, visit: UserTestingSession | undefined) {
  const { feedback } = visit ?? {}
  const stars = feedback?.rating == null ? undefined : `${feedback.rating} of 5`
  const fields: Field[] = [
    ['Feedback', [stars, feedback?.comment].filter(Boolean).join(': ')],
    ['Visitor', visit?.visitor?.displayName],
    ['Who', visit && visitorLabel(visit)],
    ['Began', since(detail.startedAt)],
    ['Last seen', since(detail.lastActivityAt)],
    ['Model', detail.modelId],
    ['Messages', formatCount(detail.messageCount)],
  ]
  return recordView(
    fields,
    [['Id', detail.id]],
    [
      ...(visit?.authInterrupted ? [{ text: 'They left at the login of a server.', tone: 'warn' as const }] : []),
      ...(isWhole ? [] : [{ text: 'Only its beginning was read.', tone: 'warn' as const }]),
      '',
    ],
  )
}
