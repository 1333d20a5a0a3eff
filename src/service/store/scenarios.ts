import type * as z from 'zod'
import type { SCENARIO_MODES } from '../../api/contract/scenario-shapes.ts'
import type { GuestExecutionRequest } from '../../api/contract/user-testing-shapes.ts'
import { assignments, fromJson, insertInto, toJson, type Database } from '../core/database/database.ts'
import type { Sealer } from '../core/database/sealer.ts'

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
  /** Null = published. */
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

type Stored = Omit<ScenarioRow, 'guestExecution'> & { guestExecution: string | null }
type StoredMember = Omit<ScenarioMemberRow, 'invitation'> & { invitation: Uint8Array }

export type ScenarioRows = {
  /** A published one; what was taken down is gone. */
  get(projectId: string, id: string): ScenarioRow | undefined
  /** Published ones, oldest first. */
  list(projectId: string): ScenarioRow[]
  /** The published one of an environment. */
  findByEnvironment(environmentId: string): ScenarioRow | undefined
  /** The published one that a link belongs to; whether the whole secret fits is for the caller to compare. */
  findByLink(linkLookup: string): ScenarioRow | undefined
  /** Published or taken down, for the sessions that it had. */
  getEver(id: string): ScenarioRow | undefined
  /** The highest version that any scenario of an environment had; 0 = it never had one. */
  lastAccessVersion(environmentId: string): number
  insert(row: ScenarioRow): void
  update(row: ScenarioRow): void
  members: {
    get(scenarioId: string, id: string): ScenarioMemberRow | undefined
    findByEmail(scenarioId: string, email: string): ScenarioMemberRow | undefined
    insert(row: ScenarioMemberRow): void
    delete(id: string): void
  }
}

export function createScenarioRows(database: Database, sealer: Sealer): ScenarioRows {
  const one = (condition: string, values: Record<string, string>) =>
    read(database.get<Stored>(`SELECT * FROM scenario WHERE ${condition}`, values))
  const member = (condition: string, values: Record<string, string>): ScenarioMemberRow | undefined => {
    const row = database.get<StoredMember>(
      `SELECT * FROM scenarioMember WHERE scenarioId = :scenarioId AND ${condition}`,
      values,
    )
    return row && { ...row, invitation: sealer.open<string>(row.invitation, placeOf(row.id)) }
  }
  return {
    get: (projectId, id) =>
      one('id = :id AND projectId = :projectId AND unpublishedAt IS NULL', { id, projectId }),
    list: projectId =>
      database
        .all<Stored>(
          'SELECT * FROM scenario WHERE projectId = :projectId AND unpublishedAt IS NULL ORDER BY id',
          { projectId },
        )
        .flatMap(row => read(row) ?? []),
    findByEnvironment: environmentId =>
      one('environmentId = :environmentId AND unpublishedAt IS NULL', { environmentId }),
    findByLink: linkLookup => one('linkLookup = :linkLookup AND unpublishedAt IS NULL', { linkLookup }),
    getEver: id => one('id = :id', { id }),
    lastAccessVersion: environmentId =>
      database.get<{ last: number | null }>(
        'SELECT max(accessVersion) AS last FROM scenario WHERE environmentId = :environmentId',
        { environmentId },
      )?.last ?? 0,
    insert: row => void database.run(insertInto('scenario', Object.keys(row)), write(row)),
    update(row) {
      const { projectId: _project, createdAt: _created, ...values } = write(row)
      const columns = Object.keys(values).filter(name => name !== 'id')
      database.run(`UPDATE scenario SET ${assignments(columns)} WHERE id = :id`, values)
    },
    members: {
      get: (scenarioId, id) => member('id = :id', { scenarioId, id }),
      findByEmail: (scenarioId, email) => member('email = :email', { scenarioId, email }),
      insert(row) {
        const sealed = { ...row, invitation: sealer.seal(row.invitation, placeOf(row.id)) }
        database.run(insertInto('scenarioMember', Object.keys(row)), sealed)
      },
      delete: id => void database.run('DELETE FROM scenarioMember WHERE id = :id', { id }),
    },
  }
}

function placeOf(memberId: string): string {
  return `scenarioMember/${memberId}/invitation`
}

function read(row: Stored | undefined): ScenarioRow | undefined {
  return row && { ...row, guestExecution: fromJson<GuestCaps>(row.guestExecution) }
}

function write(row: ScenarioRow): Stored {
  return { ...row, guestExecution: toJson(row.guestExecution) }
}
