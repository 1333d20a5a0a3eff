import { isTerminalRunStatus, runName, shortRunName, type EvalRun } from '../../../api/contract/runs.ts'
import { CAUSES, type Cause, type CauseCount } from '../../../domain/runs/causes.ts'
import { outcomeOfRun } from '../../../domain/runs/outcome.ts'
import { remainingLabel } from '../../../domain/runs/estimate.ts'
import type { FlakyCase } from '../../../domain/runs/retries.ts'
import { bar } from '../../../tui/theme/charts.ts'
import { formatCount, formatDuration, plural, sentenceCase, UNKNOWN, formatAgo } from '../../../lib/format.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import { fieldLines, heading, recordView, restNodes, type Field } from '../../../components/lines.ts'
import type { OutlineNode } from '../../../components/viewer/outline-tree.ts'
import { linesNode } from '../../../components/viewer/sections.ts'
import type { Line } from '../../../components/viewer.tsx'
import { plannedTrials, type TrialFacts } from './facts.ts'
import { historyLines } from './history-lines.ts'
import { inUnit, runCounts } from '../../../domain/runs/counts.ts'
import { judgesOf, isUngraded, judgeState, type Judge } from '../../../domain/runs/judges.ts'
import { originFields } from './origin-fields.ts'
import { countFields, verdictFields } from './verdict-lines.ts'
import { wallLegend, wallOf, wallRows } from './wall.ts'
import { distributionLines } from './distribution-lines.ts'
import { serviceNow } from '../../../api/client/transport/service-time.ts'

export type SummaryInput = {
  run: EvalRun
  facts: TrialFacts
  /** Whether trials of the run have not been read yet, so that statements about them cover only a part. */
  isPartial: boolean
  /** Runs of the suite, as far as known. */
  runs: readonly EvalRun[]
  /** Share of the trials that has ended; never decreases. */
  share: number
  /** Milliseconds until a run in flight ends; undefined if unknown. */
  remaining: number | undefined
  /** Sentences about what changed in the tools of failing cases. */
  findings: readonly string[]
  /** Cases that are flaky by reruns of the run. */
  flaky: readonly FlakyCase[]
  /** The earlier run that the findings compare with; not passed if no earlier one of the suite is known to be. */
  base?: EvalRun | undefined
}

export type SummaryLook = { symbols: Symbols; width: number; openKey: string; doctorKey: string }

/** Returns the summary of a run, most important first. */
export function summaryNodes(input: SummaryInput, look: SummaryLook): OutlineNode[] {
  const { run, facts } = input
  const { symbols } = look
  const judges = judgesOf(run.judges)
  const relation = trialsIn(input)
  const fields: Field[] = [
    ...verdictFields(run, symbols),
    ...countFields(run),
    ['Trials', `${relation}${trialWords(input)}`],
    ...uncheckedFields(facts, symbols),
  ]
  const isFirst = isFirstOf(run, relation !== '')
  const origin = recordView(originFields(run, facts.models), [['Run id', run.id]])
  return [
    linesNode('standing', [
      ...(isTerminalRunStatus(run.status) ? [] : [progressLine(input, look), '']),
      ...fieldLines(fields.filter(isFirst)),
    ]),
    ...findingNodes(input, look),
    ...flakyNodes(input, symbols),
    ...causeNodes(facts.causes, look),
    linesNode('wall', wallLines(input, look)),
    linesNode('history', historyLines(run, input.runs, look)),
    linesNode('counts', ['', heading('Counts'), ...fieldLines(fields.filter(field => !isFirst(field)))]),
    linesNode('latency', latencyLines(input, look)),
    linesNode('tokens', tokenLines(input, look)),
    ...(judges.length > 0
      ? [linesNode('judges', ['', heading('Judges'), ...judges.flatMap(each => judgeLines(each, symbols))])]
      : []),
    linesNode('origin', ['', heading('Where it ran'), ...origin.lines]),
    ...restNodes(origin.rest),
  ]
}

/**
 * Whether a field comes before the reasons of failed trials: how the run ended, and anything else that makes that
 * doubtful.
 */
function isFirstOf({ scoreIntegrity, status }: EvalRun, areTrials: boolean): (field: Field) => boolean {
  const areScoresInDoubt = isTerminalRunStatus(status) && scoreIntegrity !== 'valid'
  return ([label, , tone]) =>
    FIRST.has(label) ||
    (label === 'Trials' && areTrials) ||
    (label === 'Scores' && areScoresInDoubt) ||
    tone === 'warn' ||
    tone === 'live'
}

const FIRST: ReadonlySet<string> = new Set(['Status', 'Decision', 'Result', 'Passed'])

/** Returns how many trials the run's counts cover, if the numbers differ: `15 in 10 case executions: `. */
function trialsIn({ run, facts, isPartial }: SummaryInput): string {
  const { total, unit } = runCounts(run) ?? {}
  const trials = facts.counts.total
  const isKnown = isTerminalRunStatus(run.status) && (!isPartial || trials > facts.loaded)
  if (!isKnown || total === undefined || unit === undefined || total === trials) return ''
  return `${formatCount(trials)} in ${inUnit(total, unit)}: `
}

/** Lists cases that pass whatever is answered, for which a pass means nothing. */
function uncheckedFields({ unchecked }: TrialFacts, symbols: Symbols): Field[] {
  if (unchecked.length === 0) return []
  const named = unchecked.slice(0, MOST_NAMED).join(', ')
  const more = unchecked.length > MOST_NAMED ? ` and ${formatCount(unchecked.length - MOST_NAMED)} more` : ''
  return [['Checked', `${symbols.warn} not at all: ${named}${more}`, 'warn']]
}

const MOST_NAMED = 5

/** Returns the cause of a node of the summary; undefined for its other parts. */
export function causeOfNode(id: string): Cause | undefined {
  const name = id.startsWith(CAUSE) ? id.slice(CAUSE.length) : ''
  return Object.hasOwn(CAUSES, name) ? (name as Cause) : undefined
}

const CAUSE = 'cause/'

/** Returns `━━━━━━━━──── 8 of 12 trials, 2 running, about 2 min left`. */
function progressLine({ run, facts, share, remaining }: SummaryInput, { symbols, width }: SummaryLook): Line {
  const { ended, running, total: counted } = facts.counts
  const total = Math.max(counted, plannedTrials(run) ?? 0)
  const columns = Math.max(8, Math.min(40, width - 52))
  const drawn = bar(symbols, share, columns)
  return {
    parts: [
      { text: drawn === '' ? '' : `${drawn} `, tone: 'live' },
      {
        text:
          `${formatCount(ended)} of ${plural(total, 'trial')}, ${formatCount(running)} running, ` +
          remainingLabel(remaining),
        tone: 'plain',
      },
    ],
  }
}

const WALL_ROWS = 4

/** Draws a cell for each trial, or for several in a long run; nothing for a single one, or if charts are not drawn. */
function wallLines({ run, facts }: SummaryInput, { symbols, width }: SummaryLook): Line[] {
  const total = Math.max(facts.loaded, plannedTrials(run) ?? 0)
  if (total < 2 || symbols.spark.length === 0) return []
  const wall = wallOf(facts.classes, total, { columns: width - 6, rows: WALL_ROWS })
  const rows = [...wallRows(wall, symbols), wallLegend(wall, symbols)]
  return ['', ...rows.map((parts): Line => ({ parts: [{ text: '  ', tone: 'plain' }, ...parts] }))]
}

/** Returns `5 passed, 3 failed, 1 not graded`, and the total while pages are missing. */
function trialWords(input: SummaryInput): string {
  const { passed, failed, ungraded, cancelled, pending, running } = input.facts.counts
  const parts = [
    `${formatCount(passed)} passed`,
    `${formatCount(failed)} failed`,
    ungraded > 0 && `${formatCount(ungraded)} not graded`,
    cancelled > 0 && `${formatCount(cancelled)} cancelled`,
    running > 0 && `${formatCount(running)} running`,
    pending > 0 && `${formatCount(pending)} waiting`,
  ]
  const isWhole = input.facts.counts.total > input.facts.loaded
  return `${parts.filter(Boolean).join(', ')}${isWhole ? '' : partOf(input)}`
}

/** Returns ` (of 400 loaded of 1,000)` if not all trials were read. */
function partOf({ run, facts, isPartial }: SummaryInput): string {
  if (!isPartial) return ''
  const planned = plannedTrials(run)
  return (
    ` (of ${formatCount(facts.loaded)} ` +
    `loaded${planned === undefined ? ', there are more' : ` of ${formatCount(planned)}`})`
  )
}

/** Maximum number of findings above all causes; the doctor shows the rest. */
const MOST_FINDINGS = 3

function findingNodes({ findings, base }: SummaryInput, { symbols, doctorKey }: SummaryLook): OutlineNode[] {
  if (findings.length === 0) return []
  const more = findings.length - MOST_FINDINGS
  return [
    linesNode('findings', [
      '',
      heading(
        base === undefined || outcomeOfRun(base) === 'passed'
          ? 'Changed since the suite last passed'
          : `Changed since ${runName(base)}, which did not pass`,
      ),
      ...findings
        .slice(0, MOST_FINDINGS)
        .map((text): Line => ({ text: `${symbols.warn} ${text}`, tone: 'warn', indent: 2 })),
      {
        text: `${doctorKey} sets the tools then against now${more > 0 ? `, and tells ${more} more` : ''}.`,
        tone: 'muted',
        indent: 2,
      },
    ]),
  ]
}

function flakyNodes({ run, flaky }: SummaryInput, symbols: Symbols): OutlineNode[] {
  if (flaky.length === 0) return []
  const more = flaky.length - MOST_NAMED
  const lines = flaky
    .slice(0, MOST_NAMED)
    .map(each => `${symbols.flaky} flaky: ${each.title}, passed in ${passedInLabel(each, run)}`)
  const rest = more > 0 ? [`${formatCount(more)} more`] : []
  return [
    linesNode('flaky', [
      '',
      heading('Passed in a rerun'),
      ...[...lines, ...rest].map((text): Line => ({ text, tone: 'warn', indent: 2 })),
    ]),
  ]
}

/** Names the run in which a flaky case passed: `rerun #3`. */
export function passedInLabel({ passedIn }: FlakyCase, run: EvalRun): string {
  return passedIn.id === run.id ? 'this run' : `rerun ${shortRunName(passedIn)}`
}

/** Returns the causes of trials that did not pass, each with the reason of its first trial. */
function causeNodes(causes: readonly CauseCount[], { symbols, openKey }: SummaryLook): OutlineNode[] {
  if (causes.length === 0) return []
  const count = causes.reduce((sum, each) => sum + each.count, 0)
  const title = `Why ${plural(count, 'trial')} did not pass`
  return [
    linesNode('causes', [
      '',
      heading(title),
      { text: `${openKey} on one shows its trials.`, tone: 'muted', indent: 2 },
    ]),
    ...causes.map(each => linesNode(`${CAUSE}${each.cause}`, causeLines(each, symbols))),
  ]
}

function causeLines({ cause, count, failed, first, reason }: CauseCount, symbols: Symbols): Line[] {
  const tone: Tone = failed > 0 ? 'error' : 'warn'
  const counted =
    failed === count ? '' : failed === 0 ? ', no failure of a case' : `, ${formatCount(failed)} of them failures`
  return [
    {
      text:
        `${failed > 0 ? symbols.error : symbols.warn} ${cause}: ${plural(count, 'trial')}${counted}. ` +
        `${sentenceCase(CAUSES[cause])}.`,
      tone,
      indent: 2,
    },
    {
      text: `${first.title ?? first.id} (trial ${first.iterationNumber}): ${reason ?? 'no reason was given'}`,
      indent: 4,
    },
  ]
}

function latencyLines(input: SummaryInput, { symbols, width }: SummaryLook): Line[] {
  const { latency } = input.facts
  if (!latency) return ['', heading('Latency'), { text: 'No trial has ended yet.', tone: 'muted', indent: 2 }]
  const title = `Latency of ${plural(latency.count, 'trial')}${partOf(input)}`
  return ['', heading(title), ...distributionLines(latency, { symbols, width, words: formatDuration })]
}

function tokenLines(input: SummaryInput, { symbols, width }: SummaryLook): Line[] {
  const { tokens, tokensUsed, tokensUntold } = input.facts
  const untold = tokensUntold > 0 ? `, without ${plural(tokensUntold, 'trial')} that reported none` : ''
  if (!tokens) {
    const words =
      tokensUntold > 0
        ? `${UNKNOWN}: ${plural(tokensUntold, 'trial')} reported none.`
        : 'No model took part, or none reported its tokens.'
    return ['', heading('Tokens'), { text: words, tone: 'muted', indent: 2 }]
  }
  const title = `Tokens: ${formatCount(tokensUsed)} in all${untold}${partOf(input)}`
  return ['', heading(title), ...distributionLines(tokens, { symbols, width, words: formatCount })]
}

/** Returns a judge with its state and its model, followed by its cases: first those that did not pass. */
export function judgeLines(judge: Judge, symbols: Symbols): Line[] {
  const { name, status, modelUsed, generatedAt, cases } = judge
  const source = [modelUsed, generatedAt !== undefined && formatAgo(generatedAt, serviceNow())]
  const about = source.filter(Boolean).join(', ')
  const tone = status === 'failed' ? 'warn' : status === 'pending' ? 'live' : 'plain'
  const ordered = [...cases.filter(({ passed }) => !passed), ...cases.filter(({ passed }) => passed)]
  return [
    { text: `${name}: ${judgeState(judge)}${about === '' ? '' : ` (${about})`}`, tone, indent: 2 },
    ...ordered.flatMap((each): Line[] => {
      const { caseKey, score, passed, reason, notes } = each
      const [symbol, tone] = passed
        ? ([symbols.ok, 'ok'] as const)
        : isUngraded(each)
          ? ([symbols.warn, 'warn'] as const)
          : ([symbols.error, 'error'] as const)
      return [
        { text: `${symbol} ${score == null ? UNKNOWN : formatCount(score)} ${caseKey}`, tone, indent: 4 },
        ...(reason ? [{ text: reason, indent: 6 }] : []),
        ...notes.map(text => ({ text: `${symbols.bullet} ${text}`, tone: 'muted' as const, indent: 6 })),
      ]
    }),
  ]
}
