import { ServiceError } from './core/errors.ts'
import type { Store } from './workspace/store.ts'
import type { SuiteRow } from './store/suites.ts'

/**
 * Lets configuration be written, unless a file in somebody's repository owns the suite and another one asks
 * (contract: "Eval case batch create"). Naming any other id refuses exactly like naming none.
 * @throws ServiceError `CONFLICT` with `CI_OWNED_SUITE_READ_ONLY`
 */
export function requireConfigurable(store: Store, suite: SuiteRow, declaredSuiteId?: string): void {
  const owner = store.suiteOwnership.get(suite.id)?.declaredId ?? null
  if (owner === null || owner === declaredSuiteId) return
  throw new ServiceError(
    'CONFLICT',
    `A file in a repository owns the suite "${suite.name}"; change it there and let its next run report it.`,
    { details: { reason: 'CI_OWNED_SUITE_READ_ONLY' } },
  )
}
