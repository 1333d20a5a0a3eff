import type * as z from 'zod'
import type { SCENARIO_MODES } from '../../api/contract/choices.ts'
import type { GuestExecutionRequest } from '../../api/contract/user-testing.ts'
import type { Database } from '../../lib/sqlite.ts'
import type { Sealer } from '../core/database/sealer.ts'
import { json, sealed, tableOf, requireRow } from '../core/database/table.ts'

export type ScenarioMode = (typeof SCENARIO_MODES)[number]
type GuestCaps = z.output<typeof GuestExecutionRequest>

export type ScenarioRow = {
  id: string
  projectId: string
  environmentId: string
  name: string
  description: string | null
  mode: ScenarioMode
  /** Increases when access is narrowed. Sessions with a lower version have ended. */
  accessVersion: number
  /** Public part of the link, by which the scenario is found. */
  linkLookup: string
  /** SHA-256 of the whole link secret. */
  linkHash: Uint8Array
  /** Caps for anonymous visitors. If undefined, strangers may not spend anything. */
  guestExecution: GuestCaps | undefined
  createdAt: number
  updatedAt: number
  unpublishedAt: number | null
}

export type ScenarioMemberRow = {
  id: string
  scenarioId: string
  /** Email address in lower case. */
  email: string
  /** The secret with which a visitor proves to be the invited member. Stored encrypted. */
  invitation: string
  createdAt: number
}

export function createScenarioRows(database: Database, sealer: Sealer) {
  const scenarios = tableOf<ScenarioRow>(database, 'scenario', { kinds: { guestExecution: json() } })
  const members = tableOf<ScenarioMemberRow>(database, 'scenarioMember', {
    owner: 'scenarioId',
    kinds: { invitation: sealed(sealer, 'scenarioMember', 'invitation') },
  })
  const published = { unpublishedAt: null }
  const { insert, update } = scenarios.basics
  /** Returns a published scenario; undefined if it was taken down. */
  const get = (projectId: string, id: string) => scenarios.one({ id, projectId, ...published })
  return {
    get,
    /** @throws ServiceError `NOT_FOUND` */
    require: (projectId: string, id: string) => requireRow(get(projectId, id), `scenario ${id} in this project`),
    insert,
    update,
    list: (projectId: string) => scenarios.all({ projectId, ...published }, 'ORDER BY id'),
    findByEnvironment: (environmentId: string) => scenarios.one({ environmentId, ...published }),
    /** Returns the published scenario with this public part of its link. The caller compares the whole secret. */
    findByLink: (linkLookup: string) => scenarios.one({ linkLookup, ...published }),
    /** Returns a scenario even if it was taken down, because its earlier sessions need it. */
    getEver: (id: string) => scenarios.one({ id }),
    /** Returns the highest access version of all scenarios that an environment ever had; 0 if there was none. */
    lastAccessVersion: (environmentId: string) =>
      database.get<{ last: number | null }>(
        'SELECT max(accessVersion) AS last FROM scenario WHERE environmentId = :environmentId',
        { environmentId },
      )?.last ?? 0,
    members: {
      get: members.basics.get,
      findByEmail: (scenarioId: string, email: string) => members.one({ scenarioId, email }),
      insert: members.basics.insert,
      delete: members.delete,
    },
  }
}
