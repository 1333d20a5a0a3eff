import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `projectId`, `findingId` with its `scenarioId` unless it belongs to a swarm, `pane` the focused pane, `tab`
 * of the finding, `runId` and `sessionId` behind it, and the filters `status`, `dismissed`, `source` and `waveId`.
 */
export const findingsRoute = defineRoute('findings', 'projects/{projectId}/findings[/{findingId}]')
