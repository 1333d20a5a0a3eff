import type { EvalRun } from '../../api/contract/runs.ts'
import { outcomeOfRun, type RunOutcome } from '../../domain/runs/outcome.ts'
import {
  coverageOf,
  isShort,
  partLabels,
  reportRun,
  type ReportedRun,
  type SuiteState,
} from '../../domain/runs/suite-state.ts'
import { runCounts } from '../../domain/runs/counts.ts'
import { formatCount } from '../../lib/format.ts'
import { ownValue } from '../../lib/own-value.ts'
import type { Look } from '../../tui/theme/theme.ts'

/** Columns of a symbol with one of the usual words. */
const STATE = 11

/** Returns the width in columns that these states need in a list. */
export function stateWidth(looks: readonly Look[]): number {
  return looks.some(({ word }) => word === LOOKS.inconclusive.word) ? LOOKS.inconclusive.word.length + 2 : STATE
}

/** The look of each outcome. */
export const LOOKS: Record<Exclude<RunOutcome, 'in-flight'>, Look> = {
  passed: { symbol: 'ok', tone: 'ok', word: 'passed' },
  failed: { symbol: 'error', tone: 'error', word: 'failed' },
  inconclusive: { symbol: 'warn', tone: 'warn', word: 'inconclusive' },
  undecided: { symbol: 'warn', tone: 'warn', word: 'undecided' },
  cancelled: { symbol: 'cancelled', tone: 'muted', word: 'cancelled' },
  broken: { symbol: 'error', tone: 'error', word: 'broken' },
}

/**
 * Returns the look of a run's state. Status and verdict stay separate; an unknown status counts as in flight and is
 * shown as received.
 */
export function runLook(run: Pick<EvalRun, 'status' | 'result' | 'decisionSummary'>): Look {
  const outcome = outcomeOfRun(run)
  if (outcome === 'in-flight')
    return { symbol: run.status === 'pending' ? 'pending' : 'live', tone: 'live', word: run.status }
  // A final status that mcpdeck does not know is shown as received.
  if (outcome === 'broken' && run.status !== 'failed') return { ...LOOKS.broken, word: run.status }
  return outcome === 'passed' && isShort(coverageOf(run)) ? PASSED_IN_PART : LOOKS[outcome]
}

/** The text beside it says which part passed. */
const PASSED_IN_PART: Look = { ...LOOKS.passed, symbol: 'warn', tone: 'warn' }

/** Returns the look of an outcome stored as text: `failed`, or `passed, 3 of 6 cases`; undefined for other words. */
export function storedLook(text: string): Look | undefined {
  const [word] = text.split(',')
  return word === LOOKS.passed.word && text !== word ? PASSED_IN_PART : ownValue(LOOKS, word)
}

/** Returns the look of a run that may have ended without a known verdict. */
export function reportLook({ run, outcome, counts }: ReportedRun): Look {
  if (outcome !== 'unknown') return runLook({ ...run, result: run.result ?? null })
  if (counts && counts.failed > 0) return { ...LOOKS.failed, word: `${formatCount(counts.failed)} failed` }
  return { symbol: 'warn', tone: 'muted', word: run.status }
}

/**
 * Returns the look of a suite according to its runs: only a suite that passed completely looks passed. Undefined if
 * there was no run.
 */
export function suiteLook({ judgedBy, isPlainlyPassed }: SuiteState): Look | undefined {
  if (!judgedBy) return undefined
  if (judgedBy.outcome !== 'passed' || isPlainlyPassed) return reportLook(judgedBy)
  return judgedBy.coverage.isWhole === undefined ? { ...PASSED_IN_PART, tone: 'muted' } : PASSED_IN_PART
}

/** Returns `980 of 1,000 case executions passed`: the counts of a run, in its own unit; empty if it has none. */
export function passedWords(run: EvalRun): string {
  const { passed, total, unit } = runCounts(run) ?? {}
  if (total === undefined) return ''
  const words = [`${formatCount(passed)} of ${formatCount(total)}`, unit, 'passed'].filter(Boolean).join(' ')
  return [words, ...partLabels(reportRun(run))].join(', ')
}
