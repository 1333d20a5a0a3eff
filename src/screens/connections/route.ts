import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `connectionId`, `pane` the focused pane. */
export const connectionsRoute = defineRoute('connections', 'projects/{projectId}/connections[/{connectionId}]')
