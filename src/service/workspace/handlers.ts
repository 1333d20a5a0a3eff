import { accountHandlers, capabilityHandlers } from '../account/handlers.ts'
import { agentHandlers, agentProposalHandlers, agentTurnHandlers } from '../agent/handlers.ts'
import { callHandlers } from '../calls/handlers.ts'
import { upsertCases } from '../cases/records.ts'
import { runsOfSuite } from '../runs/records.ts'
import { caseHandlers } from '../cases/handlers.ts'
import { chatHandlers } from '../chats/handlers.ts'
import { checkRepoHandlers } from '../check-repos/handlers.ts'
import { hostCatalogHandlers, imageHandlers, modelHandlers, pluginHandlers } from '../catalogs/handlers.ts'
import { clientHandlers, hostHandlers } from '../clients/handlers.ts'
import { conformanceIngestHandlers } from '../conformance-ingest/handlers.ts'
import { environmentHandlers } from '../environments/handlers.ts'
import { evalIngestHandlers } from '../eval-ingest/handlers.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { iterationHandlers } from '../iterations/handlers.ts'
import { journeyFindingHandlers } from '../findings/handlers.ts'
import { journeyRunHandlers } from '../journey-runs/handlers.ts'
import { journeyHandlers } from '../journeys/handlers.ts'
import { personaHandlers } from '../personas/handlers.ts'
import { projectHandlers } from '../projects/handlers.ts'
import { readinessHandlers } from '../readiness/handlers.ts'
import { runGroupHandlers } from '../run-groups/handlers.ts'
import { runHandlers } from '../runs/handlers.ts'
import { scenarioHandlers } from '../scenarios/handlers.ts'
import { connectionHandlers } from '../server-connections/handlers.ts'
import { rootHandlers, serverRequestHandlers } from '../server-requests/handlers.ts'
import { serverHandlers, signInHandlers } from '../servers/handlers.ts'
import { chatSessionHandlers, sessionHandlers } from '../sessions/handlers.ts'
import { suiteHandlers } from '../suites/handlers.ts'
import { traceExportHandlers } from '../trace-exports/handlers.ts'
import { swarmHandlers } from '../swarms/handlers.ts'
import { liveServerHandlers } from '../live-servers/handlers.ts'
import { consoleHandlers, trafficHandlers } from '../traffic/handlers.ts'
import {
  userTestingSessionHandlers,
  userTestingHandlers,
  userTestingFindingHandlers,
  userTestingInsightHandlers,
} from '../user-testing/handlers.ts'
import { waveInsightHandlers } from '../waves/handlers.ts'

/** Every operation of the contract over one workspace. */
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
