import type { AnyEndpoint, ParsedInputOf, ProjectRole } from '../../api/contract/endpoint.ts'
import { serverListsOf } from '../clients/records.ts'
import { type Caller, requireRole, roleIn } from '../core/access.ts'
import type { Handlers } from '../core/context.ts'
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

/** A table of handlers or of guards, whichever operations they are for. */
type ByOperation<T> = Readonly<Record<string, Readonly<Record<string, T>>>>

/** The handlers, of which those that can write something guarded check that first, in one transaction with it. */
export function withGuards(store: Store, handlers: Handlers): Handlers {
  type Handler = (call: Attempt<AnyEndpoint>) => unknown
  let all = handlers as unknown as ByOperation<Handler>
  for (const { change, role, writtenBy } of GUARDED_FIELDS)
    for (const [resource, operations] of Object.entries(writtenBy as ByOperation<Changes<AnyEndpoint>>))
      for (const [name, changes] of Object.entries(operations)) {
        const handler = all[resource]?.[name]
        if (!handler) continue
        const guarded: Handler = call =>
          store.write(() => {
            if (changes({ ...call, store })) requireRole(roleIn(call.caller, call.project), role, change)
            return handler(call)
          })
        all = { ...all, [resource]: { ...all[resource], [name]: guarded } }
      }
  return all as unknown as Handlers
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
