/** The tabs of one finding. */
const FINDING_TABS = ['overview', 'evidence', 'behind', 'insights'] as const
export type FindingTab = (typeof FINDING_TABS)[number]

/** The tab of a place. */
export function tabOf(text: string | undefined): FindingTab {
  return FINDING_TABS.find(tab => tab === text) ?? 'overview'
}
