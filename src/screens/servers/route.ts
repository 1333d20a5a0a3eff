import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `serverId`, `pane` the focused pane, `tab` of the detail. */
export const serversRoute = defineRoute('servers', 'projects/{projectId}/servers[/{serverId}]')
