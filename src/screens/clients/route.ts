import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `clientId`, `pane` the focused pane, `tab` of the detail. */
export const clientsRoute = defineRoute('clients', 'projects/{projectId}/clients[/{clientId}]')
