import { useEffect } from 'react'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { gateOf } from '../../domain/findings/gate.ts'
import type { NowProject } from '../../domain/now/line.ts'
import { waveLines } from '../../domain/now/wave-lines.ts'
import { isInFlight, runsOfFeed, swarmFeed, wavesOf, worthKnowing, type Wave } from '../../domain/swarms/waves.ts'
import { useAllKnownRuns } from '../../hooks/use-known-runs.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { type NowSource, sourceOf } from './sources.ts'
import { type NowAnswer, type NowPlan, readIn, useReads } from './use-reads.ts'

/**
 * The waves of every project: by its overview, read often while one is known to be in flight; where the feature is
 * switched off by its session feed and by what is known here. `rights` are in the order of the projects.
 */
export function useWaveReads(
  plan: NowPlan,
  projects: readonly NowProject[],
  rights: readonly NowAnswer<ProjectCapabilities>[],
  now: number,
) {
  const { queries, waves: memory } = useWorkspace()
  const known = useAllKnownRuns()
  const gated = projects.flatMap((project, index) => {
    const { data, error } = rights[index] ?? {}
    return data || error ? [{ project, isClosed: gateOf(data).swarm }] : []
  })
  const open = gated.filter(({ isClosed }) => !isClosed).map(({ project }) => project)
  const closed = gated.filter(({ isClosed }) => isClosed).map(({ project }) => project)
  const isLive = ({ id }: NowProject): boolean => Object.values(known.get(id) ?? {}).some(isInFlight)
  const [live, rested] = [open.filter(isLive), open.filter(project => !isLive(project))]
  const optionsOf = ({ id }: NowProject) => queries.journeyRuns.overview.options({ projectId: id })
  const liveReads = useReads('live', plan, live.map(optionsOf), live.map(readIn))
  const restedReads = useReads('waves', plan, rested.map(optionsOf), rested.map(readIn))
  const feeds = useReads(
    'waves',
    plan,
    closed.map(({ id }) => queries.sessions.list.options(swarmFeed(id))),
    closed.map(readIn),
  )
  const overviews = [...liveReads, ...restedReads]
  const read = [...live, ...rested].map((project, index) => ({ project, ...overviews[index]! }))
  const off = closed.map((project, index) => ({ project, ...feeds[index]! }))
  const all: { project: NowProject; waves: readonly Wave[]; at: number | undefined; isOff?: true }[] = [
    ...read.map(({ project, data, at }) => ({ project, at, waves: wavesOf(data?.runs, known.get(project.id) ?? {}) })),
    ...off.map(({ project, data, at }) => {
      const feed = runsOfFeed(data?.items ?? [], serviceTime(now))
      return { project, at, isOff: true as const, waves: wavesOf([], known.get(project.id) ?? {}, feed) }
    }),
  ]
  const fresh = all.map(({ project, waves }) => [project.id, worthKnowing(waves, known.get(project.id) ?? {})] as const)
  const news = JSON.stringify(fresh.filter(([, runs]) => runs.length > 0))
  useEffect(() => {
    for (const [id, runs] of JSON.parse(news) as typeof fresh) memory?.know(id, runs)
  }, [news, memory])
  const sources: NowSource[] = [
    ...live.map((project, index) => sourceOf('live', liveReads[index], project, 'waves')),
    ...rested.map((project, index) => sourceOf('waves', restedReads[index], project)),
    // Of these only what had a session lately is wanted, so that a further page is none.
    ...closed.map((project, index) => sourceOf('waves', feeds[index], project, undefined, false)),
  ]
  return {
    answers: [...overviews, ...feeds],
    lines: all.flatMap(({ project, waves, at, isOff }) =>
      waveLines(project, { value: waves, at }, serviceTime(now), isOff),
    ),
    sources,
  }
}
