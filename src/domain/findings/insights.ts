import { ActionableFinding, InsightsEnvelope } from '../../api/contract/insight-shapes.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { ScenarioWindowInsights } from '../../api/contract/user-testing.ts'
import type { WaveInsights } from '../../api/contract/wave-insights.ts'
import { textAt, type Finding } from './finding.ts'
import { isPlainObject } from '../../lib/json.ts'

/** Insights of a wave or a window, in one format for both reads. */
export type InsightsRead = {
  /** `never` means that they were never requested, which the service reports by a 404. */
  status: string
  envelope: Partial<InsightsEnvelope>
  findings: readonly ActionableFinding[]
  discovery: Readonly<Record<string, unknown>> | undefined
  error: { code: string; message: string } | undefined
  /** Epoch milliseconds. */
  updatedAt: number | undefined
}

export const NEVER_ASKED: InsightsRead = {
  status: 'never',
  envelope: {},
  findings: [],
  discovery: undefined,
  error: undefined,
  updatedAt: undefined,
}

export function waveInsightsRead(answer: WaveInsights): InsightsRead {
  const { status, insights, discovery, errorCode, errorMessage, updatedAt } = answer
  return {
    ...documentOf(insights ?? {}),
    status,
    discovery: discovery ?? undefined,
    error: errorCode == null ? undefined : { code: errorCode, message: errorMessage ?? '' },
    updatedAt: toEpochMs(updatedAt),
  }
}

/**
 * Converts the insights of a window. The contract does not define this document. Without a readable status it counts as
 * complete.
 */
export function windowInsightsRead(answer: ScenarioWindowInsights): InsightsRead {
  const { envelope, findings } = documentOf(answer)
  const status = textAt(answer, 'status') ?? 'completed'
  return {
    envelope,
    findings,
    status: status === 'not_requested' || status === 'not_available' ? 'never' : status,
    discovery: isPlainObject(answer['discovery']) ? answer['discovery'] : undefined,
    error: envelope.error ?? undefined,
    updatedAt: toEpochMs(envelope.updatedAt),
  }
}

/** Returns the readable parts of a document, without parts in an unexpected format. */
function documentOf(document: Readonly<Record<string, unknown>>) {
  const parts = Object.entries(InsightsEnvelope().shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(document[name])
    return name !== 'findings' && parsed.success && parsed.data != null ? [[name, parsed.data]] : []
  })
  const envelope = Object.fromEntries(parts) as Partial<InsightsEnvelope>
  const returned: readonly unknown[] = Array.isArray(document['findings']) ? document['findings'] : []
  const findings = returned.flatMap(each => ActionableFinding().safeParse(each).data ?? [])
  return { envelope, findings }
}

/** Milliseconds to wait for a late discovery after the rest is complete. */
const DISCOVERY_MS = 60_000

/** Whether more results are to come. An unknown status counts as in flight. */
export function isGenerating(read: InsightsRead, now: number): boolean {
  if (read.status === 'completed')
    return (
      read.envelope.runHealth != null &&
      read.discovery === undefined &&
      read.updatedAt !== undefined &&
      now - read.updatedAt < DISCOVERY_MS
    )
  return read.status !== 'never' && read.status !== 'failed'
}

export function adviceOn(read: InsightsRead | undefined, finding: Finding): ActionableFinding | undefined {
  const { fingerprint, id, record } = finding
  const ids = [id, textAt(record, 'remediationId')].filter(each => each !== undefined)
  return read?.findings.find(
    each => (fingerprint !== undefined && each.signalFingerprint === fingerprint) || ids.includes(each.id),
  )
}

/** Severities in order, the highest first. */
export const SEVERITIES: readonly string[] = ['high', 'medium', 'low', 'info']

function bySeverity(a: ActionableFinding, b: ActionableFinding): number {
  const rank = ({ severity }: ActionableFinding): number => {
    const at = SEVERITIES.indexOf(severity ?? '')
    return at === -1 ? SEVERITIES.length : at
  }
  return rank(a) - rank(b)
}

/** Returns a text such as `3 of 9 sessions`; undefined if they were not counted. */
export function affectedLabel({ affected }: ActionableFinding): string | undefined {
  if (affected?.count == null) return undefined
  const of = affected.total == null ? '' : ` of ${affected.total}`
  return `${affected.count}${of} ${affected.unit ?? 'affected'}`
}

/** Turns a value into words: `agent_or_prompt` becomes `agent or prompt`. */
export function valueLabel(value: string): string {
  return value.replaceAll(/[_-]+/g, ' ')
}

/**
 * Returns completed insights as Markdown, most severe finding first. Coverage comes before the conclusions based on it.
 */
export function insightsMarkdown(read: InsightsRead): string {
  const { envelope, findings, discovery } = read
  const parts = [
    envelope.summary ?? '*No summary was given.*',
    coverageLine(envelope),
    ...findings.toSorted(bySeverity).map(findingPart),
    findings.length === 0 ? '*No actionable findings.*' : undefined,
    healthPart(envelope),
    discovery && discoveryPart(discovery),
    omittedLine(envelope),
  ]
  return parts.filter(part => part !== undefined).join('\n\n')
}

function coverageLine({ coverage }: InsightsRead['envelope']): string | undefined {
  if (!coverage) return undefined
  const { analyzed, total, unit, gradedCount, feedbackCount, truncated, lowConfidence } = coverage
  const facts = [
    analyzed != null && `${analyzed}${total == null ? '' : ` of ${total}`} ${unit ?? ''} analyzed`.trim(),
    gradedCount != null && `${gradedCount} graded`,
    feedbackCount != null && `${feedbackCount} with feedback`,
    truncated && 'cut off',
    lowConfidence && 'too few to be certain',
  ].filter(Boolean)
  return facts.length > 0 ? `**Coverage:** ${facts.join(', ')}` : undefined
}

function findingPart(finding: ActionableFinding): string {
  const { title, observed, rootCause, recommendation, acceptanceCriteria, evidence } = finding
  const facts = [
    finding.severity && `severity ${finding.severity}`,
    finding.confidence && `confidence ${finding.confidence}`,
    finding.attribution && valueLabel(finding.attribution),
    finding.actionability && valueLabel(finding.actionability),
    affectedLabel(finding),
  ].filter(Boolean)
  const criteria = (acceptanceCriteria ?? []).map(each => `- ${oneLine(each)}`).join('\n')
  const quotes = (evidence ?? []).flatMap(({ excerpt }) => (excerpt ? `> ${oneLine(excerpt)}` : []))
  return [
    `## ${oneLine(title)}`,
    facts.length > 0 ? `**${facts.join(' · ')}**` : undefined,
    observed && `**Observed:** ${observed}`,
    rootCause && `**Root cause (a model's):** ${rootCause}`,
    recommendation && `**Recommendation:** ${recommendation}`,
    criteria && `**Done when:**\n\n${criteria}`,
    quotes.length > 0 ? quotes.join('\n>\n') : undefined,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function healthPart({ runHealth }: InsightsRead['envelope']): string | undefined {
  const targets = runHealth?.targets ?? []
  if (targets.length === 0) return undefined
  const count = (value: number | null | undefined): string => (value == null ? '—' : String(value))
  const rows = targets.map(target => {
    const { subjectLabel, subjectId, attempted, succeeded, failed, rateLimited } = target
    const name = oneLine(subjectLabel ?? subjectId).replaceAll('|', '\\|')
    return `| ${name} | ${[attempted, succeeded, failed, rateLimited].map(count).join(' | ')} |`
  })
  const head = '| Target | Sessions | Succeeded | Failed | Throttled |\n|---|---:|---:|---:|---:|'
  return `## Sessions by target\n\n${head}\n${rows.join('\n')}`
}

/** Formats the `discovery`, which the contract does not define: its summary as text, all other fields as JSON. */
function discoveryPart(discovery: Readonly<Record<string, unknown>>): string {
  const { summary, ...rest } = discovery
  const words = typeof summary === 'string' ? `${summary}\n\n` : ''
  const value = Object.keys(rest).length === 0 ? '' : `\`\`\`json\n${JSON.stringify(rest, null, 2)}\n\`\`\``
  return `## Further fields\n\n${words}${value}`.trimEnd()
}

function omittedLine({ truncation }: InsightsRead['envelope']): string | undefined {
  const { omittedFindings = 0, omittedEvidence = 0 } = truncation ?? {}
  if (!omittedFindings && !omittedEvidence) return undefined
  return `*Left out: ${omittedFindings ?? 0} findings, ${omittedEvidence ?? 0} pieces of evidence.*`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
