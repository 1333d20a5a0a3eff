import type { EvalIteration } from '../../api/contract/iterations.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalCase } from '../../api/contract/suites.ts'
import { countTrials, passRate, type TrialCounts } from '../../domain/runs/trials.ts'
import { formatCount, plural, UNKNOWN } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { Cell, Column } from '../../components/list/columns.ts'
import { ownValue } from '../../lib/own-value.ts'
import {
  freshness,
  countColumn,
  measureColumn,
  nameColumn,
  noteColumn,
} from '../../components/collection/plain-parts.ts'

/** A case with the counts of its trials in the latest run; undefined if unknown. */
export type CaseRow = { id: string; stored: EvalCase; last: LastResult | undefined }
/** Counts of the trials of a case, on all its models. */
type LastResult = TrialCounts & { graded: number }

/**
 * Returns cases with their latest results. Ungraded trials are left out of rates, but counted.
 * @param isWhole whether these are all trials of the run; otherwise the case of the last one may have more
 */
export function caseRows(cases: readonly EvalCase[], trials: readonly EvalIteration[], isWhole: boolean): CaseRow[] {
  const byCase = Map.groupBy(trials, ({ testCaseId }) => testCaseId ?? '')
  if (!isWhole) byCase.delete(trials.at(-1)?.testCaseId ?? '')
  const resultOf = (id: string): LastResult | undefined => {
    const own = byCase.get(id)
    if (!own) return undefined
    const counts = countTrials(own)
    return { ...counts, graded: counts.passed + counts.failed }
  }
  return cases.map(stored => ({ id: stored.id, stored, last: resultOf(stored.id) }))
}

/** Words for kinds of steps, for counts. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  prompt: 'prompt',
  toolCall: 'call',
  interact: 'interaction',
  assert: 'assert',
}
const KINDS_WIDTH = 18

/** Returns steps by kind: `1 call 2 asserts`; an unknown kind is counted under its own name. */
export function stepKinds(steps: EvalCase['steps']): string {
  const counts = new Map<string, number>()
  for (const { kind } of steps) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => plural(count, ownValue(KIND_WORDS, kind) ?? kind)).join(' ')
}

/** Returns `✓ 2/2`, or `⚠ 1/1 of 2` if one of two trials was not graded: a partial result is not shown in green. */
function lastCell(last: LastResult | undefined, symbols: Symbols): Cell {
  if (!last) return { text: UNKNOWN, tone: 'muted' }
  const { passed, failed, graded, total, ended } = last
  const part = graded === total ? '' : ` of ${total}`
  const text = graded === 0 ? `${UNKNOWN}${part}` : `${passed}/${graded}${part}`
  if (failed > 0) return { text: `${symbols.error} ${text}`, tone: 'error' }
  if (graded === total) return { text: `${symbols.ok} ${text}`, tone: 'ok' }
  return ended < total
    ? { text: `${symbols.live} ${text}`, tone: 'live' }
    : { text: `${symbols.warn} ${text}`, tone: 'warn' }
}

/** Returns the columns of the cases, which contain a theme's marks, so they are created once per theme. */
export function caseColumns(symbols: Symbols): readonly Column<CaseRow>[] {
  return [
    nameColumn('Case', ({ stored }) => stored.title, { id: 'title' }),
    {
      id: 'last',
      title: 'Last',
      width: 10,
      cell: ({ last }) => lastCell(last, symbols),
      sort: ({ last }) => last && passRate(last),
    },
    measureColumn('Steps', 5, ({ stored }) => stored.steps.length, formatCount, { from: 42 }),
    noteColumn('Steps by kind', KINDS_WIDTH, ({ stored }) => stepKinds(stored.steps), { id: 'stepKinds', from: 74 }),
    countColumn('Trials', 6, ({ stored }) => stored.iterations ?? 1, { from: 50 }),
    {
      id: 'kind',
      title: 'Kind',
      width: 8,
      from: 86,
      cell: ({ stored }) => (stored.isNegative ? 'negative' : { text: 'usual', tone: 'muted' }),
    },
    noteColumn('Models', 14, ({ stored }) => modelsFigure(stored), { from: 104 }),
    noteColumn('Checks', 9, ({ stored }) => stored.checks?.mode ?? 'inherit', { from: 92 }),
    measureColumn('Edited', 6, ({ stored }) => toEpochMs(stored.updatedAt), freshness, { id: 'age', from: 84 }),
  ]
}

function modelsFigure({ models }: EvalCase): string {
  const [first, ...others] = models ?? []
  if (!first) return 'suite’s'
  return others.length === 0 ? first.model : `${models!.length} models`
}

export const caseKey = (row: CaseRow): string => row.id
