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
/** How many times rarer is read here what another part of the screen reads too. */
const SHARED_FACTOR = 3

/** The waves known to be in flight, with nothing requested for them; those that were launched last come first. */
export function useFlyingWaves(): readonly FlyingWave[] {
  const all = useAllKnownRuns()
  return [...all].flatMap(([projectId, known]) =>
    wavesOf([], known)
      .filter(({ runs }) => runs.some(isInFlight))
      .map(wave => ({ projectId, wave })),
  )
}

/** Reads how the waves in flight go, wherever the person is; without one nothing is read. */
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

/** `● Sums 3/12` for each wave, as the header shows them beside the runs. */
export function waveChips(flying: readonly FlyingWave[], symbols: Symbols) {
  return flying.map(({ wave }) => {
    const progress = waveProgress(wave)
    const count = progress ? `${progress.ended}/${progress.total}` : undefined
    const text = [symbols.live, truncate(clean(wave.name), NAME), count].filter(Boolean).join(' ')
    return { runId: wave.id, text, tone: 'live' as const }
  })
}

/** The waves in flight as places to go to. */
export function flyingPlaces(flying: readonly FlyingWave[]) {
  return flying.map(({ projectId, wave }) => ({
    id: wave.id,
    kind: 'wave',
    name: `Wave in flight ${wave.name}`,
    place: wavePlace(projectId, wave.id),
  }))
}
