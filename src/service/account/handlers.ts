import { allEndpoints } from '../../api/contract/contract.ts'
import { EVAL_VOCABULARIES } from '../core/vocabulary.ts'
import { announcedLimits } from '../core/organization-limits.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { organizationRoleOf } from '../projects/handlers.ts'

export function accountHandlers({ store }: ServiceContext): Handlers['account'] {
  return {
    me({ caller }) {
      const account = store.organizations.account(caller.accountId)
      return {
        id: caller.accountId,
        name: account?.name ?? null,
        // There are no accounts here, but the contract requires a text.
        email: '',
        plan: 'local',
        createdAt: account?.createdAt ?? null,
        updatedAt: account?.updatedAt ?? null,
      }
    },
    organizations({ caller, query }) {
      const organization = store.organizations.get(caller.organizationId)
      if (!organization) return { items: [] }
      const myRole = organizationRoleOf(caller)
      const list = `organizations/${caller.keyId}`
      return pageOf(store.cursors, { list, rows: [organization], query }, ({ id, name, createdAt }) => ({
        id,
        name,
        plan: 'local',
        myRole,
        isCreator: myRole === 'owner',
        createdAt,
      }))
    },
  }
}

/**
 * Handles the capabilities request. The contract does not document the body (differences, section 5); clients read its
 * `vocabulary` block.
 */
export function capabilityHandlers({ limits }: ServiceContext): Handlers['capabilities'] {
  return {
    get: ({ caller }) => ({
      service: 'mcpdeck',
      deployment: 'local',
      evalVocabulary: { versions: EVAL_VOCABULARIES },
      local: allEndpoints().flatMap(({ local, operation }) => (local ? [operation] : [])),
      limits: announcedLimits(limits, caller.organizationId),
    }),
  }
}
