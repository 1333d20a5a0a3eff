import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import type { Queries } from '../../../api/client/cache/queries.ts'
import { MOST_PINS, type Pin } from '../../../domain/runs/pins.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../../tui/keymap/binding.ts'
import type { Place } from '../../../tui/router/place.ts'
import type { NamedPlace } from '../../../tui/router/named-place.ts'
import { usePlace, useRouter } from '../../../tui/router/router-context.tsx'
import { useToasts } from '../../../components/toasts.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { runsRoute } from '../route.ts'
import { runLook } from '../../../components/records/run-look.ts'
import { followedName } from './chips.ts'
import { usePins } from './use-followed.ts'

/** Follows a run on every screen, or stops following it. */
export function useFollowToggle(projectId: string): (run: EvalRun) => void {
  const { pins, rings } = useWorkspace()
  const toasts = useToasts()
  return run => {
    const pin = { projectId, runId: run.id, suiteId: run.suiteId }
    const name = followedName({ pin, run })
    if (!pins) return
    if (pins.list().some(({ runId }) => runId === run.id)) {
      pins.remove(run.id)
      toasts.show('ok', `Run ${name} is no longer followed.`)
    } else if (pins.list().length >= MOST_PINS) {
      toasts.show('warn', `${MOST_PINS} runs are followed, which is the maximum; unfollow one first.`)
    } else {
      pins.add([pin])
      // The person who follows an ended run already sees that it has ended, so its end is not announced.
      if (isTerminalRunStatus(run.status)) rings?.claim(run.id)
      toasts.show('ok', `Run ${name} is followed from every screen.`)
    }
  }
}

/** Stops following an ended run when the person leaves its pane, since it was viewed. */
export function useLetGoWhenSeen(run: EvalRun | undefined): void {
  const { pins } = useWorkspace()
  const endedId = run && isTerminalRunStatus(run.status) ? run.id : undefined
  useEffect(() => {
    if (endedId === undefined) return undefined
    return () => {
      if (pins?.list().some(({ runId }) => runId === endedId)) pins.remove(endedId)
    }
  }, [endedId, pins])
}

/**
 * Goes to a followed run that has ended, which is then no longer followed. If none has ended, goes to the next of the
 * followed runs and `others`.
 */
export function useGoToFollowed(others: readonly Place[]): KeyHandler | Unavailable {
  const { pins, queries } = useWorkspace()
  const queryClient = useQueryClient()
  const router = useRouter()
  const { screen, params } = usePlace()
  const list = usePins()
  const places = [...list.map(placeOf), ...others]
  if (places.length === 0) return unavailable('No run is followed.')
  return () => {
    const isEnded = (pin: Pin): boolean => {
      const run = knownRun(queryClient, queries, pin)
      return run !== undefined && isTerminalRunStatus(run.status)
    }
    const ended = list.find(isEnded)
    const shown = places.findIndex(
      place =>
        place.screen === screen && isSame(place.params, params, screen === runsRoute.screen ? 'runId' : 'waveId'),
    )
    const next = ended ? placeOf(ended) : places[(shown + 1) % places.length]
    if (!next) return
    router.go(next)
    if (ended) pins?.remove(ended.runId)
  }
}

/** Returns the followed runs as entries of the palette. */
export function useFollowedPlaces(): () => NamedPlace[] {
  const { pins, queries } = useWorkspace()
  const queryClient = useQueryClient()
  return () =>
    (pins?.list() ?? []).map(pin => {
      const run = knownRun(queryClient, queries, pin)
      const state = run ? `: ${runLook(run).word}` : ''
      return {
        id: pin.runId,
        kind: 'followed run',
        name: `Followed run ${followedName({ pin, run })}${state}`,
        place: placeOf(pin),
      }
    })
}

function isSame(one: Place['params'], other: Place['params'], name: string): boolean {
  return one[name] === other[name]
}

function placeOf({ projectId, suiteId, runId }: Pin) {
  return runsRoute.to({ projectId, suiteId, runId, pane: 'run' })
}

function knownRun(queryClient: QueryClient, queries: Queries, { projectId, runId }: Pin): EvalRun | undefined {
  return queryClient.getQueryData(queries.runs.get.options({ projectId, runId }).queryKey)
}
