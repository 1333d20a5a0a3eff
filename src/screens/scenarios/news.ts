import type { ProjectScenario } from '../../api/contract/scenarios.ts'

export const savedScenarioKey = (scenario: ProjectScenario): string => scenario.id

/** What of a scenario is worth being told of when it changes: who may enter, its name, what it reaches. */
export function scenarioSays(scenario: ProjectScenario): string {
  const { name, mode, hostId, serverNames } = scenario
  return [name, mode, hostId, ...(serverNames ?? [])].join('\n')
}
