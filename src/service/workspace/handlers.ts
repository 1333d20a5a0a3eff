import { accountHandlers, capabilityHandlers } from '../account/handlers.ts'
import { agentHandlers, agentProposalHandlers, agentTurnHandlers } from '../agent/turn.ts'
import { callHandlers } from '../calls/calls.ts'
import { upsertCases } from '../cases/records.ts'
import { runsOfSuite } from '../runs/records.ts'
import { caseHandlers } from '../cases/handlers.ts'
import { chatHandlers } from '../chats/chats.ts'
import {
  checkRepoHandlers,
  hostCatalogHandlers,
  imageHandlers,
  modelHandlers,
  pluginHandlers,
} from '../catalogs/handlers.ts'
import { clientHandlers, hostHandlers, serverListsOf } from '../clients/clients.ts'
import { conformanceIngestHandlers } from '../conformance-ingest/runs.ts'
import { environmentHandlers } from '../environments/environments.ts'
import { evalIngestHandlers } from '../eval-ingest/runs.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { iterationHandlers } from '../iterations/handlers.ts'
import { journeyFindingHandlers } from '../findings/records.ts'
import { journeyRunHandlers } from '../journey-runs/handlers.ts'
import { journeyHandlers } from '../journeys/journeys.ts'
import { personaHandlers } from '../personas/personas.ts'
import { projectHandlers } from '../projects/handlers.ts'
import { readinessHandlers } from '../readiness/runs.ts'
import { runGroupHandlers } from '../run-groups/launch.ts'
import { runHandlers } from '../runs/handlers.ts'
import { scenarioHandlers } from '../scenarios/records.ts'
import { connectionHandlers } from '../server-connections/requests.ts'
import { rootHandlers, serverRequestHandlers } from '../server-requests/handlers.ts'
import { serverHandlers, signInHandlers, liveServerHandlers } from '../servers/handlers.ts'
import { chatSessionHandlers, sessionHandlers } from '../sessions/handlers.ts'
import { suiteHandlers } from '../suites/records.ts'
import { traceExportHandlers } from '../trace-exports/handlers.ts'
import { swarmHandlers } from '../swarms/swarms.ts'
import { consoleHandlers, trafficHandlers } from '../traffic/handlers.ts'
import {
  userTestingSessionHandlers,
  userTestingHandlers,
  userTestingFindingHandlers,
  userTestingInsightHandlers,
} from '../user-testing/handlers.ts'
import { waveInsightHandlers } from '../waves/handlers.ts'
import type { AnyEndpoint, ParsedInputOf, ProjectRole } from '../../api/contract/endpoint.ts'
import { type Caller, requireRole, roleIn } from '../core/access.ts'
import type { Served } from '../core/refusals.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Store } from '../core/database/store.ts'
/** Creates the handlers of every operation of the contract over one workspace. */
export function createHandlers(context: ServiceContext): Handlers {
  return {
    account: accountHandlers(context),
    capabilities: capabilityHandlers(context),
    projects: projectHandlers(context),
    servers: serverHandlers(context),
    clients: clientHandlers(context),
    hosts: hostHandlers(context),
    environments: environmentHandlers(context),
    suites: suiteHandlers(context, { upsertCases, runsOfSuite }),
    cases: caseHandlers(context),
    runs: runHandlers(context),
    runGroups: runGroupHandlers(context),
    iterations: iterationHandlers(context),
    evalIngest: evalIngestHandlers(context),
    conformanceIngest: conformanceIngestHandlers(context),
    sessions: sessionHandlers(context),
    chats: chatHandlers(context),
    chatSessions: chatSessionHandlers(context),
    traceExports: traceExportHandlers(context),
    checkRepos: checkRepoHandlers(),
    scenarios: scenarioHandlers(context),
    userTesting: userTestingHandlers(context),
    userTestingSessions: userTestingSessionHandlers(context),
    personas: personaHandlers(context),
    journeys: journeyHandlers(context),
    journeyRuns: journeyRunHandlers(context),
    swarms: swarmHandlers(context),
    connections: connectionHandlers(context),
    readiness: readinessHandlers(context),
    models: modelHandlers(context),
    hostCatalog: hostCatalogHandlers(),
    plugins: pluginHandlers(),
    images: imageHandlers(),
    journeyFindings: journeyFindingHandlers(context),
    waveInsights: waveInsightHandlers(context),
    userTestingFindings: userTestingFindingHandlers(context),
    userTestingInsights: userTestingInsightHandlers(context),
    traffic: trafficHandlers(context),
    console: consoleHandlers(context),
    signIns: signInHandlers(context),
    liveServers: liveServerHandlers(context),
    serverRequests: serverRequestHandlers(context),
    roots: rootHandlers(context),
    calls: callHandlers(context),
    agent: agentHandlers(context),
    agentTurns: agentTurnHandlers(context),
    agentProposals: agentProposalHandlers(context),
  }
}

type Attempt<E> = ParsedInputOf<E> & { store: Store; project: ProjectRow; caller: Caller }

type Changes<E> = (attempt: Attempt<E>) => boolean

type Guard = {
  change: string
  role: ProjectRole
  /** Operations that can change the field although they require a lower role (`REQUIRED_ROLES`). */
  writtenBy: { [R in keyof Served]?: { [O in keyof Served[R]]?: Changes<Served[R][O]> } }
}

/**
 * Fields whose change requires a higher role than the operation itself. The contract also guards shared OAuth servers,
 * which this service does not have.
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
    change: 'Deleting a suite that someone else made',
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

type ByOperation<T> = Readonly<Record<string, Readonly<Record<string, T>>>>

/** Returns the handlers. Those that can change guarded fields check the role first, in the same transaction. */
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

/** Whether an edit changes servers. A config replaces the earlier one, so a config without the lists empties them. */
function changesServers(
  store: Store,
  projectId: string,
  clientId: string,
  config: Readonly<Record<string, unknown>> | undefined,
): boolean {
  if (config === undefined) return false
  return serverListsOf(config) !== serverListsOf(store.clients.require(projectId, clientId).config)
}
