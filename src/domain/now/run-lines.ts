import { least } from '../../lib/extremes.ts'
import { runNumberOf, type EvalRun } from '../../api/contract/runs.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite, EvalSuiteDetail } from '../../api/contract/suites.ts'
import { localClock, localDay, localMoment } from '../../lib/times.ts'
import { onceFor } from '../../lib/once-for.ts'
import { runCounts, reportedTrials } from '../runs/counts.ts'
import { estimateRemaining, remainingLabel, runRemaining } from '../runs/estimate.ts'
import { outcomeOfRun, whyUndecided, type RunOutcome } from '../runs/outcome.ts'
import {
  type ListedRun,
  partLabels,
  reportRun,
  statesNoRun,
  type SuiteRecord,
  type SuiteState,
  suiteStateOf,
} from '../runs/suite-state.ts'
import { countTrials, type TrialCounts } from '../runs/trials.ts'
import { setupReasonOf } from './groups.ts'
import { newsSince, NO_HISTORY, type NowLine, type NowProject, type Read } from './line.ts'
import type { NowReadKind } from './plan.ts'
import { isProvenByRecord, lacksLatest, RUNS_READ, whyUnproven } from './proof.ts'
import { dueRhythm, mayBeScheduled, missedAt, rhythmOf } from './rhythm.ts'
import { type Week, weekOf } from './week.ts'
import { endedBadly, isInFlight, needsAttention } from './worth.ts'

/** Milliseconds for which a run without a verdict is reported. A failure is reported until the suite passes. */
export const DAY_MS = 24 * 60 * 60_000

type SuiteOf = Pick<EvalSuite, 'id' | 'name'>

/** Trials read of a run in flight. `whole` is false if there are more pages. */
export type TrialsRead = Read<{ items: readonly EvalIteration[]; whole: boolean }>

type IsRerun = (runId: string) => boolean

/**
 * Whether a suite's runs are worth reading: its last run is in flight, has failures, or may have ended within the last
 * day; or the suite may be failing or due, or is not known to have passed. Figures are not a verdict, so a suite whose
 * record has nothing else is read once.
 * @param known its runs as last read
 * @param judge {@link stateOfRuns} with what is known of reruns
 */
export function wantsRuns(
  suite: SuiteRecord,
  now: number,
  known?: readonly EvalRun[],
  judge: (runs: readonly EvalRun[]) => SuiteState = stateOfRuns,
): boolean {
  const { latestRun } = suite
  if (statesNoRun(suite)) return false
  if (needsAttention(suite)) return true
  const createdAt = toEpochMs(latestRun?.createdAt)
  // A long run was created before the day on which it ended. A run without a time may be of any day.
  if (latestRun && (createdAt === undefined || createdAt > now - 2 * DAY_MS)) return true
  if (!known || lacksLatest(suite, known)) return !isProvenByRecord(suite)
  if (!latestRun) return true
  const state = judge(known)
  const isKnown = !isFault(state.outcome) && whyUnproven(suite, known, state) === undefined
  return !isKnown || rhythmIn(known) !== undefined || wantsSchedule(known)
}

/**
 * Returns the state of a suite according to its runs.
 * @param isRerun as for {@link runLines}
 */
export function stateOfRuns(runs: readonly EvalRun[], isRerun?: IsRerun): SuiteState {
  return suiteStateOf({ suite: {}, runs, factsOf: id => ({ isRerun: isRerun?.(id) }) })
}

/** Whether an answer shows only that the last run of a suite passed, so that it can be processed later. */
export function tellsOnlyPassed(kind: NowReadKind, data: unknown): boolean {
  const { items } = Object(data) as { items?: readonly EvalRun[] }
  return kind === 'runs' && Array.isArray(items) && stateOfRuns(items).outcome === 'passed'
}

function isFault(outcome: SuiteState['outcome']): boolean {
  return outcome === 'failed' || outcome === 'broken'
}

function madeAt(runs: readonly EvalRun[]): number[] {
  return runs.flatMap(({ createdAt }) => toEpochMs(createdAt) ?? [])
}

const rhythmIn = onceFor((runs: readonly EvalRun[]) => rhythmOf(madeAt(runs)))

/** Whether a suite with these runs may have a schedule, so that its settings are worth reading. */
export const wantsSchedule = onceFor((runs: readonly EvalRun[]) => mayBeScheduled(madeAt(runs)))

type RunLinesOf = {
  project: NowProject
  suite: SuiteOf
  runs: Read<readonly EvalRun[]>
  trialsOf: (runId: string) => TrialsRead | undefined
  /** Whether a run is known to be a rerun of failed cases, which its record may not show. */
  isRerun?: IsRerun | undefined
  /** Undefined if the schedule was not read. */
  schedule?: EvalSuiteDetail['schedule'] | undefined
  /** The service's current time, and its time when the runs were read, both in epoch milliseconds. */
  now: number
  asOf: number
}

/**
 * Returns lines for the runs of a suite in flight, and for its current state if it did not pass or did not run when
 * due.
 */
export function runLines(options: RunLinesOf): NowLine[] {
  const { project, suite, runs, isRerun, schedule, now, asOf } = options
  const week = weekOfRuns(runs.value, now)
  const inFlight = runs.value.filter(run => outcomeOfRun(run) === 'in-flight')
  const live = inFlight.map(run => liveLine(options, run, week))
  const state = stateOfRuns(runs.value, isRerun)
  const judged = runs.value.find(({ id }) => id === state.judgedBy?.run.id)
  const times = madeAt(runs.value)
  const dueAt = missedAt(dueRhythm(times, rhythmIn(runs.value), schedule), times, asOf)
  const bad = judged && badOf(state, judged, suite, options)
  if (!judged || (!bad && dueAt === undefined)) return live
  const { id: runId, suiteId } = judged
  const missed = dueAt === undefined ? [] : [`did not run, due ${localMoment(dueAt, now)} local time`]
  const line: NowLine = {
    ...NO_HISTORY,
    urgency: 'high',
    isFault: true,
    mark: 'error',
    word: 'missing',
    at: dueAt,
    target: { to: 'suite', projectId: project.id, suiteId },
    ...bad,
    ...(bad && dueAt !== undefined && { urgency: 'high', isFault: true, mark: 'error', cause: undefined }),
    news: bad?.news ?? newsSince(dueAt, now),
    // The line of the suite is the same if another run fails.
    key: `suite ${project.id} ${suiteId}`,
    kind: 'run',
    project,
    readAt: runs.at,
    week,
    sentence: bad ? [bad.sentence, ...missed].join('; ') : `${suiteName(suite)} ${missed.join('')}`,
    fingerprint: [bad && `${bad.word} ${runId}`, dueAt !== undefined && `due ${dueAt}`].filter(Boolean).join(' '),
    thing: { kind: 'run', record: judged },
  }
  return [...live, line]
}

/**
 * Returns what a suite's own record says about its last run until that run is read: that something failed, or that the
 * run did not complete. The record does not say whether a run with a threshold passed.
 * @param at when the suite was read, in epoch milliseconds
 */
export function unreadRunLines(project: NowProject, suite: EvalSuite, at: number | undefined): NowLine[] {
  const { latestRun } = suite
  const { id, status, failed, passed, createdAt } = latestRun ?? {}
  const runId = id ?? undefined
  const isBroken = endedBadly(suite)
  if (isInFlight(suite) || (!failed && !isBroken)) return []
  const ofAll = passed == null ? `${failed}` : `${failed} of ${(failed ?? 0) + passed}`
  const words = failed ? `${ofAll} failed in its last run, whose verdict` : `its last run ended as ${status}, and`
  return [
    {
      ...NO_HISTORY,
      key: `suite ${project.id} ${suite.id}`,
      kind: 'run',
      project,
      urgency: 'high',
      isFault: false,
      mark: 'warn',
      word: 'not read',
      sentence: `${suiteName(suite)}: ${words} is not read yet`,
      at: toEpochMs(createdAt),
      readAt: at,
      // With this fingerprint the line stays acknowledged.
      fingerprint: `${failed ? 'failed' : 'broken'} ${runId}`,
      target:
        runId === undefined
          ? { to: 'suite', projectId: project.id, suiteId: suite.id }
          : { to: 'run', projectId: project.id, suiteId: suite.id, runId, failed: true },
      ...(runId !== undefined && { thing: { kind: 'run', record: { ...latestRun, id: runId } } }),
    },
  ]
}

/** Returns the part of a suite's state that is worth a line; undefined if it passed, or ended long ago. */
function badOf(state: SuiteState, judged: EvalRun, suite: SuiteOf, { runs, project, now }: RunLinesOf) {
  const { outcome } = state
  const endedAt = endOf(judged)
  const isRed = isFault(outcome)
  if (!isReported(outcome) || endedAt === undefined || (!isRed && endedAt < now - DAY_MS)) return undefined
  const since = state.since && endOf(state.since.run)
  return {
    urgency: isRed && state.latest?.outcome !== 'passed' ? 'high' : 'medium',
    isFault: isRed,
    mark: isRed ? 'error' : 'warn',
    word: outcome,
    sentence: `${nameOf(suite, judged)} ${endWords(outcome, judged)}${historyWords(state, runs.value)}`,
    at: since,
    news: newsSince(since, now, passedBefore(state, runs.value)),
    cause: isRed ? setupReasonOf(judged) : undefined,
    target: { to: 'run', projectId: project.id, suiteId: judged.suiteId, runId: judged.id, failed: true },
  } satisfies Partial<NowLine>
}

function liveLine({ project, suite, runs, trialsOf, now }: RunLinesOf, run: EvalRun, week: Week): NowLine {
  const trials = reportedTrials(run) ? undefined : trialsOf(run.id)
  const name = nameOf(suite, run)
  return {
    ...NO_HISTORY,
    key: `run ${run.id}`,
    kind: 'run',
    project,
    thing: { kind: 'run', record: run },
    urgency: 'low',
    isFault: false,
    mark: run.status === 'pending' ? 'pending' : 'live',
    word: run.status,
    sentence: `${name}: ${progressWords(run, trials, now)}`,
    at: toEpochMs(run.createdAt),
    // No part of the line is older than this.
    readAt: runs.at === undefined || trials?.at === undefined ? (runs.at ?? trials?.at) : Math.min(runs.at, trials.at),
    week,
    fingerprint: 'in flight',
    target: { to: 'run', projectId: project.id, suiteId: run.suiteId, runId: run.id, failed: false, inFlight: name },
  }
}

function weekOfRuns(runs: readonly EvalRun[], now: number): Week {
  const ended = runs.flatMap(run => {
    const [outcome, at] = [outcomeOfRun(run), endOf(run)]
    if (at === undefined || outcome === 'in-flight' || outcome === 'cancelled') return []
    return [{ at, failed: isFault(outcome) }]
  })
  return weekOf(ended, now, runs.length < RUNS_READ ? undefined : least(madeAt(runs)))
}

/** Whether a run passed before the first one with this state. */
function passedBefore({ since }: SuiteState, runs: readonly EvalRun[]): boolean {
  const first = since && toEpochMs(since.run.createdAt)
  return runs.some(run => outcomeOfRun(run) === 'passed' && (toEpochMs(run.createdAt) ?? 0) < (first ?? 0))
}

/** Returns the history, such as `; failed since #5, 3 nights; #8 passed 3 of 6 cases`. */
function historyWords({ outcome, judgedBy, since, latest }: SuiteState, runs: readonly EvalRun[]): string {
  const first = since && toEpochMs(since.run.createdAt)
  const same = runs.filter(run => outcomeOfRun(run) === outcome && (toEpochMs(run.createdAt) ?? 0) >= (first ?? 0))
  const parts = [
    since && since !== judgedBy ? `${outcome} since ${runNumberOf(since.run)}${daysWords(madeAt(same))}` : '',
    latest?.outcome === 'passed'
      ? [runNumberOf(latest.run), 'passed', partLabels(latest).join(', ')].join(' ').trimEnd()
      : '',
  ]
  return parts.map(part => part && `; ${part}`).join('')
}

const [MORNING, EVENING] = [7, 19]

/** Returns `, 3 nights` if runs were created on several days, or days if one of them was created by day. */
function daysWords(times: readonly number[]): string {
  const days = new Set(times.map(localDay)).size
  if (days < 2) return ''
  const areNights = times
    .map(time => Number.parseInt(localClock(time)))
    .every(hour => hour < MORNING || hour >= EVENING)
  return `, ${days} ${areNights ? 'nights' : 'days'}`
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
  return `${suiteName(suite)} ${runNumberOf(run)}`
}

function suiteName({ name, id }: SuiteOf): string {
  return name ?? id
}

/** Returns the progress of a run, by its own counts if the service reports them, else by its trials. */
function progressWords(run: EvalRun, trials: TrialsRead | undefined, now: number): string {
  const reported = reportedTrials(run)
  if (reported) return `${endedWords(reported)}${leftWords(reported, runRemaining(run, reported, now))}`
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
