import { accountHandlers, capabilityHandlers } from './account.ts'
import { caseHandlers } from './cases.ts'
import { checkRepoHandlers } from './check-repos.ts'
import { hostCatalogHandlers, imageHandlers, modelHandlers, pluginHandlers } from './catalogs.ts'
import { clientHandlers, hostHandlers } from './clients.ts'
import { conformanceIngestHandlers } from './conformance-ingest.ts'
import { environmentHandlers } from './environments.ts'
import { evalIngestHandlers } from './eval-ingest.ts'
import type { Handlers, ServiceContext } from './handler.ts'
import { iterationHandlers } from './iterations.ts'
import { journeyFindingHandlers } from './journey-findings.ts'
import { journeyRunHandlers } from './journey-runs.ts'
import { journeyHandlers } from './journeys.ts'
import { personaHandlers } from './personas.ts'
import { projectHandlers } from './projects.ts'
import { readinessHandlers } from './readiness.ts'
import { runGroupHandlers } from './run-groups.ts'
import { runHandlers } from './runs.ts'
import { scenarioHandlers } from './scenarios.ts'
import { connectionHandlers } from './server-connections.ts'
import { serverHandlers } from './servers.ts'
import { chatSessionHandlers, sessionHandlers } from './sessions.ts'
import { suiteHandlers } from './suites.ts'
import { traceExportHandlers } from './trace-exports.ts'
import { swarmHandlers } from './swarms.ts'
import { userTestingSessionHandlers } from './user-testing-sessions.ts'
import { userTestingHandlers } from './user-testing.ts'
import { userTestingFindingHandlers } from './user-testing-findings.ts'
import { userTestingInsightHandlers } from './user-testing-insights.ts'
import { waveInsightHandlers } from './wave-insights.ts'

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
    suites: suiteHandlers(context),
    cases: caseHandlers(context),
    runs: runHandlers(context),
    runGroups: runGroupHandlers(context),
    iterations: iterationHandlers(context),
    evalIngest: evalIngestHandlers(context),
    conformanceIngest: conformanceIngestHandlers(context),
    sessions: sessionHandlers(context),
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
  }
}
