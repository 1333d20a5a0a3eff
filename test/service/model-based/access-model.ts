/** A published environment. */
export type ScenarioModel = {
  id: string
  environmentId: string
  mode: string
  version: number
  /** Secret part of the present link; undefined = its answer was lost. */
  link: string | undefined
  /** Secret parts that were rotated away. */
  oldLinks: string[]
  /** Codes by address. */
  members: Map<string, string>
}

export type SessionModel = {
  token: string
  scenarioId: string
  isAlive: boolean
  /** Whom the visitor proved to be. */
  as: { email: string } | { keyId: string } | 'guest'
}

/** What is published, and every visitor's session that somebody holds the token of. */
export type AccessModel = {
  /** Published ones, by environment. */
  scenarios: Map<string, ScenarioModel>
  /** Last version of each environment's scenarios, which later ones go on from. */
  versions: Map<string, number>
  sessions: SessionModel[]
  /** Codes that were taken back. */
  oldCodes: Set<string>
}

export function emptyAccess(): AccessModel {
  return { scenarios: new Map(), versions: new Map(), sessions: [], oldCodes: new Set() }
}

/** A trigger of the table "Scenario access": the next version, and no session of the scenario lives. */
export function bump(access: AccessModel, scenario: ScenarioModel): void {
  scenario.version += 1
  access.versions.set(scenario.environmentId, scenario.version)
  for (const session of access.sessions) if (session.scenarioId === scenario.id) session.isAlive = false
}

/** Whether a change of mode keeps anybody out that was let in: all but opening it to everyone with the link. */
export function tightens(before: string, after: string): boolean {
  return before !== after && after !== 'anyone_with_link'
}
