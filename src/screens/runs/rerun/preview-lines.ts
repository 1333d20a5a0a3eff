import { amountOf } from '../../../domain/runs/amount.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { RerunPreview } from '../../../api/contract/runs.ts'
import { previewLines } from '../../../domain/runs/rerun.ts'
import { trialState } from '../../../domain/runs/trials.ts'
import { formatCount, formatDuration, plural, UNKNOWN } from '../../../lib/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import { heading } from '../../../components/lines.ts'
import type { Line } from '../../../components/viewer.tsx'

/** The known data of the run to be repeated. */
export type RerunSource = {
  preview: RerunPreview
  /** The trials read so far. */
  trials: readonly EvalIteration[]
  /** Whether all trials were read. */
  whole: boolean
  /** Titles of the suite's cases by id. */
  titles: ReadonlyMap<string, string>
}

/** Returns what a person needs to know before failed cases run again: which, why, and their cost last time. */
export function rerunLines(source: RerunSource, cost: string, symbols: Symbols): Line[] {
  const { preview, trials } = source
  const selected = new Set(preview.selectedCaseIds)
  const again = trials.filter(({ testCaseId }) => testCaseId != null && selected.has(testCaseId))
  const byCase = Map.groupBy(again, trial => trial.testCaseId ?? '')
  return [
    ...previewLines(preview),
    '',
    ...costLines(again, source.whole, cost),
    '',
    heading(plural(preview.selectedCaseCount, 'case')),
    ...preview.selectedCaseIds.flatMap((id): Line[] => {
      const own = byCase.get(id) ?? []
      const title = source.titles.get(id) ?? own[0]?.title ?? id
      const first = own.find(trial => trialState(trial) !== 'passed')?.error
      return [
        { text: `${symbols.error} ${title}`, tone: 'error' },
        ...(first ? [{ text: first.split('\n')[0] ?? '', tone: 'muted' as const, indent: 2 }] : []),
      ]
    }),
  ]
}

/** Estimates the cost; the figures of last time are the best estimate. */
function costLines(again: readonly EvalIteration[], whole: boolean, cost: string): Line[] {
  if (again.length === 0) return [{ text: cost, tone: 'warn' }]
  const tokens = sumOf(again.map(trial => (trial.model ? amountOf(trial.tokensUsed) : 0)))
  const took = sumOf(again.map(({ durationMs }) => amountOf(durationMs)))
  const most = whole ? '' : 'at least '
  return [
    `Last time these cases were ${most}${plural(again.length, 'trial')}: ${formatDuration(took)} of work, ${
      tokens === undefined ? `${UNKNOWN} tokens` : `${formatCount(tokens)} tokens`
    }.`,
    { text: cost, tone: 'warn' },
  ]
}

/** Returns the sum; undefined if one of the values is unknown. */
function sumOf(values: readonly (number | null | undefined)[]): number | undefined {
  return values.some(value => value == null) ? undefined : values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}
