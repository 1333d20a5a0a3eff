import { isTerminalRunStatus, type EvalRun, shortRunName } from '../../../api/contract/runs.ts'
import { runCounts, type RunCounts } from '../../../domain/runs/counts.ts'
import { partLabels, reportedRate, reportRun } from '../../../domain/runs/suite-state.ts'
import { passRate } from '../../../domain/runs/trials.ts'
import { bar } from '../../../tui/theme/charts.ts'
import { formatCount, formatShare, plural } from '../../../lib/format.ts'
import { fit, widthOf } from '../../../tui/theme/text.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import { heading } from '../../../components/lines.ts'
import type { Line } from '../../../components/viewer.tsx'

/** Number of runs drawn: this one and those just before it. */
const SHOWN = 8
const LONGEST_BAR = 30

/** `isWhole` is false if the run is known to leave out cases, and then it is not compared with others. */
type Rated = { run: EvalRun; counts: RunCounts; rate: number; parts: string[]; isWhole: boolean }

/**
 * Draws the pass rates of this run and of the latest graded ones before it, at most `SHOWN` in all, oldest first; then
 * compares it with all earlier runs given. Empty if no earlier run was graded.
 * @param runs newest first
 */
export function historyLines(
  run: EvalRun,
  runs: readonly EvalRun[],
  { symbols, width }: { symbols: Symbols; width: number },
): Line[] {
  const own = ratedOf(run)
  const earlier = runs.filter(each => isEarlier(each, run)).flatMap(each => ratedOf(each) ?? [])
  if (earlier.length === 0) return []
  const shown = [...(own ? [own] : []), ...earlier].slice(0, SHOWN).toReversed()
  const names = shown.map(each => shortRunName(each.run))
  const label = Math.max(...names.map(widthOf))
  // The unit is named once above the rows; only a run with another unit names its own.
  const unit = shown.at(-1)?.counts.unit
  const columns = Math.max(6, Math.min(LONGEST_BAR, width - label - 40))
  const rows = shown.map((rated, index): Line => {
    const { run: each, rate } = rated
    const isThis = each.id === run.id
    return {
      parts: [
        { text: `${isThis ? symbols.pointer : ' '} ${fit(names[index]!, label)} `, tone: isThis ? 'strong' : 'muted' },
        { text: bar(symbols, rate, columns), tone: isThis ? 'accent' : 'muted' },
        { text: ` ${formatShare(rate).padStart(4)}  ${countWords(rated, unit)}`, tone: isThis ? 'strong' : 'plain' },
        { text: isThis ? ' this run' : '', tone: 'accent' },
      ],
    }
  })
  const title = `Pass rate of this and earlier runs of the suite${unit === undefined ? '' : `, in ${unit}`}`
  return ['', heading(title), ...rows, standing(own, earlier)]
}

function isEarlier(each: EvalRun, run: EvalRun): boolean {
  if (each.id === run.id || !isTerminalRunStatus(each.status) || each.status === 'cancelled') return false
  if (each.runNumber == null || run.runNumber == null) return Number(each.createdAt) < Number(run.createdAt)
  return each.runNumber < run.runNumber
}

function ratedOf(run: EvalRun): Rated | undefined {
  const counts = runCounts(run)
  if (!counts || passRate(counts) === undefined) return undefined
  const report = reportRun(run)
  const { cases, isRerun } = report.coverage
  const isWhole = !isRerun && (!cases || cases.selected >= cases.total)
  return { run, counts, rate: reportedRate(report) ?? 0, parts: partLabels(report), isWhole }
}

/** Returns `1/12, 2 of 12 trials graded` if most of a run has no verdict, which counts as not passed. */
function countWords({ counts: { passed, failed, total, unit }, parts }: Rated, named: string | undefined): string {
  const own = unit === undefined || unit === named ? '' : ` ${unit}`
  return [`${formatCount(passed)}/${formatCount(total ?? passed + failed)}${own}`, ...parts].join(', ')
}

/** Runs that use another unit or leave out cases are not comparable with this one. */
function standing(own: Rated | undefined, earlier: readonly Rated[]): Line {
  if (!own) return { text: 'Nothing of this run is graded yet.', tone: 'muted', indent: 2 }
  if (!own.isWhole)
    return { text: 'It leaves out cases, so it is not compared with the earlier runs.', tone: 'muted', indent: 2 }
  const alike = earlier.filter(({ counts, isWhole }) => isWhole && counts.unit === own.counts.unit)
  const others = earlier.length - alike.length
  const better = alike.filter(({ rate }) => rate > own.rate).length
  const equal = alike.filter(({ rate }) => rate === own.rate).length
  const words =
    alike.length === 0
      ? 'No earlier run over every case counts in the same unit.'
      : `Of ${plural(alike.length, 'earlier run')}, ${better} did better, ${equal} as well, ` +
        `${alike.length - better - equal} worse.`
  const isNoted = others > 0 && alike.length > 0
  const note = isNoted ? ` ${plural(others, 'run')} counted in another unit or left out cases.` : ''
  return { text: words + note, tone: 'muted', indent: 2 }
}
