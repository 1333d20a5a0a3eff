import { account, capabilities } from './account.ts'
import { agent, agentProposals, agentTurns } from './agent.ts'
import { harness, hostCatalog, models } from './catalogs.ts'
import { calls } from './calls.ts'
import { chat, chats } from './chat.ts'
import { checkRepos } from './check-repos.ts'
import { clients, hosts } from './clients.ts'
import { connections } from './connections.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { environments } from './environments.ts'
import { computer, images } from './images.ts'
import { conformanceIngest, evalIngest } from './ingest.ts'
import { iterations } from './iterations.ts'
import { journeyFindings } from './journey-findings.ts'
import { journeyRuns } from './journey-runs.ts'
import { journeys } from './journeys.ts'
import { liveServers } from './live-servers.ts'
import { personas } from './personas.ts'
import { plugins } from './plugins.ts'
import { projects } from './projects.ts'
import { readiness } from './readiness.ts'
import { runGroups } from './run-groups.ts'
import { runs } from './runs.ts'
import { scenarios } from './scenarios.ts'
import { roots, serverRequests } from './server-requests.ts'
import { servers } from './servers.ts'
import { chatSessions, sessions, traceExports } from './sessions.ts'
import { cases, suites } from './suites.ts'
import { swarms } from './swarms.ts'
import { signIns } from './sign-ins.ts'
import { console, traffic } from './traffic.ts'
import { tunnels } from './tunnels.ts'
import { userTestingFindings, userTestingInsights, userTestingSessions, userTesting } from './user-testing.ts'
import { waveInsights } from './wave-insights.ts'
/** All declared operations by resource. Client, queries, service and docs are derived from it. */
export const contract = {
  account,
  capabilities,
  projects,
  servers,
  suites,
  cases,
  runs,
  iterations,
  runGroups,
  clients,
  hosts,
  environments,
  plugins,
  hostCatalog,
  models,
  harness,
  images,
  computer,
  connections,
  tunnels,
  sessions,
  chatSessions,
  chat,
  chats,
  agent,
  traceExports,
  checkRepos,
  evalIngest,
  conformanceIngest,
  personas,
  journeys,
  swarms,
  journeyRuns,
  journeyFindings,
  waveInsights,
  scenarios,
  userTesting,
  userTestingSessions,
  userTestingInsights,
  userTestingFindings,
  readiness,
  traffic,
  console,
  signIns,
  liveServers,
  serverRequests,
  roots,
  calls,
  agentTurns,
  agentProposals,
}
export type Contract = typeof contract

/** Returns all operations as one list, in the order of declaration. */
export function allEndpoints(): AnyEndpoint[] {
  return Object.values(contract).flatMap(resource => Object.values(resource) as unknown as AnyEndpoint[])
}

/** Returns the operations of the published contract, without those that only a local workspace offers. */
export function publishedEndpoints(): AnyEndpoint[] {
  return allEndpoints().filter(({ local }) => !local)
}

export { API_PREFIX, IDEMPOTENCY_HEADER, KEY_PREFIX } from './wire.ts'
