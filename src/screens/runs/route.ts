import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `projectId`, `runId`, `suiteId`, `pane` the focused pane, `middle` what of the suite shows, `caseId` the case, `tab` of
 * the run, `iterationId` of the trace.
 */
export const runsRoute = defineRoute('runs', 'projects/{projectId}/runs[/{runId}]')
