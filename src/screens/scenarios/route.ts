import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `projectId`, `scenarioId`, `pane` the focused pane, `tab` of the detail, `sessionId` of the open transcript.
 */
export const scenariosRoute = defineRoute('scenarios', 'projects/{projectId}/scenarios[/{scenarioId}]')
