import { utcTime } from '../../lib/times.ts'
import { findingName } from '../../domain/findings/finding.ts'
import { adviceOn, affectedLabel, valueLabel } from '../../domain/findings/insights.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { formatAgo, plural, UNKNOWN } from '../../lib/format.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme } from '../../tui/theme/theme.ts'
import { fieldLines, heading, type Field } from '../../components/lines.ts'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { findingsKeys } from './bindings.ts'
import type { FindingRow } from './columns.ts'
import { severityTone, statusLook } from './status.ts'
import { targetLabel } from './insights-target.ts'
import type { Insights } from './use-insights.ts'

/** Age and date, since a finding may be weeks old. */
function when(at: number | undefined): string {
  if (at === undefined) return UNKNOWN
  return `${formatAgo(at, serviceNow())} (${utcTime(at, 'minutes')})`
}

function fields(row: FindingRow, advice: ReturnType<typeof adviceOn>, theme: Theme): Field[] {
  const look = statusLook(row.status)
  const isWave = row.source === 'swarm'
  const { subject } = row
  const severity = row.severity ?? advice?.severity ?? undefined
  return [
    ['Status', `${theme.symbols[look.symbol]} ${look.word}`, look.tone],
    ['Dismissed', row.isDismissed ? `yes, ${dismissedWhen(row)}` : 'no', row.isDismissed ? 'warn' : 'plain'],
    ...(row.refused === undefined
      ? []
      : [['Last try', `${theme.symbols.error} not taken: ${row.refused}`, 'error'] as const]),
    ['Source', row.scenario ? `scenario ${row.scenario.name}` : 'swarm'],
    // Its name says it already, mostly.
    ...(subject.label == null || subject.label === findingName(row) ? [] : [['Subject', subject.label] as const]),
    ['Kind', subject.kind],
    ['Dimension', row.dimension && valueLabel(row.dimension)],
    ['Severity', severity, severityTone(severity)],
    ['Confidence', row.confidence ?? advice?.confidence],
    ['Seen in', row.occurrences === undefined ? UNKNOWN : plural(row.occurrences, isWave ? 'wave' : 'window')],
    ['Affected', advice && affectedLabel(advice)],
    ['First seen', when(row.firstSeenAt)],
    ['Last seen', when(row.lastSeenAt)],
    [isWave ? 'Last wave' : 'Last window', row.lastSeenIn],
    ...(row.resolvedAt === undefined ? [] : [['Resolved', when(row.resolvedAt)] as const]),
    ['Updated', when(row.updatedAt)],
    ['Id', row.id],
    ['Subject id', subject.id],
    ['Fingerprint', row.fingerprint],
  ]
}

function dismissedWhen({ dismissedAt }: FindingRow): string {
  return dismissedAt === undefined ? 'as the service just answered' : when(dismissedAt)
}

/** What a status and a dismissal together mean, where that is easily misread. */
function markWords(row: FindingRow): string | undefined {
  if (!row.isDismissed) return undefined
  if (row.status === 'resolved') return 'It is resolved and also dismissed.'
  return `It is ${row.status ?? 'of unknown status'} and dismissed: dismissing hides it, but does not resolve it.`
}

/** What the finding is, how often, since when, and what to do about it where that is known. */
export function FindingOverview(props: { row: FindingRow; insights: Insights; focused: boolean }) {
  const { row, insights } = props
  const theme = useTheme()
  const key = useKeyName()
  const advice = adviceOn(insights.query.data, row)
  const mark = markWords(row)
  const words = (title: string, text: string | null | undefined): Line[] =>
    text ? ['', heading(title), { text, indent: 2 }] : []
  const lines: Line[] = [
    { text: findingName(row), tone: 'strong' },
    ...(mark === undefined ? [] : [{ text: mark, tone: 'muted' as const }]),
    '',
    ...fieldLines(fields(row, advice, theme)),
    ...words('Observed', advice?.observed ?? openText(row, 'summary', 'observed')),
    ...words('Root cause, by a model', advice?.rootCause ?? openText(row, 'rootCause')),
    ...words('Recommendation', advice?.recommendation ?? openText(row, 'recommendation')),
    ...criteriaLines(advice?.acceptanceCriteria, theme),
    ...(advice ? [] : adviceHint(insights, key(findingsKeys, 'insights'))),
  ]
  return <Viewer lines={lines} focused={props.focused} />
}

function openText({ record }: FindingRow, ...names: string[]): string | undefined {
  return names.map(name => record[name]).find(value => typeof value === 'string')
}

function criteriaLines(criteria: readonly string[] | null | undefined, theme: Theme): Line[] {
  if (!criteria?.length) return []
  const bullet = theme.symbols.bullet
  return ['', heading('Done when'), ...criteria.map(text => ({ text: `${bullet} ${text}`, indent: 2 }))]
}

/** Why there is no recommendation, and how one is had. */
function adviceHint({ query, target, isClosed }: Insights, key: string): Line[] {
  const muted = (text: string): Line[] => ['', { text, tone: 'muted' }]
  if (isClosed) return muted('Recommendations come with insights, which are switched off for the organization.')
  if (target === undefined) return muted('The service names no wave for it, so insights cannot be requested.')
  if (query.problem) return muted(`No recommendation: the insights could not be read (${query.problem.title}).`)
  const about = targetLabel(target)
  if (query.data?.status === 'never')
    return muted(`No insights for ${about} yet. Press ${key} to request them, with a recommendation.`)
  if (query.data?.status === 'completed') return muted(`The insights of ${about} say nothing about this finding.`)
  return query.data ? muted(`The insights of ${about} are ${query.data.status}.`) : []
}
