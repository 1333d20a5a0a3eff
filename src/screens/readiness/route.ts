import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `runId`, `pane` the focused pane, `tab` of the detail. */
export const readinessRoute = defineRoute('readiness', 'projects/{projectId}/readiness[/{runId}]')
