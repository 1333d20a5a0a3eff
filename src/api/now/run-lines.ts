import type { EvalIteration } from '../contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../contract/runs.ts'
import { toEpochMs } from '../contract/shapes.ts'
import type { EvalSuite } from '../contract/suites.ts'
import { runCounts } from '../runs/counts.ts'
import { estimateRemaining, remainingWords } from '../runs/estimate.ts'
import { outcomeOfRun, whyUndecided, type RunOutcome } from '../runs/outcome.ts'
import { countTrials } from '../runs/trials.ts'
import type { NowLine, NowProject, Read } from './line.ts'

/** How far back a failed run is told of, in milliseconds. */
export const DAY_MS = 24 * 60 * 60_000

type SuiteOf = Pick<EvalSuite, 'id' | 'name'>

/** What is read of the trials of a run in flight; `whole` is false where there are more pages. */
export type TrialsRead = Read<{ items: readonly EvalIteration[]; whole: boolean }>

/** Whether the suite's last run makes its runs worth reading: it is in flight, or may have ended within the last day. */
export function wantsRuns({ latestRun }: Pick<EvalSuite, 'latestRun'>, now: number): boolean {
  if (!latestRun?.id) return false
  if (latestRun.status != null && !isTerminalRunStatus(latestRun.status)) return true
  const createdAt = toEpochMs(latestRun.createdAt)
  // One that ran long was created before the day in which it ended.
  return createdAt === undefined || createdAt > now - 2 * DAY_MS
}

/** The runs of a suite that are in flight, and those that failed or came to no verdict within the last day. */
export function runLines(options: {
  project: NowProject
  suite: SuiteOf
  runs: Read<readonly EvalRun[]>
  trialsOf: (runId: string) => TrialsRead | undefined
  now: number
}): NowLine[] {
  const { project, suite, runs, trialsOf, now } = options
  return runs.value.flatMap((run): NowLine[] => {
    const outcome = outcomeOfRun(run)
    const endedAt = toEpochMs(run.completedAt) ?? toEpochMs(run.createdAt)
    const common = {
      key: `run ${run.id}`,
      kind: 'run' as const,
      project,
      readAt: runs.at,
      thing: { kind: 'run', record: run },
    }
    const target = { to: 'run', projectId: project.id, suiteId: run.suiteId, runId: run.id } as const
    const name = nameOf(suite, run)
    if (outcome === 'in-flight') {
      const trials = trialsOf(run.id)
      return [
        {
          ...common,
          urgency: 'know',
          isFault: false,
          mark: run.status === 'pending' ? 'pending' : 'live',
          word: run.status,
          sentence: `${name}: ${progressWords(trials, now)}`,
          at: toEpochMs(run.createdAt),
          readAt: trials?.at ?? runs.at,
          fingerprint: 'in flight',
          target: { ...target, failed: false },
        } satisfies NowLine,
      ]
    }
    if (!isTold(outcome) || endedAt === undefined || endedAt < now - DAY_MS) return []
    const since = passedSince(run, runs.value)
    const isFault = outcome === 'failed' || outcome === 'broken'
    return [
      {
        ...common,
        urgency: since || !isFault ? 'look' : 'act',
        isFault,
        mark: isFault ? 'error' : 'warn',
        word: outcome,
        sentence: `${name} ${endWords(outcome, run)}${since ? `; ${shortName(since)} passed since` : ''}`,
        at: endedAt,
        fingerprint: outcome,
        target: { ...target, failed: true },
      } satisfies NowLine,
    ]
  })
}

const TOLD = ['failed', 'broken', 'inconclusive', 'undecided'] as const satisfies readonly RunOutcome[]
type Told = (typeof TOLD)[number]

function isTold(outcome: RunOutcome): outcome is Told {
  return (TOLD as readonly RunOutcome[]).includes(outcome)
}

function shortName(run: Pick<EvalRun, 'id' | 'runNumber'>): string {
  return run.runNumber == null ? run.id : `#${run.runNumber}`
}

function nameOf(suite: SuiteOf, run: EvalRun): string {
  return `${suite.name ?? suite.id} ${shortName(run)}`
}

function progressWords(trials: TrialsRead | undefined, now: number): string {
  if (!trials) return 'progress not read yet'
  const { items, whole } = trials.value
  const counts = countTrials(items)
  if (counts.total === 0) return 'no trial yet'
  const failed = counts.failed > 0 ? `, ${counts.failed} failed` : ''
  const ended = `${counts.ended} of ${counts.total}${whole ? '' : ' or more'} trials ended${failed}`
  if (!whole) return ended
  return `${ended}, ${remainingWords(estimateRemaining(items, counts.total - counts.ended, now))}`
}

function endWords(outcome: Told, run: EvalRun): string {
  if (outcome === 'broken') return `ended as ${run.status} without having executed`
  if (outcome !== 'failed') {
    const why = whyUndecided(run)
    const end =
      outcome === 'undecided' ? 'ended without a verdict' : 'is inconclusive, its verdict was withheld'
    return `${end}${why === undefined ? '' : `: ${why}`}`
  }
  const counts = runCounts(run)
  if (!counts) return 'failed'
  const graded = counts.passed + counts.failed
  return `failed: ${counts.passed} of ${graded}${counts.unit === undefined ? '' : ` ${counts.unit}`} passed`
}

/** The first run of the same suite that came later and passed. */
function passedSince(run: EvalRun, runs: readonly EvalRun[]): EvalRun | undefined {
  const from = toEpochMs(run.createdAt)
  return runs
    .filter(other => outcomeOfRun(other) === 'passed' && isLater(toEpochMs(other.createdAt), from))
    .toSorted((one, other) => (toEpochMs(one.createdAt) ?? 0) - (toEpochMs(other.createdAt) ?? 0))[0]
}

function isLater(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one > other
}
