import { agoText } from '../../components/collection/plain-parts.ts'
import type { ReadinessReport, ReadinessRun } from '../../api/contract/readiness.ts'
import { fieldLines, heading, jsonLines, type Field } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { findingsOf, type ReadinessFinding } from '../../domain/readiness/findings.ts'
import { isRunning, directoryLabel, readinessLook, stateLook, wordsOf } from '../../domain/readiness/labels.ts'
import { formatCount, sentenceCase } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'

/** A run with the name of its server, if known, and whether that is on, as in {@link stateLook}. */
export type ReadinessRow = { run: ReadinessRun; server: string; isOn: boolean | undefined }

/** The meanings of verdicts whose word alone is easily misread. */
const MEANS = new Map([
  ['incomplete', 'incomplete: no violations, but something required was not checked'],
  ['cancelled', 'cancelled: no result for the server'],
  ['off', 'off: it meets every rule, but it is switched off'],
  ['not known', 'not known: it meets every rule, but whether it is switched on is not known'],
])

/** For a verdict that is not ready, in places where the report can be opened: the run itself contains only counts. */
const TOLD = 'not ready: the report says why'

/** Whether a run has a report; if its record does not tell, it has one once it has ended. */
export function hasReport(run: ReadinessRun): boolean {
  return run.hasReport ?? !isRunning(run)
}

/** Stages whose name differs from the wire: "Submission ready: not ready" contradicts itself. */
const STAGES = new Map([['submission-ready', 'Submission']])

/** How the check signed in to the server. */
const SIGN_INS = new Map([
  ['headless', 'automatic'],
  ['interactive', 'by a person in a browser'],
  ['provided-token', 'with a token that was given'],
])

/** Words for states of a model's opinion; the other states are shown in the words of the wire. */
const OPINIONS = new Map([
  ['not-requested', 'not asked for'],
  ['pending', 'waited for'],
  ['completed', 'in the report'],
])

/** Whether a finding counts against the server: only a violated rule makes it not ready. */
const isViolated = (finding: ReadinessFinding) => finding.class === 'deterministic' && finding.status === 'violated'

/** Maximum number of violated rules named with the verdict; the report has all of them. */
const MOST_NAMED = 3

/**
 * Returns the result of a run; the title of its pane names the server.
 * @param findings the findings of its report, if it was read
 */
export function runFields(
  { run, isOn }: ReadinessRow,
  symbols: Symbols,
  findings: readonly ReadinessFinding[] = [],
): Field[] {
  const look = stateLook(run, isOn)
  const violated = findings.filter(isViolated)
  const isTold = look.word === 'not ready' && hasReport(run) && violated.length === 0
  const means = isTold ? TOLD : MEANS.get(look.word)
  const more = violated.length - MOST_NAMED
  return [
    [run.status === 'completed' ? 'Verdict' : 'State', `${symbols[look.symbol]} ${means ?? look.word}`, look.tone],
    ...violated.slice(0, MOST_NAMED).map(({ title }): Field => ['Violated', title]),
    ...(more > 0 ? [['Violated', `${formatCount(more)} more, in the report`] as const] : []),
    ...(run.errorMessage ? [['Failed with', run.errorMessage, 'error'] as const] : []),
    ...(run.stages ?? []).map(({ stage, status }): Field => {
      const own = partLook(status, isOn)
      return [STAGES.get(stage) ?? sentenceCase(wordsOf(stage)), `${symbols[own.symbol]} ${own.word}`, own.tone]
    }),
  ]
}

/** Returns how a run was made. */
export function aboutFields({ run, server }: ReadinessRow): Field[] {
  const { reason, detail } = run.llmObservations ?? {}
  const status = run.llmObservations?.status ?? 'not reported'
  const why = detail ?? (reason && wordsOf(reason) !== wordsOf(status) ? wordsOf(reason) : undefined)
  return [
    ...(run.serverUrl === server ? [] : [['Address', run.serverUrl] as const]),
    ['For', directoryLabel(run)],
    ['Began', agoText(run.createdAt)],
    ['Opinion of a model', `${OPINIONS.get(status) ?? wordsOf(status)}${why === undefined ? '' : `: ${why}`}`],
    ['Sign-in', run.authMode && (SIGN_INS.get(run.authMode) ?? wordsOf(run.authMode))],
  ]
}

/** Returns fields of a run for programs, and for debugging the grading itself. */
export function runIds({ run }: ReadinessRow): Field[] {
  return [
    ...(run.submissionMode ? [['Submitted as', run.submissionMode] as const] : []),
    ['Rules of', run.policySnapshotDate ?? 'no dated snapshot'],
    ['Engine', run.engineVersion],
    ['Id', run.id],
  ]
}

/**
 * Returns the result of each lane as a field, and the missing inputs that would let it evaluate more.
 * @param findings the findings of its report, if it was read: a lane does not count its violated rules
 */
export function laneFields(
  { run, isOn }: ReadinessRow,
  symbols: Symbols,
  findings: readonly ReadinessFinding[] = [],
): LaneField[] {
  return (run.lanes ?? []).map(each => {
    const { lane, status, evaluated, notEvaluated, notApplicable, missingInputs } = each
    const here = findings.filter(finding => finding.lane === lane)
    const violated = here.filter(isViolated).length
    // A lane that evaluated nothing has no violation, but has not passed.
    const isBlank = evaluated === 0 && status === 'ready'
    const isIdle = evaluated === 0 && notEvaluated === 0 && IDLE.has(status)
    const look = isIdle
      ? here.some(finding => finding.class === 'heuristic')
        ? { ...NOTHING_TO_DO, word: 'heuristics only, not counted' }
        : NOTHING_TO_DO
      : isBlank
        ? { ...readinessLook('incomplete'), word: 'nothing was evaluated' }
        : partLook(status, isOn)
    const counts = [evaluated, notEvaluated, notApplicable]
    const told = [violated > 0 ? `evaluated, ${formatCount(violated)} violated` : 'evaluated', ...NOT_COVERED]
    const coverage = counts.flatMap((count, index) => (count === 0 ? [] : [`${formatCount(count)} ${told[index]}`]))
    const words = [look.word, coverage.join(', ')].filter(Boolean).join(': ')
    const field: Field = [sentenceCase(wordsOf(lane)), `${symbols[look.symbol]} ${words}`, look.tone]
    return { field, missing: missingInputs ?? [] }
  })
}

type LaneField = { field: Field; missing: readonly string[] }

/** For a lane in which no rule applies, so that there is nothing to fix. */
const NOTHING_TO_DO = { symbol: 'cancelled', tone: 'muted', word: 'nothing to evaluate' } as const

const NOT_COVERED = ['not evaluated', 'not applicable']

/** Returns the lanes in columns aligned with the fields above them. */
export function laneLines({ run }: ReadinessRow, lanes: readonly LaneField[], width: number): Line[] {
  if (lanes.length === 0)
    return [{ text: isRunning(run) ? 'Checks appear when the run ends.' : 'The run reports no checks.', tone: 'muted' }]
  return [
    heading('Checks'),
    ...lanes.flatMap(({ field, missing }) => [
      ...fieldLines([field], 0, width).map(line => ({ ...line, isAlone: true })),
      ...(missing.length > 0 ? [{ text: `Missing: ${missing.join(', ')}`, tone: 'warn' as const, indent: width }] : []),
    ]),
  ]
}

/** States that say nothing about a lane if it has no rule to evaluate. */
const IDLE: ReadonlySet<unknown> = new Set(['ready', 'incomplete'])

/**
 * Returns the look of a part of the verdict. Unless the server is known to be on, "ready" is shown as no violation
 * only.
 */
function partLook(status: string | null | undefined, isOn: boolean | undefined) {
  if (isOn === true || status !== 'ready') return readinessLook(status)
  return { symbol: isOn === false ? 'cancelled' : 'pending', tone: 'muted', word: 'no violation' } as const
}

/** Returns the findings of a report, each with its rule; the document as received if it has none that can be shown. */
export function reportLines(report: ReadinessReport | undefined, symbols: Symbols): Line[] {
  if (report === undefined) return []
  const findings = findingsOf(report)
  if (!findings) return jsonLines(report)
  if (findings.length === 0) return [{ text: 'The report holds no finding.', tone: 'muted' }]
  return findings.flatMap(finding => linesOfFinding(finding, symbols))
}

/** Returns how a finding looks: an opinion and a violated heuristic warn, since neither makes a server not ready. */
function findingLook({ status, provenance, class: kind }: ReadinessFinding) {
  const advice = readinessLook('incomplete')
  if (provenance === 'llm') return { ...advice, word: 'opinion of a model' }
  const look = readinessLook(status)
  return kind === 'heuristic' && status === 'violated' ? { ...advice, word: look.word } : look
}

function linesOfFinding(finding: ReadinessFinding, symbols: Symbols): Line[] {
  const { title, lane, detail, remediation, subjects, missingInputs, citation } = finding
  const look = findingLook(finding)
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
