/** A published environment. */
export type ScenarioModel = {
  id: string
  environmentId: string
  mode: string
  version: number
  /** Secret part of the current link; undefined if its answer was lost. */
  link: string | undefined
  /** Secret parts of rotated links. */
  oldLinks: string[]
  /** Invitation codes by address. */
  members: Map<string, string>
}

export type SessionModel = {
  token: string
  scenarioId: string
  isAlive: boolean
  /** The identity that the visitor proved. */
  as: { email: string } | { keyId: string } | 'guest'
}

/** The published scenarios, and every visitor session whose token is known to a visitor. */
export type AccessModel = {
  /** Published scenarios by environment. */
  scenarios: Map<string, ScenarioModel>
  /** Last version of each environment's scenarios, from which later ones continue. */
  versions: Map<string, number>
  sessions: SessionModel[]
  /** Codes that were revoked. */
  oldCodes: Set<string>
}

export function emptyAccess(): AccessModel {
  return { scenarios: new Map(), versions: new Map(), sessions: [], oldCodes: new Set() }
}

/** Applies a trigger of the table "Scenario access": the version increases, and every session of the scenario ends. */
export function bump(access: AccessModel, scenario: ScenarioModel): void {
  scenario.version += 1
  access.versions.set(scenario.environmentId, scenario.version)
  for (const session of access.sessions) if (session.scenarioId === scenario.id) session.isAlive = false
}

/** Whether a change of mode excludes someone who was admitted: every change except to anyone with the link. */
export function tightens(before: string, after: string): boolean {
  return before !== after && after !== 'anyone_with_link'
}
