import { runNumberOf, type EvalRun } from '../../api/contract/runs.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { runCounts, reportedTrials } from '../runs/counts.ts'
import { averageRemaining, estimateRemaining, remainingLabel } from '../runs/estimate.ts'
import { outcomeOfRun, whyUndecided, type RunOutcome } from '../runs/outcome.ts'
import { type ListedRun, reportRun, type SuiteState, suiteStateOf, partLabels } from '../runs/suite-state.ts'
import { countTrials, type TrialCounts } from '../runs/trials.ts'
import type { NowLine, NowProject, Read } from './line.ts'
import { needsAttention } from './worth.ts'

/** How far back a run without a verdict is reported, in milliseconds; what failed is reported until it passes. */
export const DAY_MS = 24 * 60 * 60_000

type SuiteOf = Pick<EvalSuite, 'id' | 'name'>

/** What is read of the trials of a run in flight; `whole` is false where there are more pages. */
export type TrialsRead = Read<{ items: readonly EvalIteration[]; whole: boolean }>

/**
 * Whether the suite's last run makes its runs worth reading: it is in flight, has failures, or may have ended within
 * the last day.
 */
export function wantsRuns({ latestRun }: Pick<EvalSuite, 'latestRun'>, now: number): boolean {
  if (!latestRun?.id) return false
  if (needsAttention({ latestRun })) return true
  const createdAt = toEpochMs(latestRun.createdAt)
  // One that ran long was created before the day in which it ended.
  return createdAt === undefined || createdAt > now - 2 * DAY_MS
}

/** The runs of a suite that are in flight, and its present state where it did not pass. */
export function runLines(options: {
  project: NowProject
  suite: SuiteOf
  runs: Read<readonly EvalRun[]>
  trialsOf: (runId: string) => TrialsRead | undefined
  /** Whether a run is known to be a rerun of failed cases, though its record does not say so. */
  isRerun?: ((runId: string) => boolean) | undefined
  now: number
}): NowLine[] {
  const { project, suite, runs, trialsOf, now } = options
  const common = (run: EvalRun) => ({
    key: `run ${run.id}`,
    kind: 'run' as const,
    project,
    readAt: runs.at,
    thing: { kind: 'run', record: run },
  })
  const targetOf = (run: EvalRun, failed: boolean) =>
    ({ to: 'run', projectId: project.id, suiteId: run.suiteId, runId: run.id, failed }) as const
  const live = runs.value.flatMap((run): NowLine[] => {
    if (outcomeOfRun(run) !== 'in-flight') return []
    const trials = trialsOf(run.id)
    return [
      {
        ...common(run),
        urgency: 'know',
        isFault: false,
        mark: run.status === 'pending' ? 'pending' : 'live',
        word: run.status,
        sentence: `${nameOf(suite, run)}: ${progressWords(run, trials, now)}`,
        at: toEpochMs(run.createdAt),
        readAt: trials?.at ?? runs.at,
        fingerprint: 'in flight',
        target: { ...targetOf(run, false), inFlight: nameOf(suite, run) },
      },
    ]
  })
  const isRerun = (runId: string) => ({ isRerun: options.isRerun?.(runId) })
  const state = suiteStateOf({ suite: {}, runs: runs.value, factsOf: isRerun })
  const { outcome } = state
  const judged = runs.value.find(({ id }) => id === state.judgedBy?.run.id)
  const endedAt = judged && endOf(judged)
  const isFault = outcome === 'failed' || outcome === 'broken'
  if (!judged || !isReported(outcome) || endedAt === undefined) return live
  if (!isFault && endedAt < now - DAY_MS) return live
  const line: NowLine = {
    ...common(judged),
    // The suite's line stays the same one when another run of it fails.
    key: `suite ${project.id} ${judged.suiteId}`,
    urgency: isFault && state.latest?.outcome !== 'passed' ? 'act' : 'look',
    isFault,
    mark: isFault ? 'error' : 'warn',
    word: outcome,
    sentence: `${nameOf(suite, judged)} ${endWords(outcome, judged)}${historyWords(state)}`,
    at: state.since && endOf(state.since.run),
    fingerprint: `${outcome} ${judged.id}`,
    target: targetOf(judged, true),
  }
  return [...live, line]
}

/** `; failed since #5; #8 passed 3 of 6 cases`. */
function historyWords({ outcome, judgedBy, since, latest }: SuiteState): string {
  const parts = [
    since && since !== judgedBy ? `${outcome} since ${runNumberOf(since.run)}` : '',
    latest?.outcome === 'passed'
      ? [runNumberOf(latest.run), 'passed', partLabels(latest).join(', ')].join(' ').trimEnd()
      : '',
  ]
  return parts.map(part => part && `; ${part}`).join('')
}

function endOf({ completedAt, createdAt }: ListedRun): number | undefined {
  return toEpochMs(completedAt) ?? toEpochMs(createdAt)
}

const REPORTED = ['failed', 'broken', 'inconclusive', 'undecided'] as const satisfies readonly RunOutcome[]
type Reported = (typeof REPORTED)[number]

function isReported(outcome: SuiteState['outcome']): outcome is Reported {
  return (REPORTED as readonly SuiteState['outcome'][]).includes(outcome)
}

function nameOf(suite: SuiteOf, run: EvalRun): string {
  return `${suite.name ?? suite.id} ${runNumberOf(run)}`
}

/** How far a run is by its own counts, where its service reports them; else by its trials. */
function progressWords(run: EvalRun, trials: TrialsRead | undefined, now: number): string {
  const reported = reportedTrials(run)
  if (reported)
    return `${endedWords(reported)}${leftWords(reported, averageRemaining(reported, toEpochMs(run.createdAt), now))}`
  if (!trials) return 'progress not read yet'
  const { items, whole } = trials.value
  const counts = countTrials(items)
  if (!whole && counts.total > 0) return endedWords(counts, ' or more')
  return `${endedWords(counts)}${leftWords(counts, estimateRemaining(items, counts.total - counts.ended, now))}`
}

function endedWords({ ended, total, failed }: TrialCounts, more = ''): string {
  if (total === 0) return 'no trial yet'
  return `${ended} of ${total}${more} trials ended${failed > 0 ? `, ${failed} failed` : ''}`
}

function leftWords({ total }: TrialCounts, remaining: number | undefined): string {
  return total === 0 ? '' : `, ${remainingLabel(remaining)}`
}

function endWords(outcome: Reported, run: EvalRun): string {
  if (outcome === 'broken') return `ended as ${run.status} without having executed`
  if (outcome !== 'failed') {
    const why = whyUndecided(run)
    const end = outcome === 'undecided' ? 'ended without a verdict' : 'is inconclusive, its verdict was withheld'
    return `${end}${why === undefined ? '' : `: ${why}`}`
  }
  const counts = runCounts(run)
  const graded = counts && counts.passed + counts.failed
  const passed = counts && [`${counts.passed} of ${graded}`, counts.unit, 'passed'].filter(Boolean).join(' ')
  const said = [passed, ...partLabels(reportRun(run))].filter(Boolean).join(', ')
  return said === '' ? 'failed' : `failed: ${said}`
}
