import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { ApiError } from '../../../api/api-error.ts'
import { isTerminalRunStatus } from '../../../api/contract/runs.ts'
import type { Pin } from '../../../api/runs/pins.ts'
import { createTrialReader, type TrialReader } from '../../../api/runs/trial-reader.ts'
import { countTrials } from '../../../api/runs/trials.ts'
import { UNKNOWN } from '../../../app/theme/format.ts'
import { usePlace } from '../../../app/router/router-context.tsx'
import { useToasts } from '../../../components/toasts.tsx'
import { usePoll } from '../../../hooks/use-poll.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { runsRoute } from '../route.ts'
import { runLook } from '../status.ts'
import { followedName, hasEnded, type Followed } from './chips.ts'

const NONE: readonly Pin[] = []
/** The run, and its trials. */
const REQUESTS_EACH = 2
/** How many times rarer a run is read here that another part of the screen reads too. */
const SHARED_FACTOR = 3

/** The runs that the person follows; draws again when they change. */
export function usePins(): readonly Pin[] {
  const { pins } = useWorkspace()
  return useSyncExternalStore(pins?.subscribe ?? never, () => pins?.list() ?? NONE)
}

/** Every followed run as it stands, polled by the budget wherever the person is; those that have ended first. */
export function useFollowed(): readonly Followed[] {
  const { queries } = useWorkspace()
  const queryClient = useQueryClient()
  const pins = usePins()
  const readTrials = useTrialCounts()
  const live = pins.filter(({ projectId, runId }) => {
    const { data, error } =
      queryClient.getQueryState(queries.runs.get.options({ projectId, runId }).queryKey) ?? {}
    return data ? !isTerminalRunStatus(data.status) : !isMissing(error)
  }).length
  const interval = usePoll({ live: live > 0, requestsEach: REQUESTS_EACH })
  const runs = useQueries({
    queries: pins.map(({ projectId, runId }) => ({
      ...queries.runs.get.options({ projectId, runId }),
      refetchInterval: (query: Polled) =>
        isOver(query.state)
          ? false
          : rarer(interval, query.getObserversCount() > 1 ? SHARED_FACTOR * live : live),
    })),
  })
  const counts = useQueries({
    queries: pins.map((pin, index) => {
      const status = runs[index]?.data?.status
      const isLive = status !== undefined && !isTerminalRunStatus(status)
      return {
        queryKey: ['followed', pin.projectId, pin.runId],
        queryFn: () => readTrials(pin),
        enabled: isLive,
        refetchInterval: rarer(interval, live),
      }
    }),
  })
  const followed = pins.map((pin, index): Followed => {
    const { data: run, error } = runs[index]!
    return { pin, run, counts: counts[index]?.data, isGone: !run && isMissing(error) }
  })
  useEndNotices(followed)
  return [...followed.filter(hasEnded), ...followed.filter(each => !hasEnded(each))]
}

type Polled = {
  state: { data: { status: string } | undefined; error: ApiError | null }
  getObserversCount: () => number
}

function isOver({ data, error }: Polled['state']): boolean {
  return data ? isTerminalRunStatus(data.status) : isMissing(error)
}

function isMissing(error: ApiError | null | undefined): boolean {
  return error?.status === 404
}

/** One poller stands for all followed runs, so each is read as many times rarer as there are. */
function rarer(interval: number | false, times: number): number | false {
  return interval === false ? false : interval * Math.max(1, times)
}

/** Reads the trials of each followed run, those that have ended once. */
function useTrialCounts() {
  const { client } = useWorkspace()
  const readers = useRef(new Map<string, TrialReader>())
  return async ({ projectId, runId }: Pin) => {
    const reader =
      readers.current.get(runId) ?? createTrialReader(client, { projectId, runId }, { owner: runId })
    readers.current.set(runId, reader)
    return countTrials(await reader.read())
  }
}

/** Says once how a followed run ended that was seen in flight; where it is on screen, its pane says so. */
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
        const look = runLook(run)
        const { passed, total } = run.summary ?? {}
        const figures = total == null ? '' : `: ${passed ?? UNKNOWN} of ${total} passed`
        toasts.show(look.tone, `Run ${followedName(each)} ${look.word}${figures}.`)
      }
    }
  }, [followed, shownRun, toasts])
}

function never(): () => void {
  return () => undefined
}
