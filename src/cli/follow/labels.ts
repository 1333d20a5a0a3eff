import type { EvalIteration } from '../../api/contract/iterations.ts'
import { CAUSES, causeOf } from '../../domain/runs/causes.ts'
import { passRate } from '../../domain/runs/trials.ts'
import { variantNames } from '../../domain/runs/variants.ts'
import { inUnit } from '../../domain/runs/counts.ts'
import { judgeAdvice } from '../../domain/runs/judges.ts'
import { distributionOf } from '../../domain/runs/distribution.ts'
import { durationOf, tokensOf } from '../../domain/runs/gates.ts'
import { formatDuration, plural } from '../../lib/format.ts'
import { shareLabel } from '../../domain/runs/labels.ts'
import { clean } from '../../tui/theme/text.ts'
import { baselineKinds, type BaselineReport } from '../../domain/runs/baseline-report.ts'
import type { Comparison, Conclusion } from './conclusion.ts'
import type { Followed } from './follow-run.ts'

/** Returns the final lines for people: the counts, the gates and the comparison. */
export function conclusionLines(conclusion: Conclusion, unknown: string): string[] {
  const { run, gates, comparison, baseline, unchecked, flaky, reruns, ranAgain } = conclusion
  return [
    ...(run ? [`${nameOf(run)}: ${countWords(conclusion, unknown)}`] : []),
    ...reruns.map(({ runId, outcome, why }) => {
      const named = runId === null ? 'rerun of the failed cases' : `rerun ${clean(runId)} of the failed cases`
      return `${named}: ${why === null ? outcome : `does not count, ${clean(why)}`}`
    }),
    ...flakyLines(flaky),
    ...gates.map(
      ({ gate, passed, says }) =>
        `gate ${gate}: ${passed === null ? 'not known' : passed ? 'passed' : 'FAILED'}, ${clean(says)}`,
    ),
    ...(unchecked.length > 0 ? [`passed without any check: ${namesOf(unchecked)}`] : []),
    ...(ranAgain.length > 0 ? [`run again after their server broke under several trials: ${namesOf(ranAgain)}`] : []),
    ...judgeAdvice(run?.judges).map(
      ({ name, words }) => `judge, as advice beside the verdict: ${name}: ${clean(words)}`,
    ),
    ...(comparison ? comparisonLines(comparison) : []),
    ...(baseline ? baselineLines(baseline) : []),
  ]
}

function flakyLines(flaky: Conclusion['flaky']): string[] {
  const lines = flaky.slice(0, MOST_TITLES).map(({ title, runId, why }) => {
    return `flaky: ${clean(title)}, passed in ${clean(runId)}${why === null ? '' : `, else: ${clean(why)}`}`
  })
  const more = flaky.length - lines.length
  return [...lines, ...(more > 0 ? [`flaky: ${more} more`] : [])]
}

/** Describes the counts of the run in its own unit; in trials if it reports none. */
function countWords({ counts, passRate: rateOfTrials, measured }: Conclusion, unknown: string): string {
  const share = measured ? passRate(measured) : rateOfTrials
  const rate = share == null ? unknown : shareLabel(share)
  const { passed, failed } = measured ?? counts
  const ended = measured
    ? [[measured.undecided ?? 0, 'without a verdict'] as const]
    : [
        [counts.ungraded, 'without a verdict'] as const,
        [counts.cancelled, 'cancelled'] as const,
        [counts.pending + counts.running, 'not ended'] as const,
      ]
  const parts = [
    `${passed} passed`,
    `${failed} failed`,
    ...ended.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : [])),
  ]
  const { total: count, unit } = measured ?? counts
  const total = count === null ? unit : inUnit(count, unit)
  return `${total}, ${parts.join(', ')} (${rate} of the graded passed)`
}

/** Returns how long a run and its trials took and how many tokens they used, as far as that is known. */
export function amountLines({ run, trials }: Pick<Followed, 'run' | 'trials'>): string[] {
  const took = run && durationOf(run)
  const each = distributionOf(trials.flatMap(({ durationMs }) => durationMs ?? []))
  const tokens = trials.some(({ tokensUsed }) => tokensUsed) ? tokensOf(trials) : undefined
  const parts = [
    ...(took === undefined ? [] : [`took ${formatDuration(took)}`]),
    ...(each ? [`a trial p50 ${formatDuration(each.p50)}, p95 ${formatDuration(each.p95)}`] : []),
    ...(tokens === undefined ? [] : [plural(tokens, 'token')]),
  ]
  return parts.length > 0 ? [parts.join('; ')] : []
}

function nameOf({ id, runNumber }: { id: string; runNumber?: number | null | undefined }): string {
  return runNumber == null ? `run ${clean(id)}` : `run #${runNumber} (${clean(id)})`
}

function namesOf(titles: readonly string[]): string {
  const more = titles.length - MOST_TITLES
  return clean(titles.slice(0, MOST_TITLES).join(', ')) + (more > 0 ? ` and ${more} more` : '')
}

const NAMED_KINDS = ['new-failure', 'still-failing', 'fixed'] as const
const MOST_TITLES = 10

/** Lists the count of each kind of change, and the first cases of each. */
export function comparisonLines({ baseRunId, base, counts, cases }: Comparison): string[] {
  const kinds = [...NAMED_KINDS, 'flaky'] as const
  const countOf = (kind: (typeof kinds)[number]): string =>
    kind === 'new-failure' ? plural(counts[kind], 'new failure') : `${counts[kind]} ${kind.replace('-', ' ')}`
  const all = kinds.map(countOf).join(', ')
  const remarks = [
    base.passed || base.isNamed ? '' : 'which did not pass itself',
    base.differs.length > 0 ? `of another ${base.differs.join(' and ')}` : '',
  ].filter(remark => remark !== '')
  const lines = [`${[`against ${clean(baseRunId)}`, ...remarks].join(', ')}: ${all}`]
  for (const kind of kinds) {
    const of = cases.filter(each => (kind === 'flaky' ? each.flaky : each.change === kind))
    lines.push(
      ...titleLines(
        kind.replace('-', ' '),
        of.map(({ title }) => title),
      ),
    )
  }
  return lines
}

/** Lists how many cases match the baseline file, how many differ in which way, and the first names of each kind. */
function baselineLines(baseline: BaselineReport): string[] {
  const kinds = baselineKinds(baseline)
  const counts = kinds.map(({ words, titles }) => `${titles.length} ${words}`).join(', ')
  return [
    `against ${clean(baseline.file)}: ${counts}`,
    ...kinds.flatMap(({ words, titles }) => titleLines(words, titles)),
  ]
}

function titleLines(words: string, titles: readonly string[]): string[] {
  const more = titles.length - MOST_TITLES
  return [
    ...titles.slice(0, MOST_TITLES).map(title => `  ${words}: ${clean(title)}`),
    ...(more > 0 ? [`  ${words}: ${more} more`] : []),
  ]
}

/**
 * Lists the trials that need attention, with the reason and where to look.
 * @param causesOf returns further reasons, which are listed below each trial
 */
export function failureLines(
  trials: readonly EvalIteration[],
  causesOf: (trial: EvalIteration) => readonly string[] = () => [],
): string[] {
  const nameOf = variantNames(trials)
  const failures = trials.flatMap(trial => {
    const cause = causeOf(trial)
    if (cause === undefined) return []
    const title = clean(nameOf(trial))
    const line = `  ${title}, trial ${trial.iterationNumber}: ${clean(trial.error ?? CAUSES[cause])} [${cause}]`
    return [[line, ...causesOf(trial).map(says => `    ${clean(says)}`)]]
  })
  const more = failures.length - MOST_FAILURES
  return [...failures.slice(0, MOST_FAILURES).flat(), ...(more > 0 ? [`  and ${more} more`] : [])]
}

const MOST_FAILURES = 20
