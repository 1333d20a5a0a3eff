import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `projectId`, `sessionId`, `pane` the focused pane, `tab` of the detail, the filter `source`, and the text `q`
 * to search for in `scope`.
 */
export const sessionsRoute = defineRoute('sessions', 'projects/{projectId}/sessions[/{sessionId}]')
