import { defineRoute } from '../../tui/router/place.ts'

/** Params: `incidentId`, `entryId` the chosen entry, `pane` the focused pane. */
export const notebookRoute = defineRoute('notebook', 'notebook[/{incidentId}]')
