import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { serviceNow, serviceTime } from '../../api/client/transport/service-time.ts'
import type { EvalSuite, EvalSuiteDetail } from '../../api/contract/suites.ts'
import type { NowLine, NowProject } from '../../domain/now/line.ts'
import { reportedTrials } from '../../domain/runs/counts.ts'
import { countTrials } from '../../domain/runs/trials.ts'
import { lacksLatest, RUNS_READ, whyUnproven } from '../../domain/now/proof.ts'
import { DAY_MS, runLines, stateOfRuns, unreadRunLines, wantsRuns, wantsSchedule } from '../../domain/now/run-lines.ts'
import type { SuiteState } from '../../domain/runs/suite-state.ts'
import { isInFlight, needsAttention } from '../../domain/now/worth.ts'
import { onceFor, renewedFor } from '../../lib/once-for.ts'
import { hashOf } from '../../hooks/use-query-states.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { hasMore, type NowSource, sourceOf } from './sources.ts'
import { type NowAnswer, type NowPlan, readIn, type ReadOf, readOf, useReads } from './use-reads.ts'

const TRIALS_READ = 200
const NO_RUNS: readonly EvalRun[] = []
const NO_SUITES: readonly SuiteOf[] = []

/** A suite with how its runs are read; the same object for as long as the suite is. */
type SuiteRead = ReturnType<ReturnType<ReturnType<typeof useSuiteReads>>>
type SuiteOf = ReadOf & { read: SuiteRead; readAt: number | undefined }

/**
 * The runs of every suite whose last one is in flight, failed or of the last day, or that may be red or due; and the
 * trials of those in flight that do not count them themselves. `suites` are in the order of the projects.
 */
export function useRunReads(
  plan: NowPlan,
  projects: readonly NowProject[],
  suites: readonly NowAnswer<{ items: readonly EvalSuite[] }>[],
  now: number,
) {
  const { queries, reruns } = useWorkspace()
  const queryClient = useQueryClient()
  const changes = useRef(new Map<string, Change>())
  const readOfSuite = useSuiteReads()
  const isRerun = (runId: string): boolean => reruns?.parentOf(runId) !== undefined
  const [judge] = useState(() => onceFor((runs: readonly EvalRun[]) => stateOfRuns(runs, isRerun)))
  const knownRuns = ({ options }: SuiteRead) =>
    queryClient.getQueryCache().get<{ items: readonly EvalRun[] }>(hashOf(options))?.state
  const proven = provenIn(queryClient)
  const [keep] = useState(() => renewedFor<EvalSuite, SuiteOf>())
  const active = projects.flatMap((project, index) =>
    (suites[index]?.data?.items ?? []).flatMap(suite => {
      const readAt = suites[index]?.at
      const changedAt = changeOf(changes.current, suite, readAt)
      const read = readOfSuite(project)(suite)
      if (proven.get(suite.id) === markOf(suite)) return []
      const known = knownRuns(read)?.data?.items
      if (wantsRuns(suite, now, known, judge))
        return keep(suite, [project, readAt, changedAt], () => ({
          read,
          readAt,
          changedAt,
          projectId: project.id,
          needsAttention: needsAttention(suite),
        }))
      if (known) proven.set(suite.id, markOf(suite))
      return []
    }),
  )
  // A suite says for a while that its run is in flight, although the runs themselves said since that it ended.
  const isLive = ({ read, changedAt }: SuiteOf): boolean => {
    const known = knownRuns(read)
    const runs = known?.data?.items ?? []
    if (runs.some(({ status }) => !isTerminalRunStatus(status))) return true
    const isNewer = (known?.dataUpdatedAt ?? 0) > (changedAt ?? 0)
    return isInFlight(read.suite) && !(isNewer && runs.some(({ id }) => id === read.suite.latestRun?.id))
  }
  // Suites with a run in flight are read as often as that run, the others more rarely.
  const byLive = Map.groupBy(active, isLive)
  const [live, rested] = [byLive.get(true) ?? NO_SUITES, byLive.get(false) ?? NO_SUITES]
  const optionsOf = ({ read }: SuiteOf) => read.options
  const liveRuns = useReads('live', plan, live.map(optionsOf), live)
  const restedRuns = useReads('runs', plan, rested.map(optionsOf), rested)
  const running = live.flatMap(({ read: { project } }, index) =>
    (liveRuns[index]?.data?.items ?? [])
      .filter(run => !isTerminalRunStatus(run.status) && !reportedTrials(run))
      .map(run => ({ project, runId: run.id })),
  )
  const trials = useReads(
    'live',
    plan,
    running.map(({ project, runId }) =>
      queries.iterations.list.options({ projectId: project.id, runId, limit: TRIALS_READ }),
    ),
    running.map(({ project }) => readIn(project)),
  )
  const trialsOf = (runId: string) =>
    readOf(trials[running.findIndex(each => each.runId === runId)], ({ items, nextCursor }) => ({
      items,
      whole: !nextCursor,
    }))
  const regular = rested.filter((_, index) => wantsSchedule(restedRuns[index]?.data?.items ?? NO_RUNS))
  const schedules = useReads(
    'schedules',
    plan,
    regular.map(({ read }) => read.settings),
    regular.map(({ read }) => readIn(read.project)),
  )
  const scheduleOf = new Map(regular.map(({ read }, index) => [read, schedules[index]?.data?.schedule] as const))
  const { linesOf, sourcesOf } = useKeptLines({ trialsOf, isRerun, judge, scheduleOf, now })
  const sources: NowSource[] = [
    ...sourcesOf('runs', rested, restedRuns),
    ...sourcesOf('live', live, liveRuns),
    ...regular.map(({ read: { project, suite } }, index) =>
      sourceOf('schedules', schedules[index], project, nameOf(suite)),
    ),
    // Of a run with more trials than were read its line says so.
    ...running.map(({ project, runId }, index) => sourceOf('live', trials[index], project, runId, false)),
  ]
  return {
    answers: [...liveRuns, ...restedRuns, ...schedules, ...trials],
    lines: [...linesOf(live, liveRuns, trials), ...linesOf(rested, restedRuns, [])],
    sources,
  }
}

type RunsAnswer = NowAnswer<{ items: EvalRun[] }>
type TrialsAnswer = NowAnswer<{ items: EvalIteration[] }>

type Known = Pick<Parameters<typeof runLines>[0], 'trialsOf' | 'isRerun' | 'now'> & {
  scheduleOf: ReadonlyMap<SuiteRead, EvalSuiteDetail['schedule']>
  judge: (runs: readonly EvalRun[]) => SuiteState
}

/** Makes lines and sources of suites, those of each again once its own answer or the minute is another. */
function useKeptLines({ now, scheduleOf, judge, ...known }: Known) {
  const [keepLines] = useState(() => renewedFor<SuiteRead, NowLine[]>())
  // What is left of a run is of when a trial ended, most of a minute after the clock of the ages turned at worst.
  // By the time of each look it would grow, and be a change, while nothing ends.
  const [endedAt] = useState(() => renewedFor<SuiteRead['options'], number>())
  const linesOf = (of: readonly SuiteOf[], answers: readonly RunsAnswer[], trials: readonly TrialsAnswer[]) =>
    of.flatMap(({ read, readAt }, index) => {
      const runs = readOf(answers[index], ({ items }) => items)
      if (!runs) return unreadRunLines(read.project, read.suite, readAt)
      const schedule = scheduleOf.get(read)
      const lacks = lacksLatest(read.suite, runs.value)
      return keepLines(read, [answers[index], lacks && readAt, now, schedule, ...trials], () => {
        const ended = [
          ...runs.value.map(run => reportedTrials(run)?.ended),
          ...trials.map(({ data }) => data && countTrials(data.items).ended),
        ]
        const progressAt = endedAt(read.options, ended, serviceNow)
        const asOf = runs.at === undefined ? 0 : serviceTime(runs.at)
        const lines = runLines({ ...read, ...known, runs, schedule, now: Math.max(now, progressAt), asOf })
        return !lacks || lines.some(({ isFault }) => isFault)
          ? lines
          : [...lines, ...unreadRunLines(read.project, read.suite, readAt)]
      })
    })
  const [keepSource] = useState(() => renewedFor<SuiteRead, NowSource>())
  const sourcesOf = (kind: 'runs' | 'live', of: readonly SuiteOf[], answers: readonly RunsAnswer[]): NowSource[] =>
    of.map(({ read, changedAt = 0 }, index) =>
      keepSource(read, [kind, answers[index], changedAt, now], () => ({
        ...sourceOf(kind, answers[index], read.project, nameOf(read.suite), lacksRuns(answers[index], now)),
        isOutdated: changedAt > (answers[index]?.at ?? changedAt),
        unproven: unprovenBy(read.suite, answers[index]?.data?.items, judge),
      })),
    )
  return { linesOf, sourcesOf }
}

/** Suites by id whose runs need not be read while their record says the same, since these were read once. */
const provenIn = onceFor<QueryClient, Map<string, string>>(() => new Map())

function unprovenBy(suite: EvalSuite, runs: readonly EvalRun[] | undefined, judge: Known['judge']) {
  return runs && whyUnproven(suite, runs, judge(runs))
}

/** How the runs of each suite of a project are read. */
function useSuiteReads() {
  const { queries } = useWorkspace()
  const [of] = useState(() =>
    onceFor((project: NowProject) =>
      onceFor((suite: EvalSuite) => {
        const input = { projectId: project.id, suiteId: suite.id, limit: RUNS_READ }
        const settings = queries.suites.get.options({ projectId: project.id, suiteId: suite.id })
        return { project, suite, options: queries.runs.list.options(input), settings }
      }),
    ),
  )
  return of
}

function nameOf({ name, id }: EvalSuite): string {
  return name ?? id
}

/** Whether more runs of the last day follow those that were read, the latest of which come first. */
function lacksRuns(answer: NowAnswer<{ items: readonly EvalRun[] }> | undefined, now: number): boolean {
  const oldest = toEpochMs(answer?.data?.items.at(-1)?.createdAt)
  return hasMore(answer?.data) && (oldest === undefined || oldest > now - DAY_MS)
}

type Change = { mark: string; at: number | undefined }

/** All that a list says of a suite's runs: what it leaves out of one place shows in another. */
const markOf = onceFor(({ latestRun, totals, passRateTrend }: EvalSuite) =>
  JSON.stringify([latestRun, totals, passRateTrend]),
)

/** When the suite said something else of its runs than before, epoch milliseconds; undefined at first sight. */
function changeOf(changes: Map<string, Change>, suite: EvalSuite, at: number | undefined) {
  const mark = markOf(suite)
  const before = changes.get(suite.id)
  if (before?.mark === mark) return before.at
  changes.set(suite.id, { mark, at: before && at })
  return before && at
}
