import { accountHandlers, capabilityHandlers } from './account.ts'
import { caseHandlers } from './cases.ts'
import { clientHandlers, hostHandlers } from './clients.ts'
import { environmentHandlers } from './environments.ts'
import type { Handlers, ServiceContext } from './handler.ts'
import { iterationHandlers } from './iterations.ts'
import { projectHandlers } from './projects.ts'
import { runGroupHandlers } from './run-groups.ts'
import { runHandlers } from './runs.ts'
import { serverHandlers } from './servers.ts'
import { suiteHandlers } from './suites.ts'

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
  }
}
