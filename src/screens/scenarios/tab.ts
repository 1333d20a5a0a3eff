import type { ScenarioRow } from './columns.ts'

/** What every tab of a scenario's pane is given. */
export type TabProps = {
  input: { projectId: string; scenarioId: string }
  row: ScenarioRow
  focused: boolean
  /** Why the feature is off for the organization; what it gates is then not asked for. */
  closed: string | undefined
  /** Links and invitations show as they are. */
  showsSecrets: boolean
}
