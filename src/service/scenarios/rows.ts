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
  /** Raised when access is narrowed. Sessions with a lower version have ended. */
  accessVersion: number
  /** Public part of the link, by which it is found. */
  linkLookup: string
  /** SHA-256 of the whole link secret. */
  linkHash: Uint8Array
  /** Caps for anonymous visitors; undefined = strangers may not spend anything. */
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
  /** The secret that proves that a visitor is the invited member. Stored encrypted. */
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
  /** Returns a published scenario. One that was taken down is not found. */
  const get = (projectId: string, id: string) => scenarios.one({ id, projectId, ...published })
  return {
    get,
    /** @throws ServiceError `NOT_FOUND` */
    require: (projectId: string, id: string) => requireRow(get(projectId, id), `scenario ${id} in this project`),
    insert,
    update,
    list: (projectId: string) => scenarios.all({ projectId, ...published }, 'ORDER BY id'),
    findByEnvironment: (environmentId: string) => scenarios.one({ environmentId, ...published }),
    /** Returns the published scenario of a link. The caller compares the whole secret. */
    findByLink: (linkLookup: string) => scenarios.one({ linkLookup, ...published }),
    /** Returns a scenario, even if it was taken down, for its earlier sessions. */
    getEver: (id: string) => scenarios.one({ id }),
    /** Returns the highest access version of any scenario of an environment; 0 if there never was one. */
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
