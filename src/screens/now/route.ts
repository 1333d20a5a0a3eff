import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `line` the selected line, `pane` the focused pane; `faults` is `yes` while only faults are shown, and `new`
 * while only new or regressed lines are; `all` is `yes` while acknowledged lines are shown too; `report` is `yes` if a
 * shift report is to be written at once; `projectId` is the project of the selected line.
 */
export const nowRoute = defineRoute('now', 'now')
