/** The screen's panes, from left to right, as places name them. */
export const PANES = ['suites', 'runs', 'run'] as const
export type PaneId = (typeof PANES)[number]

/** The tabs of one run. */
export const RUN_TABS = ['summary', 'trials', 'trial', 'diagnostics', 'compare', 'insights'] as const
export type RunTab = (typeof RUN_TABS)[number]

/** What the middle pane shows of a suite. */
export const MIDDLES = ['runs', 'cases', 'settings'] as const
export type Middle = (typeof MIDDLES)[number]

/** The focused pane of a place. */
export function paneOf(text: string | undefined): PaneId {
  return PANES.find(pane => pane === text) ?? 'suites'
}

/** The run's tab of a place. */
export function tabOf(text: string | undefined): RunTab {
  return RUN_TABS.find(tab => tab === text) ?? 'summary'
}

/** What the middle pane of a place shows. */
export function middleOf(text: string | undefined): Middle {
  return MIDDLES.find(middle => middle === text) ?? 'runs'
}
