import { utcTime } from '../../lib/times.ts'
import { findingName } from '../../domain/findings/finding.ts'
import { adviceOn, affectedLabel, valueLabel } from '../../domain/findings/insights.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { formatAgo, plural, UNKNOWN } from '../../lib/format.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme } from '../../tui/theme/theme.ts'
import { heading, recordView, type Field } from '../../components/lines.ts'
import { Viewer, type Line } from '../../components/viewer.tsx'
import type { Span } from '../../components/viewer/source.ts'
import { findingsKeys } from './bindings.ts'
import type { FindingRow } from './columns.ts'
import { severityTone } from './status.ts'
import type { BehindProps } from './use-behind-place.ts'
import type { Insights } from './use-insights.ts'
import { useLastSeen } from './use-last-seen.ts'

/** Returns the age and date, since a finding may be weeks old. */
function when(at: number | undefined): string {
  if (at === undefined) return UNKNOWN
  return `${formatAgo(at, serviceNow())} (${utcTime(at, 'minutes')})`
}

/** Returns the severity in one line, `severity high · 3 of 9 sessions`; the status is in the edge of the pane. */
function graveLines(row: FindingRow, advice: ReturnType<typeof adviceOn>, { symbols }: Theme): Line[] {
  const severity = row.severity ?? advice?.severity ?? undefined
  const affected = advice && affectedLabel(advice)
  const spans: Span[] = severity ? [{ text: `severity ${severity}`, tone: severityTone(severity) }] : []
  if (severity && affected) spans.push({ text: ` ${symbols.bullet} `, tone: 'muted' })
  if (affected) spans.push({ text: affected, tone: 'plain' })
  return spans.length === 0 ? [] : [{ spans }]
}

/** Returns the fields that a person needs about a finding besides what happened. */
function fields(row: FindingRow, advice: ReturnType<typeof adviceOn>, theme: Theme): Field[] {
  return [
    ...(row.refused === undefined
      ? []
      : [['Last try', `${theme.symbols.error} not taken: ${row.refused}`, 'error'] as const]),
    ...(row.isDismissed ? [['Dismissed', `${dismissedWhen(row)}${unresolvedWords(row)}`, 'warn'] as const] : []),
    ['Confidence', row.confidence ?? advice?.confidence],
    ['Seen in', row.occurrences === undefined ? undefined : plural(row.occurrences, countedIn(row))],
    ['First seen', when(row.firstSeenAt)],
    ['Last seen', when(row.lastSeenAt)],
    ...(row.resolvedAt === undefined ? [] : [['Resolved', when(row.resolvedAt)] as const]),
    ['Source', row.scenario ? `scenario ${row.scenario.name}` : 'swarm'],
    ['Dimension', row.dimension && valueLabel(row.dimension)],
  ]
}

function countedIn({ source }: FindingRow): string {
  return source === 'swarm' ? 'wave' : 'window'
}

function ids(row: FindingRow): Field[] {
  const { subject } = row
  return [
    // Usually the name already contains the label of the subject.
    ...(subject.label == null || subject.label === findingName(row) ? [] : [['Subject', subject.label] as const]),
    ['Kind', subject.kind],
    ...(row.isDismissed ? [] : [['Dismissed', 'no'] as const]),
    ['Updated', when(row.updatedAt)],
    [`Last ${countedIn(row)}`, row.lastSeenIn],
    ['Id', row.id],
    ['Subject id', subject.id],
    ['Fingerprint', row.fingerprint],
  ]
}

function dismissedWhen({ dismissedAt }: FindingRow): string {
  return dismissedAt === undefined ? 'as the service just answered' : when(dismissedAt)
}

/** Says that a dismissal is not a resolution, since the two are easily confused. */
function unresolvedWords({ status }: FindingRow): string {
  return status === 'resolved' ? '' : '; not resolved by that'
}

/** Shows what happened, where it was last seen, and what to do next; then everything else known of the finding. */
export function FindingOverview(props: BehindProps) {
  const { row, insights } = props
  const theme = useTheme()
  const key = useKeyName()
  const advice = adviceOn(insights.query.data, row)
  const seen = useLastSeen(props)
  const part = (title: string, text: string | null | undefined): Line[] =>
    text ? [heading(title), { text, indent: 2 }, ''] : []
  const happened = [advice?.observed ?? openText(row, 'summary', 'observed'), seen.happened].filter(Boolean)
  const todo = advice?.recommendation ?? openText(row, 'recommendation')
  const open = key(findingsKeys, 'open')
  const view = recordView(fields(row, advice, theme), ids(row))
  const lines: Line[] = [
    { text: findingName(row), tone: 'strong' },
    ...graveLines(row, advice, theme),
    '',
    heading('What happened'),
    ...happened.map(text => ({ text: text!, indent: 2 })),
    '',
    ...part('A failing session', seen.session),
    ...part('Root cause, by a model', advice?.rootCause ?? openText(row, 'rootCause')),
    heading('What to do next'),
    ...(todo ? [{ text: todo, indent: 2 }] : []),
    ...criteriaLines(advice?.acceptanceCriteria, theme),
    {
      text: `${open} shows ${row.scenario ? 'the sessions of its visitors' : 'its runs and their sessions'}.`,
      indent: 2,
    },
    ...(advice ? [] : adviceHint(insights, key(findingsKeys, 'insights'))),
    '',
    ...view.lines,
  ]
  return <Viewer lines={lines} rest={view.rest} focused={props.focused} />
}

function openText({ record }: FindingRow, ...names: string[]): string | undefined {
  return names.map(name => record[name]).find(value => typeof value === 'string')
}

function criteriaLines(criteria: readonly string[] | null | undefined, theme: Theme): Line[] {
  if (!criteria?.length) return []
  const bullet = theme.symbols.bullet
  return [
    { text: 'Done when', tone: 'muted', indent: 2 },
    ...criteria.map(text => ({ text: `${bullet} ${text}`, indent: 4 })),
  ]
}

/** Returns why there is no recommendation, and how to get one. */
function adviceHint({ query, target, isClosed }: Insights, key: string): Line[] {
  const muted = (text: string): Line[] => [{ text, tone: 'muted', indent: 2 }]
  if (isClosed) return muted('Recommendations come with insights, which are switched off for the organization.')
  if (target === undefined) return muted('The service names no wave for it, so insights cannot be requested.')
  if (query.problem) return muted(`No recommendation: the insights could not be read (${query.problem.title}).`)
  const about = `its last ${target.kind}`
  if (query.data?.status === 'never')
    return muted(`No insights for ${about} yet. Press ${key} to request them, with a recommendation.`)
  if (query.data?.status === 'completed') return muted(`The insights of ${about} say nothing about this finding.`)
  return query.data ? muted(`The insights of ${about} are ${query.data.status}.`) : []
}
