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
  /** Rises when access narrows; sessions minted under a lower one are dead. */
  accessVersion: number
  /** Public part of the link, by which it is found. */
  linkLookup: string
  /** SHA-256 of the whole link secret. */
  linkHash: Uint8Array
  /** Caps for anonymous visitors; undefined = nobody has allowed strangers to spend. */
  guestExecution: GuestCaps | undefined
  createdAt: number
  updatedAt: number
  unpublishedAt: number | null
}

export type ScenarioMemberRow = {
  id: string
  scenarioId: string
  /** In lower case. */
  email: string
  /** The secret by which the member proves to be the one invited; sealed at rest. */
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
  /** A published one; what was taken down is gone. */
  const get = (projectId: string, id: string) => scenarios.one({ id, projectId, ...published })
  return {
    get,
    /** @throws ServiceError `NOT_FOUND` */
    require: (projectId: string, id: string) => requireRow(get(projectId, id), `scenario ${id} in this project`),
    insert,
    update,
    list: (projectId: string) => scenarios.all({ projectId, ...published }, 'ORDER BY id'),
    findByEnvironment: (environmentId: string) => scenarios.one({ environmentId, ...published }),
    /** The published one that a link belongs to; whether the whole secret fits is for the caller to compare. */
    findByLink: (linkLookup: string) => scenarios.one({ linkLookup, ...published }),
    /** Published or taken down, for the sessions that it had. */
    getEver: (id: string) => scenarios.one({ id }),
    /** The highest version that any scenario of an environment had; 0 = it never had one. */
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
