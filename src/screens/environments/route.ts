import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `environmentId`, `pane` the focused pane, `tab` of the detail. */
export const environmentsRoute = defineRoute('environments', 'projects/{projectId}/environments[/{environmentId}]')
