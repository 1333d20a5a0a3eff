import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { isMissing, type ApiError } from '../../../api/client/errors/api-error.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import type { Pin } from '../../../domain/runs/pins.ts'
import { reportedTrials } from '../../../domain/runs/counts.ts'
import { createTrialReader, type TrialReader } from '../../../domain/runs/trial-reader.ts'
import { estimateRemaining, runRemaining } from '../../../domain/runs/estimate.ts'
import { runProgress } from '../../../domain/runs/furthest.ts'
import { countTrials } from '../../../domain/runs/trials.ts'
import { serviceNow } from '../../../api/client/transport/service-time.ts'
import { usePlace } from '../../../tui/router/router-context.tsx'
import { useToasts } from '../../../components/toasts.tsx'
import type { PolledQuery } from '../../../hooks/answers.ts'
import { useCadence, usePoller } from '../../../hooks/use-cadence.ts'
import { useEach } from '../../../hooks/use-each.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { runsRoute } from '../route.ts'
import { passedWords, runLook } from '../../../components/records/run-look.ts'
import { followedName, hasEnded, type Followed } from './chips.ts'

const NONE: readonly Pin[] = []
/** Number of pages of each run's trials that a round reads. */
const PAGES_A_ROUND = 1
/** How much more rarely a run is read here if another part of the screen reads it too. */
const SHARED_FACTOR = 3

/** Returns the followed runs; renders again when they change. */
export function usePins(): readonly Pin[] {
  const { pins } = useWorkspace()
  return useSyncExternalStore(pins?.subscribe ?? never, () => pins?.list() ?? NONE)
}

/** Returns every followed run with its state, polled within the budget on any screen; ended ones first. */
export function useFollowed(): readonly Followed[] {
  const { client, queries } = useWorkspace()
  const queryClient = useQueryClient()
  const pins = usePins()
  const readProgress = useProgress(pins)
  const live = pins.filter(({ projectId, runId }) => {
    return !isOver(queryClient.getQueryState(queries.runs.get.options({ projectId, runId }).queryKey) ?? {})
  }).length
  const pause = useCadence()
  usePoller(live > 0)
  // One poller handles all followed runs in turns.
  const read = { kind: 'live', requests: 1 + PAGES_A_ROUND, times: live } as const
  const { first, reads: runs } = useEach(pins, {
    nameOf: nameOfPin,
    options: ({ projectId, runId }) => ({
      ...queries.runs.get.options({ projectId, runId }),
      refetchInterval: (query: PolledQuery<EvalRun>) => {
        const times = query.getObserversCount() > 1 ? SHARED_FACTOR * live : live
        return pause(!isOver(query.state) && { ...read, times }, query)
      },
    }),
  })
  const told = runs.map(({ data }) => data && reportedTrials(data))
  const { reads: progress } = useEach(first, {
    nameOf: nameOfPin,
    options: (pin, index) => {
      const status = runs[index]?.data?.status
      const isLive = status !== undefined && !isTerminalRunStatus(status) && !told[index]
      return {
        queryKey: followedKey(pin),
        queryFn: () => readProgress(pin),
        enabled: isLive,
        refetchInterval: (query: PolledQuery) => pause(live > 0 && read, query),
      }
    },
  })
  const followed = first.map((pin, index): Followed => {
    const { data: run, error } = runs[index]!
    const known = toldProgress(run) ?? progress[index]?.data
    const share = known?.counts && runProgress(client)(pin.runId, known.counts)
    return { pin, run, ...known, share, isGone: isGone({ data: run, error }) }
  })
  useEndNotices(followed)
  return [...followed.filter(hasEnded), ...followed.filter(each => !hasEnded(each))]
}

type RunState = { data?: { status: string } | undefined; error?: ApiError | null | undefined }

function isOver(state: RunState): boolean {
  return isEnded(state.data) || isGone(state)
}

/** Whether it can no longer be read; a run that had already ended keeps its data. */
function isGone({ data, error }: RunState): boolean {
  return !isEnded(data) && isMissing(error)
}

function isEnded(run: { status: string } | undefined): boolean {
  return run !== undefined && isTerminalRunStatus(run.status)
}

/** The progress of a run; unknown without counts. */
type Progress = Pick<Followed, 'counts' | 'remaining'>

/** Returns the progress of a run by its own counts, if its service reports them. */
function toldProgress(run: EvalRun | undefined): Progress | undefined {
  const counts = run && reportedTrials(run)
  return counts && { counts, remaining: runRemaining(run, counts, serviceNow()) }
}

function nameOfPin({ projectId, runId }: Pin): string {
  return `${projectId}/${runId}`
}

const followedKey = ({ projectId, runId }: Pin) => ['followed', projectId, runId] as const

/**
 * Reads the trials of each followed run whose service does not count them. Data of runs no longer followed is dropped.
 */
function useProgress(pins: readonly Pin[]) {
  const { client } = useWorkspace()
  const readers = useRef(new Map<string, TrialReader>())
  useEffect(() => {
    for (const runId of readers.current.keys())
      if (!pins.some(pin => pin.runId === runId)) readers.current.delete(runId)
  }, [pins])
  return async ({ projectId, runId }: Pin): Promise<Progress> => {
    const call = { owner: runId, priority: 'visible', purpose: 'live' } as const
    const reader =
      readers.current.get(runId) ??
      createTrialReader(client, { projectId, runId }, call, { keep: withProgress, maxPagesPerPoll: PAGES_A_ROUND })
    readers.current.set(runId, reader)
    const trials = await reader.read()
    // A share of an unknown total would be a guess.
    if (!reader.isWhole) return {}
    const counts = countTrials(trials)
    const remaining = estimateRemaining(trials, counts.total - counts.ended, serviceNow())
    return { counts, remaining }
  }
}

/**
 * Keeps only the data that shows the progress of a run; the rest of ten thousand trials would be most of the program's
 * memory.
 */
function withProgress(trial: EvalIteration): EvalIteration {
  const { id, iterationNumber, status, result, startedAt, durationMs } = trial
  return { id, iterationNumber, status, result, startedAt, durationMs }
}

/** Announces once how a followed run ended that was seen in flight; if it is on screen, its pane announces it. */
function useEndNotices(followed: readonly Followed[]): void {
  const toasts = useToasts()
  const { screen, params } = usePlace()
  const inFlight = useRef(new Set<string>())
  const shownRun = screen === runsRoute.screen ? params.runId : undefined
  useEffect(() => {
    for (const each of followed) {
      const { pin, run } = each
      if (!hasEnded(each)) {
        if (run) inFlight.current.add(pin.runId)
      } else if (run && inFlight.current.delete(pin.runId) && pin.runId !== shownRun) {
        if (each.isGone) {
          toasts.show('warn', `Run ${followedName(each)} is gone: it was deleted, or this key can no longer see it.`)
          continue
        }
        const look = runLook(run)
        const words = [`Run ${followedName(each)} ${look.word}`, passedWords(run)].filter(Boolean)
        toasts.show(look.tone, `${words.join(': ')}.`)
      }
    }
  }, [followed, shownRun, toasts])
}

function never(): () => void {
  return () => undefined
}
