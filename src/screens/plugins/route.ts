import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `pluginId`, `pane` the focused pane, `tab` of the detail. */
export const pluginsRoute = defineRoute('plugins', 'projects/{projectId}/plugins[/{pluginId}]')
