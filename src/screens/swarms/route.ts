import { defineRoute, type Place } from '../../tui/router/place.ts'

/**
 * Params: `projectId`, `swarmId` (the project's own id for all of its journeys), `pane` and `tab`; then for each opened
 * level its id with its own pane and tab: `journeyId`, `waveId`, `personaId`, `runId`, `sessionId`.
 */
export const swarmsRoute = defineRoute('swarms', 'projects/{projectId}/swarms[/{swarmId}]')

/** Returns the place of a wave, in the list of its project. */
export function wavePlace(projectId: string, waveId: string): Place {
  const inside = { pane: 'detail', tab: 'waves', waveId, wavePane: 'detail' }
  return swarmsRoute.to({ projectId, swarmId: projectId, ...inside })
}

/** Returns the place of a journey, in the list of its project. */
export function journeyPlace(projectId: string, journeyId: string): Place {
  const inside = { pane: 'detail', tab: 'journeys', journeyId, journeyPane: 'detail' }
  return swarmsRoute.to({ projectId, swarmId: projectId, ...inside })
}

/** Returns the place of a journey's run, or of one of its sessions. */
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
