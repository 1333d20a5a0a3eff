import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `line` the chosen line, `pane` the focused pane, `faults` and `all` are `yes` while only faults, or also what
 * was acknowledged, show; `report` is `yes` where a shift report is to be written at once; `projectId` is the project
 * of the chosen line.
 */
export const nowRoute = defineRoute('now', 'now')
