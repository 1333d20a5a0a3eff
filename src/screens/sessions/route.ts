import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `sessionId`, `pane` the focused pane, `tab` of the detail, the filter `source`; `q` what is searched for, `scope` in what. */
export const sessionsRoute = defineRoute('sessions', 'projects/{projectId}/sessions[/{sessionId}]')
