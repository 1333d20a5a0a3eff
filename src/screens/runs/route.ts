import { defineRoute } from '../../tui/router/place.ts'

/**
 * Params: `projectId`, `runId`, `suiteId`, `pane` the focused pane, `middle` the view of the suite, `caseId` the case,
 * `cell` the row of the heat map, `tab` of the run, `iterationId` of the trace.
 */
export const runsRoute = defineRoute('runs', 'projects/{projectId}/runs[/{runId}]')

/** The panes of the screen from left to right, as named in places. */
export const PANES = ['suites', 'runs', 'run'] as const
export type PaneId = (typeof PANES)[number]

export const RUN_TABS = ['summary', 'trials', 'trial', 'diagnostics', 'compare', 'insights'] as const
export type RunTab = (typeof RUN_TABS)[number]

/** Views of a suite in the middle pane. */
export const MIDDLES = ['runs', 'cases', 'settings', 'heat'] as const
export type Middle = (typeof MIDDLES)[number]

/** Returns the focused pane of a place; for a place with a run but no pane, that of the run. */
export function paneOf({ pane, runId }: Readonly<Record<string, string>>): PaneId {
  return PANES.find(id => id === pane) ?? (runId === undefined ? 'suites' : 'run')
}

/** Returns the run's tab in a place. */
export function tabOf(text: string | undefined): RunTab {
  return RUN_TABS.find(tab => tab === text) ?? 'summary'
}

/** Returns the view of the middle pane in a place. */
export function middleOf(text: string | undefined): Middle {
  return MIDDLES.find(middle => middle === text) ?? 'runs'
}
