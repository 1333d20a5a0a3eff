import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `line` the selected line, `pane` the focused pane, `faults` and `all` are `yes` while only faults, or also
 * acknowledged lines, are shown; `report` is `yes` if a shift report is to be written at once; `projectId` is the
 * project of the selected line.
 */
export const nowRoute = defineRoute('now', 'now')
