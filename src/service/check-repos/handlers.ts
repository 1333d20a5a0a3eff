import { ServiceError } from '../core/errors.ts'
import type { Handlers } from '../core/context.ts'

/** Pull-request checks are the work of an app that the hosted service installs in the repository's own host. */
export function checkRepoHandlers(): Handlers['checkRepos'] {
  return {
    list({ caller: { organizationId }, params }) {
      if (params.organizationId !== organizationId)
        throw new ServiceError('NOT_FOUND', `There is no organization ${params.organizationId}.`)
      return { organizationId, available: false, items: [], connectable: null }
    },
  }
}
