import type { ScenarioRow } from './columns.ts'

/** The props of every tab of a scenario's pane. */
export type TabProps = {
  input: { projectId: string; scenarioId: string }
  row: ScenarioRow
  focused: boolean
  /** Why the feature is off for the organization, so that gated data is not requested. */
  closed: string | undefined
  /** Whether links and invitations are shown in full. */
  showsSecrets: boolean
}
