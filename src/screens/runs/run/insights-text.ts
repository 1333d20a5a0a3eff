import type { ActionableFinding, InsightsEnvelope } from '../../../api/contract/insight-shapes.ts'
import type { EvalRun } from '../../../api/contract/runs.ts'
import { toEpochMs } from '../../../api/contract/shapes.ts'
import { unitName } from '../../../domain/runs/counts.ts'
import { serviceNow } from '../../../api/client/transport/service-time.ts'
import { formatAgo, formatCount, plural, UNKNOWN } from '../../../lib/format.ts'
import { judgesOf, isUngraded, judgeState, type Judge } from '../../../domain/runs/judges.ts'

/** How to request what is missing, with the keys as bound. */
export type AskKeys = { insights: string; judge: string }

/** Insights and judges of a run as Markdown, which a model's text may contain too. */
export function insightsText(run: EvalRun, keys: AskKeys): string {
  const judges = judgesOf(run.judges)
  return [
    ...envelopeText(run.insights ?? undefined, keys),
    '# Judges',
    '',
    ...(judges.length > 0 ? judges.flatMap(judgeText) : ['No judge reported for this run.', '']),
    `A judge grades final answers and never changes the run's own result. ${keys.judge} requests goal completion.`,
  ].join('\n')
}

function envelopeText(insights: InsightsEnvelope | undefined, keys: AskKeys): string[] {
  return ['# Insights', '', ...stateText(insights, keys), '', ...findingsText(insights)]
}

/** Says the state of the insights; an absent state means `not_available` (schemas: InsightsEnvelope). */
function stateText(insights: InsightsEnvelope | undefined, { insights: key }: AskKeys): string[] {
  const { status = 'not_available', summary, error, retryable, reasonCode } = insights ?? {}
  const why = summary ?? error?.message ?? reasonCode?.replaceAll('_', ' ')
  switch (status) {
    case 'not_available':
      return ['**Not available** for this run.', ...(why ? ['', why] : [])]
    case 'not_requested':
      return [`**Not requested.** ${key} requests them; each request uses one of the day’s insights.`]
    case 'pending':
      return [
        '**Being generated…** They appear here when they are done; another request would use one more of the day.',
      ]
    case 'failed':
      return [
        '**Failed**: ' +
          ([error?.code, error?.message ?? reasonCode].filter(Boolean).join(': ') || 'no reason was given'),
        '',
        retryable ? `Another attempt may succeed: ${key} asks again.` : 'Another attempt would fail the same way.',
      ]
    case 'completed':
      return [...coverageText(insights!), '', summary ?? 'They have no summary.']
    default:
      return [`Their status is ${status}.`]
  }
}

/** Returns how much was analyzed, which belongs before the findings. */
function coverageText({ coverage, generatedAt, truncation }: InsightsEnvelope): string[] {
  const age = formatAgo(toEpochMs(generatedAt), serviceNow())
  const when = age === UNKNOWN ? 'at an unknown time' : age
  const unit = unitName(coverage?.unit ?? 'iterations')
  const parts = [
    coverage?.total != null && `Over ${formatCount(coverage.analyzed)} of ${formatCount(coverage.total)} ${unit}`,
    coverage?.gradedCount != null && `${formatCount(coverage.gradedCount)} of them graded`,
    `made ${when}`,
  ]
  const omitted = truncation?.omittedFindings ?? 0
  return [
    `*${parts.filter(Boolean).join(', ')}.*`,
    ...(coverage?.lowConfidence ? ['', '**Low confidence**: too little was analyzed to generalize.'] : []),
    ...(coverage?.truncated ? ['', 'Not everything was analyzed.'] : []),
    ...(omitted > 0 ? ['', `${plural(omitted, 'finding')} did not fit.`] : []),
  ]
}

function findingsText(insights: InsightsEnvelope | undefined): string[] {
  const findings = insights?.findings ?? []
  if (insights?.status !== 'completed') return []
  if (findings.length === 0) return ['Nothing was found.', '']
  return [`## ${plural(findings.length, 'finding')}`, '', ...findings.flatMap(findingText)]
}

function findingText(finding: ActionableFinding, index: number): string[] {
  const { title, severity, confidence, affected, attribution, observed, rootCause, recommendation } = finding
  const about = [
    severity && `severity ${severity}`,
    confidence && `confidence ${confidence}`,
    affected?.count != null &&
      `${formatCount(affected.count)} of ${formatCount(affected.total)} ${unitName(affected.unit ?? 'iterations')}`,
    attribution && `attributed to ${attribution.replaceAll('_', ' ')}`,
  ]
  const paragraph = (name: string, text: string | null | undefined) => (text ? [`**${name}** ${text}`, ''] : [])
  return [
    `### ${index + 1}. ${oneLine(title)}`,
    '',
    `*${about.filter(Boolean).join(', ')}*`,
    '',
    ...paragraph('Observed', observed),
    ...paragraph('Cause, by a model', rootCause),
    ...paragraph('Advice, by a model', recommendation),
    ...listText('Done when', finding.acceptanceCriteria ?? []),
    ...listText(
      'Evidence',
      (finding.evidence ?? []).map(({ kind, toolName, errorCode, excerpt }) =>
        [kind.replaceAll('_', ' '), toolName, errorCode, excerpt].filter(Boolean).join(': '),
      ),
    ),
  ]
}

function listText(name: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`**${name}**`, '', ...items.map(item => `- ${oneLine(item)}`), '']
}

function judgeText(judge: Judge): string[] {
  const ungraded = judge.cases.filter(isUngraded)
  const below = judge.cases.filter(each => !each.passed && !isUngraded(each))
  const others = judge.cases.filter(({ passed }) => passed)
  const about = [judge.modelUsed && `by ${judge.modelUsed}`, judge.threshold != null && `threshold ${judge.threshold}`]
  const suffix = about.filter(Boolean).join(', ')
  return [
    `## ${judge.name}`,
    '',
    `${judgeState(judge)}${suffix === '' ? '' : ` (${suffix})`}`,
    '',
    ...(judge.status === 'completed' && judge.summary ? [judge.summary, ''] : []),
    ...listText('Below the threshold', below.map(caseText)),
    ...listText('Not graded', ungraded.map(caseText)),
    ...listText('At or above it', others.map(caseText)),
  ]
}

function caseText({ caseKey, score, reason, notes }: Judge['cases'][number]): string {
  const noted = notes.length > 0 ? ` (${notes.join('; ')})` : ''
  return `\`${caseKey.replaceAll('`', "'")}\` ${score ?? UNKNOWN}: ${reason ?? 'no reason was given'}${noted}`
}

/** Joins lines: text inside a heading or an item must not begin another one. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
