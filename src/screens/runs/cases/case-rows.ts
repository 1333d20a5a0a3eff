import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { toEpochMs } from '../../../api/contract/shapes.ts'
import type { EvalCase } from '../../../api/contract/suites.ts'
import { standingOf } from '../../../api/runs/trials.ts'
import { serviceNow } from '../../../api/service-time.ts'
import { formatAge, plural, UNKNOWN } from '../../../app/theme/format.ts'
import type { Symbols } from '../../../app/theme/theme.ts'
import type { Column } from '../../../components/list/columns.ts'

/** A case with what its trials came to in the latest run; undefined where that is not known. */
export type CaseRow = { id: string; stored: EvalCase; last: LastResult | undefined }
type LastResult = { passed: number; graded: number }

/** Cases with their latest results; what was not graded counts on neither side. */
export function caseRows(cases: readonly EvalCase[], trials: readonly EvalIteration[]): CaseRow[] {
  const results = new Map<string, LastResult>()
  for (const trial of trials) {
    const standing = standingOf(trial)
    if (!trial.testCaseId || (standing !== 'passed' && standing !== 'failed')) continue
    const { passed, graded } = results.get(trial.testCaseId) ?? { passed: 0, graded: 0 }
    results.set(trial.testCaseId, { passed: passed + (standing === 'passed' ? 1 : 0), graded: graded + 1 })
  }
  return cases.map(stored => ({ id: stored.id, stored, last: results.get(stored.id) }))
}

/** What a kind of step is called where many are counted. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  prompt: 'prompt',
  toolCall: 'call',
  interact: 'interaction',
  assert: 'assert',
}
const KINDS_WIDTH = 18

/** Steps by their kind: `1 call 2 asserts`; a kind that is not known is shown as it is. */
export function stepKinds(steps: EvalCase['steps']): string {
  const counts = new Map<string, number>()
  for (const { kind } of steps) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => plural(count, KIND_WORDS[kind] ?? kind)).join(' ')
}

function lastCell(last: LastResult | undefined, symbols: Symbols) {
  if (!last) return { text: UNKNOWN, tone: 'muted' as const }
  const isGood = last.passed === last.graded
  return {
    text: `${isGood ? symbols.ok : symbols.error} ${last.passed}/${last.graded}`,
    tone: isGood ? ('ok' as const) : ('error' as const),
  }
}

/** Columns of the cases; they show a theme's marks, so they are made once per theme. */
export function caseColumns(symbols: Symbols): readonly Column<CaseRow>[] {
  return [
    { id: 'title', title: 'Case', width: 'flex', cell: ({ stored }) => stored.title },
    {
      id: 'last',
      title: 'Last',
      width: 7,
      cell: ({ last }) => lastCell(last, symbols),
      sort: ({ last }) => (last ? last.passed / last.graded : undefined),
    },
    {
      id: 'steps',
      title: 'Steps',
      width: 5,
      align: 'right',
      from: 42,
      cell: ({ stored }) => ({ text: String(stored.steps.length), tone: 'muted' }),
      sort: ({ stored }) => stored.steps.length,
    },
    {
      id: 'stepKinds',
      title: 'Steps by kind',
      width: KINDS_WIDTH,
      from: 74,
      cell: ({ stored }) => ({ text: stepKinds(stored.steps), tone: 'muted' }),
    },
    {
      id: 'trials',
      title: 'Trials',
      width: 6,
      align: 'right',
      from: 50,
      cell: ({ stored }) => String(stored.iterations ?? 1),
      sort: ({ stored }) => stored.iterations ?? 1,
    },
    {
      id: 'kind',
      title: 'Kind',
      width: 8,
      from: 86,
      cell: ({ stored }) => (stored.isNegative ? 'negative' : { text: 'usual', tone: 'muted' }),
    },
    {
      id: 'models',
      title: 'Models',
      width: 14,
      from: 104,
      cell: ({ stored }) => ({ text: modelsFigure(stored), tone: 'muted' }),
    },
    {
      id: 'checks',
      title: 'Checks',
      width: 9,
      from: 92,
      cell: ({ stored }) => ({ text: stored.checks?.mode ?? 'inherit', tone: 'muted' }),
    },
    {
      id: 'age',
      title: 'Edited',
      width: 6,
      align: 'right',
      from: 84,
      cell: ({ stored }) => ({ text: formatAge(toEpochMs(stored.updatedAt), serviceNow()), tone: 'muted' }),
      sort: ({ stored }) => toEpochMs(stored.updatedAt),
    },
  ]
}

function modelsFigure({ models }: EvalCase): string {
  const [first, ...others] = models ?? []
  if (!first) return 'suite’s'
  return others.length === 0 ? first.model : `${models!.length} models`
}

export const caseKey = (row: CaseRow): string => row.id
