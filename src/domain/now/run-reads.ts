import type { Queries } from '../../api/client/cache/queries.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalSuite, EvalSuiteDetail } from '../../api/contract/suites.ts'
import { firstOfEach } from '../../lib/first-of-each.ts'
import { onceFor, renewedFor } from '../../lib/once-for.ts'
import { reportedTrials } from '../runs/counts.ts'
import type { SuiteState } from '../runs/suite-state.ts'
import { countTrials } from '../runs/trials.ts'
import type { NowLine, NowProject } from './line.ts'
import { MOST_READ } from './plan.ts'
import { lacksLatest, RUNS_READ, whyUnproven } from './proof.ts'
import { type NowAnswer, type NowReader, type NowSources, readIn, type ReadOf, readOf } from './reads.ts'
import { DAY_MS, runLines, stateOfRuns, unreadRunLines, wantsRuns, wantsSchedule } from './run-lines.ts'
import { hasMore, leftSource, type NowSource, sourceOf } from './sources.ts'
import { isInFlight, needsAttention } from './worth.ts'

const TRIALS_READ = 200
const NO_RUNS: readonly EvalRun[] = []
const NO_SUITES: readonly SuiteOf[] = []

/** A suite with the settings for reading its runs; the same object as long as the suite is the same. */
type SuiteRead = ReturnType<ReturnType<ReturnType<typeof suiteReads>>>
type SuiteOf = ReadOf & { read: SuiteRead; readAt: number | undefined }

/**
 * Reads the runs of every suite whose last run is in flight, failed or is of the last day, or that may be failing or
 * due, and the trials of running ones without counts. `suites` are in the order of the projects.
 */
export function createRunReads({ queries, isRerun, serviceTime, proven }: NowSources) {
  const changes = new Map<string, Change>()
  const readOfSuite = suiteReads(queries)
  const judge = onceFor((runs: readonly EvalRun[]) => stateOfRuns(runs, isRerun))
  const keep = renewedFor<EvalSuite, SuiteOf>()
  const { linesOf, sourcesOf } = createKeptLines({ isRerun, judge, serviceTime })
  return (
    { read, known: knownOf }: NowReader,
    projects: readonly NowProject[],
    suites: readonly NowAnswer<{ items: readonly EvalSuite[] }>[],
    now: number,
  ) => {
    const knownRuns = ({ options }: SuiteRead) => knownOf(options)
    const wanted = projects.flatMap((project, index) =>
      (suites[index]?.data?.items ?? []).flatMap(suite => {
        const readAt = suites[index]?.at
        const changedAt = changeOf(changes, suite, readAt)
        const suiteRead = readOfSuite(project)(suite)
        if (proven.get(suite.id) === markOf(suite)) return []
        const known = knownRuns(suiteRead).data?.items
        if (wantsRuns(suite, now, known, judge))
          return keep(suite, [project, readAt, changedAt], () => ({
            read: suiteRead,
            readAt,
            changedAt,
            projectId: project.id,
            needsAttention: needsAttention(suite),
          }))
        if (known) proven.set(suite.id, markOf(suite))
        return []
      }),
    )
    // If there are too many, failures and running runs are read first.
    const [urgent, others] = [wanted.filter(isUrgent), wanted.filter(each => !isUrgent(each))]
    const { first: active, left } = firstOfEach([...urgent, ...others], nameOfSuite, MOST_READ.suites)
    // Whether a run is in flight. The record of a suite lags: it may show a run in flight that its runs show as ended.
    const isLive = ({ read: { suite, options }, changedAt }: SuiteOf): boolean => {
      const known = knownOf(options)
      const runs = known.data?.items ?? []
      if (runs.some(({ status }) => !isTerminalRunStatus(status))) return true
      const isNewer = (known.at ?? 0) > (changedAt ?? 0)
      return isInFlight(suite) && !(isNewer && runs.some(({ id }) => id === suite.latestRun?.id))
    }
    // Suites with a run in flight are read as often as that run, other suites less often.
    const byLive = Map.groupBy(active, isLive)
    const [live, rested] = [byLive.get(true) ?? NO_SUITES, byLive.get(false) ?? NO_SUITES]
    const liveRuns = read('live', live.map(optionsOf), live)
    const restedRuns = read('runs', rested.map(optionsOf), rested)
    const inFlight = live.flatMap(({ read: { project } }, index) =>
      (liveRuns[index]?.data?.items ?? [])
        .filter(run => !isTerminalRunStatus(run.status) && !reportedTrials(run))
        .map(run => ({ project, runId: run.id })),
    )
    const { first: running, left: unfollowed } = firstOfEach(inFlight, ({ runId }) => runId, MOST_READ.runs)
    const trials = read(
      'live',
      running.map(({ project, runId }) =>
        queries.iterations.list.options({ projectId: project.id, runId, limit: TRIALS_READ }),
      ),
      running.map(({ project }) => readIn(project)),
    )
    const trialsOfRun = new Map(running.map(({ runId }, index) => [runId, trials[index]]))
    const trialsOf = (runId: string) =>
      readOf(trialsOfRun.get(runId), ({ items, nextCursor }) => ({ items, whole: !nextCursor }))
    const regular = rested.filter((_, index) => wantsSchedule(restedRuns[index]?.data?.items ?? NO_RUNS))
    const schedules = read(
      'schedules',
      regular.map(each => each.read.settings),
      regular.map(each => readIn(each.read.project)),
    )
    const scheduleOf = new Map(regular.map((each, index) => [each.read, schedules[index]?.data?.schedule] as const))
    const known = { trialsOf, scheduleOf, now }
    const sources: NowSource[] = [
      ...sourcesOf('runs', rested, restedRuns, now),
      ...sourcesOf('live', live, liveRuns, now),
      ...regular.map(({ read: { project, suite } }, index) =>
        sourceOf('schedules', schedules[index], project, nameOf(suite)),
      ),
      // If there are more trials than were read, the line of the run shows that.
      ...running.map(({ project, runId }, index) => sourceOf('live', trials[index], project, runId, false)),
      ...leftSource('runs', left, 'suite'),
      ...leftSource('live', unfollowed, 'run'),
    ]
    return {
      answers: [...liveRuns, ...restedRuns, ...schedules, ...trials],
      lines: [...linesOf(live, liveRuns, trials, known), ...linesOf(rested, restedRuns, [], known)],
      sources,
    }
  }
}

const isUrgent = (suite: SuiteOf) => suite.needsAttention === true
const nameOfSuite = ({ read }: SuiteOf) => read.name
const optionsOf = ({ read }: SuiteOf) => read.options

type RunsAnswer = NowAnswer<{ items: EvalRun[] }>
type TrialsAnswer = NowAnswer<{ items: EvalIteration[] }>

/** Further data from which lines are built, in addition to the suite's runs. */
type Known = Pick<Parameters<typeof runLines>[0], 'trialsOf' | 'now'> & {
  scheduleOf: ReadonlyMap<SuiteRead, EvalSuiteDetail['schedule']>
}

/**
 * Builds the lines and sources of suites. Those of a suite are rebuilt when its answer changes, lines also each minute.
 */
function createKeptLines(
  of: Pick<NowSources, 'isRerun' | 'serviceTime'> & { judge: (runs: readonly EvalRun[]) => SuiteState },
) {
  const { isRerun, judge, serviceTime } = of
  const keepLines = renewedFor<SuiteRead, NowLine[]>()
  // The remaining time of a run counts from the end of a trial. Counted from each look, it would grow and cause a
  // render although nothing ended.
  const endedAt = renewedFor<SuiteRead['options'], number>()
  const linesOf = (
    suites: readonly SuiteOf[],
    answers: readonly RunsAnswer[],
    trials: readonly TrialsAnswer[],
    { trialsOf, scheduleOf, now }: Known,
  ) =>
    suites.flatMap(({ read, readAt }, index) => {
      const runs = readOf(answers[index], ({ items }) => items)
      if (!runs) return unreadRunLines(read.project, read.suite, readAt)
      const schedule = scheduleOf.get(read)
      const lacks = lacksLatest(read.suite, runs.value)
      return keepLines(read, [answers[index], lacks && readAt, now, schedule, ...trials], () => {
        const ended = [
          ...runs.value.map(run => reportedTrials(run)?.ended),
          ...trials.map(({ data }) => data && countTrials(data.items).ended),
        ]
        const progressAt = endedAt(read.options, ended, () => serviceTime(Date.now()))
        const asOf = runs.at === undefined ? 0 : serviceTime(runs.at)
        const lines = runLines({ ...read, trialsOf, isRerun, runs, schedule, now: Math.max(now, progressAt), asOf })
        return !lacks || lines.some(({ isFault }) => isFault)
          ? lines
          : [...lines, ...unreadRunLines(read.project, read.suite, readAt)]
      })
    })
  const keepSource = renewedFor<SuiteRead, NowSource>()
  const sourcesOf = (
    kind: 'runs' | 'live',
    suites: readonly SuiteOf[],
    answers: readonly RunsAnswer[],
    now: number,
  ): NowSource[] =>
    suites.map(({ read, changedAt = 0 }, index) => {
      const isPartial = lacksRuns(answers[index], now)
      return keepSource(read, [kind, answers[index], changedAt, isPartial], () => ({
        ...sourceOf(kind, answers[index], read.project, nameOf(read.suite), isPartial),
        isOutdated: changedAt > (answers[index]?.at ?? changedAt),
        unproven: unprovenBy(read.suite, answers[index]?.data?.items),
      }))
    })
  const unprovenBy = (suite: EvalSuite, runs: readonly EvalRun[] | undefined) =>
    runs && whyUnproven(suite, runs, judge(runs))
  return { linesOf, sourcesOf }
}

/** Returns how the runs of each suite of a project are read. */
function suiteReads(queries: Queries) {
  return onceFor((project: NowProject) =>
    onceFor((suite: EvalSuite) => {
      const input = { projectId: project.id, suiteId: suite.id, limit: RUNS_READ }
      const settings = queries.suites.get.options({ projectId: project.id, suiteId: suite.id })
      const name = `${project.id}/${suite.id}`
      return { project, suite, name, options: queries.runs.list.options(input), settings }
    }),
  )
}

function nameOf({ name, id }: EvalSuite): string {
  return name ?? id
}

/** Whether the last day has more runs than were read. The latest come first. */
function lacksRuns(answer: NowAnswer<{ items: readonly EvalRun[] }> | undefined, now: number): boolean {
  const oldest = toEpochMs(answer?.data?.items.at(-1)?.createdAt)
  return hasMore(answer?.data) && (oldest === undefined || oldest > now - DAY_MS)
}

type Change = { mark: string; at: number | undefined }

/** Returns all fields of a list row about a suite's runs, since a change may show in any of them. */
const markOf = onceFor(({ latestRun, totals, passRateTrend }: EvalSuite) =>
  JSON.stringify([latestRun, totals, passRateTrend]),
)

/** Returns when the suite's record of its runs last changed, in epoch milliseconds; undefined at first sight. */
function changeOf(changes: Map<string, Change>, suite: EvalSuite, at: number | undefined) {
  const mark = markOf(suite)
  const before = changes.get(suite.id)
  if (before?.mark === mark) return before.at
  changes.set(suite.id, { mark, at: before && at })
  return before && at
}
