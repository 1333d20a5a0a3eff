import type { Queries } from '../../api/client/cache/queries.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import type { ProjectScenario } from '../../api/contract/scenarios.ts'
import { firstOfEach } from '../../lib/first-of-each.ts'
import { onceFor, renewedFor } from '../../lib/once-for.ts'
import { mergeFindings, scenarioFinding } from '../findings/finding.ts'
import { gateOf } from '../findings/gate.ts'
import type { NowLine, NowProject } from './line.ts'
import { MOST_READ } from './plan.ts'
import { createShownReads, type NowAnswer, type NowReader, type NowSources, readIn, readOf } from './reads.ts'
import { leftSource, type NowSource, sourceOf } from './sources.ts'
import { findingLines, scenarioLines } from './thing-lines.ts'

const NOTHING = { value: [], at: undefined }

/**
 * Reads scenarios and the findings of both sources. Features that are off are not read. `rights` has one item for each
 * project, in the same order.
 */
export function createFindingReads({ queries, swarmFindings }: NowSources) {
  const { readShown, shows } = createShownReads()
  const scenariosOf = onceFor(({ id }: NowProject) => queries.scenarios.list.options({ projectId: id }))
  const swarmOf = onceFor(({ id }: NowProject) => swarmFindings(id))
  const ofScenario = onceFor((project: NowProject) => onceFor(scenarioRead(queries, project)))
  const keepLines = renewedFor<object, NowLine[]>()
  const keepOpen = renewedFor<NowProject, NowLine[]>()
  return ({ read }: NowReader, projects: readonly NowProject[], rights: readonly NowAnswer<ProjectCapabilities>[]) => {
    const gates = rights.map(({ data, error }) => ({ known: data !== undefined || error !== null, ...gateOf(data) }))
    const scenarios = read('scenarios', projects.map(scenariosOf), projects.map(readIn))
    const ofSwarms = projects.filter((_, index) => gates[index]?.known && !gates[index].swarm)
    const swarm = read(
      'swarm',
      ofSwarms.map(swarmOf),
      ofSwarms.map(project => readShown(project)),
    )
    const { first: published, left } = firstOfEach(
      projects.flatMap((project, index) =>
        gates[index]?.known && !gates[index].scenario
          ? (scenarios[index]?.data?.items ?? []).map(ofScenario(project))
          : [],
      ),
      nameOfScenario,
      MOST_READ.scenarios,
    )
    const visits = read(
      'scenario',
      published.map(({ options }) => options),
      published.map(({ project, scenario }) => readShown(project, scenario.id)),
    )
    const lines = [
      ...ofSwarms.flatMap((project, index) =>
        shows(
          project.id,
          keepLines(project, [swarm[index]], () =>
            findingLines(
              project,
              readOf(swarm[index], ({ pages }) =>
                mergeFindings(
                  pages.flatMap(({ items }) => items),
                  [],
                ),
              ) ?? NOTHING,
            ),
          ),
        ),
      ),
      ...published.flatMap(({ project, scenario }, index) =>
        shows(
          scenario.id,
          keepLines(scenario, [project, visits[index]], () =>
            findingLines(
              project,
              readOf(visits[index], ({ items }) => items.map(item => scenarioFinding(item, scenario))) ?? NOTHING,
            ),
          ),
        ),
      ),
      ...projects.flatMap((project, index) =>
        keepOpen(project, [scenarios[index]], () =>
          scenarioLines(project, readOf(scenarios[index], ({ items }) => items) ?? NOTHING),
        ),
      ),
    ]
    const sources: NowSource[] = [
      ...swarm.map((answer, index) => ({
        ...sourceOf('swarm', answer, ofSwarms[index]),
        partial: !!answer.data?.pages.at(-1)?.nextCursor,
      })),
      ...scenarios.map((answer, index) => sourceOf('scenarios', answer, projects[index])),
      ...visits.map((answer, index) => ({
        ...sourceOf('scenario', answer, published[index]?.project, published[index]?.scenario.name),
        partial: !!answer.data?.nextCursor,
      })),
      ...leftSource('scenario', left, 'scenario'),
      ...projects.flatMap((project, index) => closedSources(project, gates[index])),
    ]
    return { answers: [...scenarios, ...swarm, ...visits], lines, sources }
  }
}

/** Returns how the findings of a scenario are read. */
function scenarioRead(queries: Queries, project: NowProject) {
  return (scenario: ProjectScenario) => ({
    project,
    scenario,
    options: queries.userTestingFindings.list.options({ projectId: project.id, scenarioId: scenario.id }),
  })
}

function nameOfScenario({ project, scenario }: ReturnType<ReturnType<typeof scenarioRead>>): string {
  return `${project.id}/${scenario.id}`
}

function closedSources(project: NowProject, gate: ReturnType<typeof gateOf> | undefined): NowSource[] {
  return (['swarm', 'scenario'] as const)
    .filter(kind => gate?.[kind])
    .map(kind => ({ ...sourceOf(kind, undefined, project), state: 'closed' }))
}
