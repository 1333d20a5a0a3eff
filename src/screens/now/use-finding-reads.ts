import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { mergeFindings, scenarioFinding } from '../../domain/findings/finding.ts'
import { gateOf } from '../../domain/findings/gate.ts'
import { type SwarmPages, wholeSwarmFindings } from '../../hooks/swarm-pages.ts'
import type { NowLine, NowProject } from '../../domain/now/line.ts'
import { findingLines, scenarioLines } from '../../domain/now/thing-lines.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { renewedFor } from '../../lib/once-for.ts'
import { type NowSource, sourceOf } from './sources.ts'
import { type NowAnswer, type NowPlan, readIn, readOf, useOptionsOf, useReads, useShownReads } from './use-reads.ts'

const NOTHING = { value: [], at: undefined }

/**
 * Scenarios and the findings of both sources; what is switched off for the organization is not read. `rights` are in
 * the order of the projects.
 */
export function useFindingReads(
  plan: NowPlan,
  projects: readonly NowProject[],
  rights: readonly NowAnswer<ProjectCapabilities>[],
) {
  const { queries, client } = useWorkspace()
  const queryClient = useQueryClient()
  const gates = rights.map(({ data, error }) => ({ known: data !== undefined || error !== null, ...gateOf(data) }))
  const { readShown, shows } = useShownReads()
  const scenariosOf = useOptionsOf(({ id }: NowProject) => queries.scenarios.list.options({ projectId: id }))
  const swarmOf = useOptionsOf(({ id }: NowProject) => wholeSwarmFindings(client, queryClient, id))
  const scenarios = useReads('scenarios', plan, projects.map(scenariosOf), projects.map(readIn))
  const ofSwarms = projects.filter((_, index) => gates[index]?.known && !gates[index].swarm)
  const swarm = useReads(
    'swarm',
    plan,
    ofSwarms.map(swarmOf),
    ofSwarms.map(project => readShown(project)),
  )
  const published = projects.flatMap((project, index) =>
    gates[index]?.known && !gates[index].scenario
      ? (scenarios[index]?.data?.items ?? []).map(scenario => ({ project, scenario }))
      : [],
  )
  const visits = useReads(
    'scenario',
    plan,
    published.map(({ project, scenario }) =>
      queries.userTestingFindings.list.options({ projectId: project.id, scenarioId: scenario.id }),
    ),
    published.map(({ project, scenario }) => readShown(project, scenario.id)),
  )
  const [keepLines] = useState(() => renewedFor<NowProject, NowLine[]>())
  const lines = [
    ...ofSwarms.flatMap((project, index) =>
      shows(
        project.id,
        keepLines(project, [swarm[index]], () =>
          findingLines(project, readOf(swarm[index], ({ pages }) => mergeFindings(itemsOf(pages), [])) ?? NOTHING),
        ),
      ),
    ),
    ...published.flatMap(({ project, scenario }, index) =>
      shows(
        scenario.id,
        findingLines(
          project,
          readOf(visits[index], ({ items }) => items.map(item => scenarioFinding(item, scenario))) ?? NOTHING,
        ),
      ),
    ),
    ...projects.flatMap((project, index) =>
      scenarioLines(project, readOf(scenarios[index], ({ items }) => items) ?? NOTHING),
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
    ...projects.flatMap((project, index) => closedSources(project, gates[index])),
  ]
  return { answers: [...scenarios, ...swarm, ...visits], lines, sources }
}

function itemsOf(pages: SwarmPages['pages']) {
  return pages.flatMap(({ items }) => items)
}

function closedSources(project: NowProject, gate: ReturnType<typeof gateOf> | undefined): NowSource[] {
  return (['swarm', 'scenario'] as const)
    .filter(kind => gate?.[kind])
    .map(kind => ({ kind, project, of: undefined, state: 'closed', at: undefined, problem: undefined, partial: false }))
}
