import { ServiceError } from '../errors.ts'
import type { Caller } from '../keys.ts'
import type { Handlers } from './handler.ts'

/** Pull-request checks are the work of an app that the hosted service installs in the repository's own host. */
export function checkRepoHandlers(): Handlers['checkRepos'] {
  return {
    list({ caller, params }) {
      requireOrganization(caller, params.organizationId)
      return { organizationId: caller.organizationId, available: false, items: [], connectable: null }
    },
    connect({ caller, params, body }) {
      requireOrganization(caller, params.organizationId)
      throw new ServiceError(
        'FEATURE_NOT_SUPPORTED',
        `The local workspace cannot check pull requests of ${body.repo}; connect it in a hosted workspace, or run the suite from its own CI and report it through eval ingest.`,
      )
    },
  }
}

function requireOrganization(caller: Caller, organizationId: string): void {
  if (organizationId !== caller.organizationId)
    throw new ServiceError('NOT_FOUND', `There is no organization ${organizationId}.`)
}
