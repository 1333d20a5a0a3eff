import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `sessionId`, `pane` the focused pane, `tab` of the detail, and the filter `source`. */
export const sessionsRoute = defineRoute('sessions', 'projects/{projectId}/sessions[/{sessionId}]')
