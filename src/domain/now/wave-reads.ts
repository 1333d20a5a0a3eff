import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { onceFor, renewedFor } from '../../lib/once-for.ts'
import { gateOf } from '../findings/gate.ts'
import {
  isInFlight,
  type KnownRuns,
  type RunInWave,
  runsOfFeed,
  swarmFeed,
  type Wave,
  wavesOf,
  worthKnowing,
} from '../swarms/waves.ts'
import type { NowLine, NowProject } from './line.ts'
import { createShownReads, type NowAnswer, type NowReader, type NowSources, readIn } from './reads.ts'
import { type NowSource, sourceOf } from './sources.ts'
import { waveLines } from './wave-lines.ts'

/** `fresh` are the runs known on this machine that are recent enough. */
type WavesIn = { project: NowProject; fresh: readonly RunInWave[]; lines: readonly NowLine[] }

/**
 * Reads the waves of every project from its overview, which is read often while a wave is in flight. If the feature is
 * off, they come from the session feed and the runs known here. `rights` are in the order of the projects, `known` has
 * the runs that this machine knows of each, and `now` is the service's time.
 */
export function createWaveReads({ queries }: NowSources) {
  const { readShown, shows } = createShownReads()
  const readEach = (project: NowProject) => readShown(project)
  const optionsOf = onceFor(({ id }: NowProject) => queries.journeyRuns.overview.options({ projectId: id }))
  const feedOf = onceFor(({ id }: NowProject) => queries.sessions.list.options(swarmFeed(id)))
  const keep = renewedFor<NowProject, WavesIn>()
  return (
    { read }: NowReader,
    projects: readonly NowProject[],
    rights: readonly NowAnswer<ProjectCapabilities>[],
    { known, now }: { known: ReadonlyMap<string, KnownRuns>; now: number },
  ) => {
    const gated = projects.flatMap((project, index) => {
      const { data, error } = rights[index] ?? {}
      return data || error ? [{ project, isClosed: gateOf(data).swarm }] : []
    })
    const open = gated.filter(({ isClosed }) => !isClosed).map(({ project }) => project)
    const closed = gated.filter(({ isClosed }) => isClosed).map(({ project }) => project)
    const isLive = ({ id }: NowProject): boolean => Object.values(known.get(id) ?? {}).some(isInFlight)
    const [live, rested] = [open.filter(isLive), open.filter(project => !isLive(project))]
    const liveReads = read('live', live.map(optionsOf), live.map(readIn))
    const restedReads = read('waves', rested.map(optionsOf), rested.map(readEach))
    const feeds = read('waves', closed.map(feedOf), closed.map(readEach))
    const overviews = [...liveReads, ...restedReads]
    const wavesIn = (
      project: NowProject,
      answer: NowAnswer<unknown> | undefined,
      wavesFrom: (here: KnownRuns) => Wave[],
      isOff = false,
    ): WavesIn =>
      keep(project, [answer, known.get(project.id), now, isOff], () => {
        const here = known.get(project.id) ?? {}
        const waves = wavesFrom(here)
        const lines = waveLines(project, { value: waves, at: answer?.at }, now, isOff)
        return { project, fresh: worthKnowing(waves, here), lines }
      })
    const all = [
      ...[...live, ...rested].map((project, index) =>
        wavesIn(project, overviews[index], here => wavesOf(overviews[index]?.data?.runs, here)),
      ),
      ...closed.map((project, index) => {
        const feed = () => runsOfFeed(feeds[index]?.data?.items ?? [], now)
        return wavesIn(project, feeds[index], here => wavesOf([], here, feed()), true)
      }),
    ]
    const news = all.flatMap(({ project, fresh }) => (fresh.length > 0 ? { id: project.id, runs: fresh } : []))
    const sources: NowSource[] = [
      ...live.map((project, index) => sourceOf('live', liveReads[index], project, 'waves')),
      ...rested.map((project, index) => sourceOf('waves', restedReads[index], project)),
      // Only recent sessions are needed, so further pages do not matter.
      ...closed.map((project, index) => sourceOf('waves', feeds[index], project, undefined, false)),
    ]
    return {
      answers: [...overviews, ...feeds],
      lines: all.flatMap(({ project, lines }) => shows(project.id, lines)),
      sources,
      /** Recent runs known on this machine, by project. */
      news,
    }
  }
}
