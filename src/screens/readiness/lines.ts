import { agoText } from '../../components/collection/plain-parts.ts'
import type { ReadinessLane, ReadinessReport, ReadinessRun } from '../../api/contract/readiness.ts'
import { heading, jsonLines, type Field } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { findingsOf, type ReadinessFinding } from '../../domain/readiness/findings.ts'
import { isRunning, publisherLabel, readinessLook, stateLook, wordsOf } from '../../domain/readiness/labels.ts'
import { formatCount, sentenceCase } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'

/** A run with what its server is called, where that is known, and whether that is on now, as in {@link stateLook}. */
export type ReadinessRow = { run: ReadinessRun; server: string; isOn: boolean | undefined }

/** What a verdict means where its word alone is easily misread. */
const MEANS = new Map([
  ['incomplete', 'incomplete: no violations, but something required was not checked'],
  ['cancelled', 'cancelled: no result for the server'],
  ['off', 'off: it meets every rule, but it is switched off'],
  ['not known', 'not known: it meets every rule, but whether it is switched on is not known'],
])

/** What a run grades and what it came to. */
export function runFields({ run, server, isOn }: ReadinessRow, symbols: Symbols): Field[] {
  const look = stateLook(run, isOn)
  const { status = 'not reported', reason, detail } = run.llmObservations ?? {}
  const why = detail ?? (reason && wordsOf(reason) !== wordsOf(status ?? '') ? wordsOf(reason) : undefined)
  return [
    [
      run.status === 'completed' ? 'Verdict' : 'State',
      `${symbols[look.symbol]} ${MEANS.get(look.word) ?? look.word}`,
      look.tone,
    ],
    ...(run.errorMessage ? [['Failed with', run.errorMessage, 'error'] as const] : []),
    ...(run.stages ?? []).map(({ stage, status }): Field => {
      const own = partLook(status, isOn)
      return [sentenceCase(wordsOf(stage)), `${symbols[own.symbol]} ${own.word}`, own.tone]
    }),
    ['Server', server],
    ...(run.serverUrl === server ? [] : [['Address', run.serverUrl] as const]),
    ['For', publisherLabel(run)],
    ['Began', agoText(run.createdAt)],
    ['Observations', `${wordsOf(status ?? 'not reported')}${why === undefined ? '' : `: ${why}`}`],
    ['Signed in by', run.authMode && wordsOf(run.authMode)],
  ]
}

/** What of a run is for programs and for whoever looks for a fault in the grading itself. */
export function runIds({ run }: ReadinessRow): Field[] {
  return [
    ...(run.submissionMode ? [['Submitted as', run.submissionMode] as const] : []),
    ['Rules of', run.policySnapshotDate ?? 'no dated snapshot'],
    ['Engine', run.engineVersion],
    ['Id', run.id],
  ]
}

/** What each lane evaluated, and the missing inputs that would let it evaluate more. */
export function laneLines({ run, isOn }: ReadinessRow, symbols: Symbols): Line[] {
  const lanes = run.lanes ?? []
  if (lanes.length === 0)
    return [{ text: isRunning(run) ? 'Lanes appear when the run ends.' : 'The run reports no lanes.', tone: 'muted' }]
  return [heading('Lanes'), ...lanes.flatMap(lane => linesOfLane(lane, isOn, symbols))]
}

/** A part of the verdict; of a server that is not known to be on, only that nothing in it speaks against it. */
function partLook(status: string | null | undefined, isOn: boolean | undefined) {
  if (isOn === true || status !== 'ready') return readinessLook(status)
  return { symbol: isOn === false ? 'cancelled' : 'pending', tone: 'muted', word: 'no violation' } as const
}

function linesOfLane(each: ReadinessLane, isOn: boolean | undefined, symbols: Symbols): Line[] {
  const { lane, status, evaluated, notEvaluated, notApplicable, missingInputs } = each
  // No violation over nothing evaluated is not a pass.
  const isBlank = evaluated === 0 && status === 'ready'
  const look = isBlank ? { ...readinessLook('incomplete'), word: 'nothing was evaluated' } : partLook(status, isOn)
  const coverage = [
    `${formatCount(evaluated)} evaluated`,
    `${formatCount(notEvaluated)} not evaluated`,
    `${formatCount(notApplicable)} not applicable`,
  ]
  return [
    {
      parts: [
        { text: `${symbols[look.symbol]} ${sentenceCase(wordsOf(lane))}`, tone: look.tone },
        { text: `  ${look.word}`, tone: 'muted' },
      ],
    },
    { text: coverage.join(', '), tone: 'muted', indent: 4 },
    ...(missingInputs?.length
      ? [{ text: `Missing: ${missingInputs.join(', ')}`, tone: 'warn' as const, indent: 4 }]
      : []),
  ]
}

/** The findings of a report with the rule behind each; the document as it is where it has none that can be shown. */
export function reportLines(report: ReadinessReport | undefined, symbols: Symbols): Line[] {
  if (report === undefined) return []
  const findings = findingsOf(report)
  if (!findings) return jsonLines(report)
  if (findings.length === 0) return [{ text: 'The report holds no finding.', tone: 'muted' }]
  return findings.flatMap(finding => linesOfFinding(finding, symbols))
}

function linesOfFinding(finding: ReadinessFinding, symbols: Symbols): Line[] {
  const { status, title, lane, provenance, detail, remediation, subjects, missingInputs, citation } = finding
  const isOpinion = provenance === 'llm'
  const look = isOpinion ? { ...readinessLook('incomplete'), word: 'opinion of a model' } : readinessLook(status)
  const about = [look.word, lane && wordsOf(lane), finding.class && wordsOf(finding.class)].filter(Boolean).join(', ')
  const more = (label: string, text: string | undefined): Line[] =>
    text === undefined || text === '' ? [] : [{ text: `${label}${text}`, indent: 4 }]
  return [
    { text: `${symbols[look.symbol]} ${title}`, tone: look.tone },
    { text: about, tone: 'muted', indent: 4 },
    ...more('', detail),
    ...more('About: ', subjects.join(', ')),
    ...more('Missing: ', missingInputs.join(', ')),
    ...more('Do: ', remediation),
    ...more('Rule: ', citation?.title),
    ...(citation?.url === undefined ? [] : [{ text: citation.url, tone: 'muted' as const, indent: 4 }]),
    '',
  ]
}
