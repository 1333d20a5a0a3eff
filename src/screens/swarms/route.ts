import { defineRoute, type Place } from '../../tui/router/place.ts'

/**
 * Params: `projectId`, `swarmId` (that of the project stands for all of its journeys), `pane` and `tab`; then of each
 * level that was gone into its id with its own pane and tab: `journeyId`, `waveId`, `personaId`, `runId`, `sessionId`.
 */
export const swarmsRoute = defineRoute('swarms', 'projects/{projectId}/swarms[/{swarmId}]')

/** Where a wave stands, among all of its project. */
export function wavePlace(projectId: string, waveId: string): Place {
  const inside = { pane: 'detail', tab: 'waves', waveId, wavePane: 'detail' }
  return swarmsRoute.to({ projectId, swarmId: projectId, ...inside })
}

/** Where a journey stands, among all of its project. */
export function journeyPlace(projectId: string, journeyId: string): Place {
  const inside = { pane: 'detail', tab: 'journeys', journeyId, journeyPane: 'detail' }
  return swarmsRoute.to({ projectId, swarmId: projectId, ...inside })
}

/** Where a run of a journey stands, or a session of it. */
export function journeyRunPlace(at: {
  projectId: string
  journeyId: string
  runId: string
  sessionId?: string
}): Place {
  const { projectId, journeyId, runId, sessionId } = at
  return swarmsRoute.to({
    projectId,
    swarmId: projectId,
    pane: 'detail',
    tab: 'journeys',
    journeyId,
    journeyPane: 'detail',
    journeyTab: 'runs',
    runId,
    runPane: 'detail',
    ...(sessionId !== undefined && { runTab: 'sessions', sessionId, sessionPane: 'detail' }),
  })
}
