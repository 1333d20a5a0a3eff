// oxlint-disable-next-line no-restricted-imports -- of projects with a wave in flight that is known here alone
import { useQueries } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isForbidden } from '../../domain/findings/dismissal.ts'
import { isInFlight, waveProgress, wavesOf, worthKnowing, type Wave } from '../../domain/swarms/waves.ts'
import type { PolledQuery } from '../../hooks/answers.ts'
import { useCadence, usePoller } from '../../hooks/use-cadence.ts'
import { useAllKnownRuns } from '../../hooks/use-known-runs.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { clean, truncate } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { wavePlace } from './route.ts'

export type FlyingWave = { projectId: string; wave: Wave }

const NAME = 14
/** Factor by which reads slow down here if another part of the screen reads the same. */
const SHARED_FACTOR = 3

/** Returns the waves known to be in flight, without requests; the ones launched last come first. */
export function useFlyingWaves(): readonly FlyingWave[] {
  const all = useAllKnownRuns()
  return [...all].flatMap(([projectId, known]) =>
    wavesOf([], known)
      .filter(({ runs }) => runs.some(isInFlight))
      .map(wave => ({ projectId, wave })),
  )
}

/** Polls the waves in flight on any screen; reads nothing if there are none. */
export function useFollowWaves(): readonly FlyingWave[] {
  const { queries, waves: memory } = useWorkspace()
  const known = useAllKnownRuns()
  const flying = useFlyingWaves()
  const projectIds = [...new Set(flying.map(({ projectId }) => projectId))]
  const pause = useCadence()
  usePoller(projectIds.length > 0)
  const news = useQueries({
    queries: projectIds.map(projectId => ({
      ...queries.journeyRuns.overview.options({ projectId }),
      refetchInterval: (query: PolledQuery) => {
        const times = query.getObserversCount() > 1 ? SHARED_FACTOR : 1
        const read = { kind: 'live', requests: projectIds.length, times } as const
        return pause(!isForbidden(query.state.error) && read, query)
      },
    })),
    combine: results =>
      JSON.stringify(
        results.flatMap(({ data }, index) => {
          const id = projectIds[index]!
          const here = known.get(id) ?? {}
          const runs = data ? worthKnowing(wavesOf(data.runs, here), here) : []
          return runs.length > 0 ? [[id, runs]] : []
        }),
      ),
  })
  useEffect(() => {
    for (const [id, runs] of JSON.parse(news) as [string, Wave['runs']][]) memory?.see(id, runs)
  }, [news, memory])
  return flying
}

/** Returns `● Sums 3/12` for each wave, as the header shows them beside the runs. */
export function waveChips(flying: readonly FlyingWave[], symbols: Symbols) {
  return flying.map(({ wave }) => {
    const progress = waveProgress(wave)
    const count = progress ? `${progress.ended}/${progress.total}` : undefined
    const text = [symbols.live, truncate(clean(wave.name), NAME), count].filter(Boolean).join(' ')
    return { runId: wave.id, text, tone: 'live' as const }
  })
}

/** Returns the waves in flight as places. */
export function flyingPlaces(flying: readonly FlyingWave[]) {
  return flying.map(({ projectId, wave }) => ({
    id: wave.id,
    kind: 'wave',
    name: `Wave in flight ${wave.name}`,
    place: wavePlace(projectId, wave.id),
  }))
}
