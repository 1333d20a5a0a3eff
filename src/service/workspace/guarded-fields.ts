import type { ParsedInputOf, ProjectRole } from '../../api/contract/endpoint.ts'
import { serverListsOf } from '../clients/records.ts'
import { type Caller, requireRole, roleIn } from '../core/access.ts'
import type { Served } from '../core/refusals.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Store } from '../core/database/store.ts'

/** A parsed request to one operation, as a guard reads it. */
type Attempt<E> = ParsedInputOf<E> & { store: Store; project: ProjectRow; caller: Caller }

/** Whether a request changes what is guarded. */
type Changes<E> = (attempt: Attempt<E>) => boolean

type Guard = {
  /** The guarded change, as a refusal begins. */
  change: string
  role: ProjectRole
  /** Every operation that can write it with a lower role of its own (`REQUIRED_ROLES`). */
  writtenBy: { [R in keyof Served]?: { [O in keyof Served[R]]?: Changes<Served[R][O]> } }
}

/** What a request that is being checked looks like, whichever operation it names. */
type AnyAttempt = { params: object; query: unknown; body: unknown; caller: Caller; project: ProjectRow | undefined }

/**
 * What needs a stronger role than the operations that can write it, wherever it is written. What is guarded and has
 * operations of its own alone (projects, named environments, caps for guests) is in `REQUIRED_ROLES`.
 * The contract also guards servers that are shared as an OAuth connection; this workspace has no such sharing.
 */
export const GUARDED_FIELDS: readonly Guard[] = [
  {
    change: 'Setting the servers of a client',
    role: 'admin',
    writtenBy: {
      clients: {
        create: ({ body }) => hasServers(body.config),
        update: ({ store, project, params, body }) => changesServers(store, project.id, params.clientId, body.config),
      },
      hosts: {
        create: ({ body }) => hasServers(body.config),
        update: ({ store, project, params, body }) => changesServers(store, project.id, params.hostId, body.config),
      },
    },
  },
  {
    change: 'Pinning plugin versions in an environment',
    role: 'admin',
    writtenBy: { environments: { ensureAdhoc: ({ body }) => body.pluginVersionIds !== undefined } },
  },
  {
    change: 'Publishing another environment',
    role: 'admin',
    writtenBy: {
      userTesting: {
        rebind({ store, project, params, body }) {
          const scenario = store.scenarios.get(project.id, params.scenarioId)
          return scenario !== undefined && scenario.environmentId !== body.environmentId
        },
      },
    },
  },
  {
    change: 'Deleting a suite that somebody else made',
    role: 'admin',
    writtenBy: {
      suites: {
        delete({ store, project, params, caller }) {
          const suite = store.suites.get(project.id, params.suiteId)
          return suite !== undefined && suite.createdBy !== caller.keyId
        },
      },
    },
  },
]

/** Checks and carries out a request in one transaction, where the operation can write something guarded. */
export type Guarded = <T>(attempt: AnyAttempt, work: () => T) => T

/** The check of one operation; undefined where it can write nothing that is guarded. */
export function guardOf(store: Store, { resource, name }: { resource: string; name: string }): Guarded | undefined {
  const checks = GUARDED_FIELDS.flatMap(({ change, role, writtenBy }) => {
    const tables = writtenBy as Readonly<Record<string, Readonly<Record<string, (attempt: object) => boolean>>>>
    const changes = tables[resource]?.[name]
    return changes ? [{ change, role, changes }] : []
  })
  if (checks.length === 0) return undefined
  return (attempt, work) =>
    store.write(() => {
      const { project, caller } = attempt
      if (project)
        for (const { change, role, changes } of checks)
          if (changes({ ...attempt, store })) requireRole(roleIn(caller, project), role, change)
      return work()
    })
}

function hasServers(config: Readonly<Record<string, unknown>> | undefined): boolean {
  return config !== undefined && serverListsOf(config) !== serverListsOf({})
}

/** A config is replaced as a whole, so that one without the lists empties them. */
function changesServers(
  store: Store,
  projectId: string,
  clientId: string,
  config: Readonly<Record<string, unknown>> | undefined,
): boolean {
  if (config === undefined) return false
  return serverListsOf(config) !== serverListsOf(store.clients.require(projectId, clientId).config)
}
