import { defineRoute } from '../../app/router/place.ts'

/** Params: `incidentId`, `entryId` the chosen entry, `pane` the focused pane. */
export const notebookRoute = defineRoute('notebook', 'notebook[/{incidentId}]')
