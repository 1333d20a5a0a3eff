import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `line` the chosen line, `pane` the focused pane, `faults` and `all` are `yes` while only faults, or also what
 * was acknowledged, show; `projectId` is the project of the chosen line.
 */
export const nowRoute = defineRoute('now', 'now')
