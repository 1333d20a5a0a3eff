import { useMemo, type ReactNode } from 'react'
import { valueLabel } from '../../domain/findings/insights.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { plural } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { Empty, PaneState, Sentence } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { findingsRoute } from '../findings/route.ts'
import { visitFindingsKeys } from './bindings.ts'
import { documentLines } from './open-lines.ts'
import type { TabProps } from './tab.ts'
import { isPlainObject } from '../../lib/json.ts'

const NOBODY = { why: 'No visitor has opened a session yet.', next: 'Figures appear with the first one.' }

/** What the feature gates, while it is on; otherwise the sentence that helps, and nothing is asked for. */
export function Gated(props: { closed: string | undefined; children: ReactNode }) {
  const { profile } = useWorkspace()
  if (props.closed === undefined) return props.children
  return (
    <>
      <Sentence tone="warn" text={props.closed} />
      <Sentence tone="muted" text={openGateSentence(profile.local)} />
    </>
  )
}

/** What to do about a gate that is closed. */
export function openGateSentence(isLocal: boolean): string {
  const how = isLocal
    ? 'Here it is switched on by: mcpdeck serve gate user-testing on.'
    : 'An owner of the organization can have it switched on.'
  return `${how} Unpublishing still works.`
}

/** Whether the numbers cover everything, as the document says of itself. */
export function scanLines(document: Readonly<Record<string, unknown>>): Line[] {
  const scan = isPlainObject(document['scan']) ? document['scan'] : undefined
  const { sessions, totalSessions } = scan ?? {}
  if (scan?.['truncated'] === true) {
    const part =
      typeof sessions === 'number' && typeof totalSessions === 'number'
        ? `the newest ${sessions} of ${totalSessions} sessions`
        : 'recent sessions'
    return [{ text: `! These numbers cover ${part} only.`, tone: 'warn' }, '']
  }
  if (scan?.['truncated'] === false) return [{ text: 'These numbers cover all sessions.', tone: 'muted' }, '']
  return [{ text: 'The service does not report whether these numbers cover all sessions.', tone: 'muted' }, '']
}

/** An open document in its five states; not found means that nobody came yet. */
function OpenDocument(props: {
  query: ApiQuery<Readonly<Record<string, unknown>>>
  loading: string
  focused: boolean
  before?: (document: Readonly<Record<string, unknown>>) => Line[]
}) {
  const { query, before } = props
  const lines = useMemo(() => {
    if (!query.data) return []
    const { scan: _scan, ...rest } = query.data
    return [...(before?.(query.data) ?? []), ...documentLines(before ? rest : query.data, serviceNow())]
  }, [query.data, before])
  if (query.error?.status === 404 && !query.hasData) return <Empty {...NOBODY} />
  return (
    <PaneState data={query} loading={props.loading}>
      <Viewer lines={lines} focused={props.focused} />
    </PaneState>
  )
}

export function Metrics(props: TabProps) {
  const { queries } = useWorkspace()
  const query = useApiQuery(queries.userTestingInsights.metrics.options(props.input))
  return <OpenDocument query={query} loading="Reading the metrics…" focused={props.focused} before={scanLines} />
}

export function Usage(props: TabProps) {
  const { queries } = useWorkspace()
  const query = useApiQuery(queries.userTestingInsights.usage.options(props.input))
  return <OpenDocument query={query} loading="Reading the usage…" focused={props.focused} before={scanLines} />
}

export function Signals(props: TabProps) {
  const { queries } = useWorkspace()
  const query = useApiQuery(queries.userTestingInsights.signals.options(props.input))
  return <OpenDocument query={query} loading="Reading the signals…" focused={props.focused} />
}

const NO_FINDINGS = {
  why: 'The windows of this scenario have no findings.',
  next: 'Findings are made from signals when a window of sessions is analyzed.',
}

/** Findings over the scenario's own windows; triage is the findings screen's. */
export function Findings(props: TabProps) {
  const { queries } = useWorkspace()
  const { symbols } = useTheme()
  const router = useRouter()
  useBindings(
    visitFindingsKeys,
    { triage: () => router.go(findingsRoute.to({ projectId: props.input.projectId, source: 'scenario' })) },
    { active: props.focused },
  )
  const query = useApiQuery(queries.userTestingFindings.list.options(props.input))
  const lines = useMemo(
    () => (query.data?.items ?? []).flatMap(finding => findingLines(finding, symbols.bullet)),
    [query.data, symbols],
  )
  return (
    <PaneState
      data={query}
      loading="Reading the findings…"
      empty={query.data?.items.length === 0 ? NO_FINDINGS : undefined}
    >
      <Viewer lines={lines} focused={props.focused} />
    </PaneState>
  )
}

/** `regressed · repeated question · 3 times` below its title, as far as the open document says. */
export function findingLines(finding: Readonly<Record<string, unknown>>, bullet: string): Line[] {
  const text = (name: string): string | undefined => {
    const value = finding[name]
    return typeof value === 'string' ? value : undefined
  }
  const count = finding['occurrenceCount'] ?? finding['occurrences']
  const dimension = text('dimension')
  const dismissed = finding['dismissedAt'] != null
  const parts = [
    text('status'),
    dismissed ? 'dismissed' : undefined,
    dimension && valueLabel(dimension),
    typeof count === 'number' ? plural(count, 'time') : undefined,
  ]
  return [
    { text: text('title') ?? text('id') ?? 'A finding', tone: dismissed ? 'muted' : 'plain' },
    { text: parts.filter(Boolean).join(` ${bullet} `), tone: 'muted', indent: 2 },
  ]
}
