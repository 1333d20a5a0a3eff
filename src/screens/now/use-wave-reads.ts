import { useEffect, useState } from 'react'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { gateOf } from '../../domain/findings/gate.ts'
import type { NowLine, NowProject } from '../../domain/now/line.ts'
import { waveLines } from '../../domain/now/wave-lines.ts'
import {
  isInFlight,
  type KnownRuns,
  runsOfFeed,
  swarmFeed,
  type Wave,
  wavesOf,
  worthKnowing,
} from '../../domain/swarms/waves.ts'
import { useAllKnownRuns } from '../../hooks/use-known-runs.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { renewedFor } from '../../lib/once-for.ts'
import { type NowSource, sourceOf } from './sources.ts'
import { type NowAnswer, type NowPlan, readIn, useOptionsOf, useReads, useShownReads } from './use-reads.ts'

type WavesIn = { project: NowProject; waves: readonly Wave[]; lines: readonly NowLine[] }

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
  const optionsOf = useOptionsOf(({ id }: NowProject) => queries.journeyRuns.overview.options({ projectId: id }))
  const feedOf = useOptionsOf(({ id }: NowProject) => queries.sessions.list.options(swarmFeed(id)))
  const liveReads = useReads('live', plan, live.map(optionsOf), live.map(readIn))
  const { readShown, shows } = useShownReads()
  const readEach = (project: NowProject) => readShown(project)
  const restedReads = useReads('waves', plan, rested.map(optionsOf), rested.map(readEach))
  const feeds = useReads('waves', plan, closed.map(feedOf), closed.map(readEach))
  const overviews = [...liveReads, ...restedReads]
  const time = serviceTime(now)
  const [keep] = useState(() => renewedFor<NowProject, WavesIn>())
  const wavesIn = (
    project: NowProject,
    answer: NowAnswer<unknown> | undefined,
    of: (known: KnownRuns) => Wave[],
    isOff = false,
  ): WavesIn =>
    keep(project, [answer, known.get(project.id), time], () => {
      const waves = of(known.get(project.id) ?? {})
      return { project, waves, lines: waveLines(project, { value: waves, at: answer?.at }, time, isOff) }
    })
  const all = [
    ...[...live, ...rested].map((project, index) =>
      wavesIn(project, overviews[index], here => wavesOf(overviews[index]?.data?.runs, here)),
    ),
    ...closed.map((project, index) => {
      const feed = () => runsOfFeed(feeds[index]?.data?.items ?? [], time)
      return wavesIn(project, feeds[index], here => wavesOf([], here, feed()), true)
    }),
  ]
  const fresh = all.map(({ project, waves }) => [project.id, worthKnowing(waves, known.get(project.id) ?? {})] as const)
  const news = JSON.stringify(fresh.filter(([, runs]) => runs.length > 0))
  useEffect(() => {
    for (const [id, runs] of JSON.parse(news) as typeof fresh) memory?.see(id, runs)
  }, [news, memory])
  const sources: NowSource[] = [
    ...live.map((project, index) => sourceOf('live', liveReads[index], project, 'waves')),
    ...rested.map((project, index) => sourceOf('waves', restedReads[index], project)),
    // Of these only what had a session lately is wanted, so that a further page is none.
    ...closed.map((project, index) => sourceOf('waves', feeds[index], project, undefined, false)),
  ]
  return {
    answers: [...overviews, ...feeds],
    lines: all.flatMap(({ project, lines }) => shows(project.id, lines)),
    sources,
  }
}
