import { contract } from '../../api/contract/contract.ts'
import { type AnyEndpoint, requiredRole, roleSentence } from '../../api/contract/endpoint.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { offWords } from '../projects/feature-gate.ts'
import type { AccessChange } from './table.ts'

/** Names of permissions in `can`, by the action that they allow. */
const PERMISSIONS: Record<AccessChange['do'], string> = {
  publish: 'publishUserTestingScenario',
  unpublish: 'unpublishUserTestingScenario',
  mode: 'changeUserTestingExposure',
  invite: 'changeUserTestingExposure',
  remove: 'changeUserTestingExposure',
  rotate: 'changeUserTestingExposure',
  rebind: 'changeUserTestingExposure',
  limits: 'manageUserTestingGuestExecution',
}

const { userTesting } = contract
/** The operation that an action sends, whose role decides. */
const OPERATIONS: Record<AccessChange['do'], AnyEndpoint> = {
  publish: userTesting.publish,
  unpublish: userTesting.unpublish,
  mode: userTesting.update,
  invite: userTesting.upsertMember,
  remove: userTesting.removeMember,
  rotate: userTesting.rotateLink,
  rebind: userTesting.rebind,
  limits: userTesting.setGuestExecution,
}

/**
 * Returns why user testing is not available to the organization, according to the capabilities; undefined if it is
 * available.
 */
export function gateClosed(capabilities: ProjectCapabilities | undefined): string | undefined {
  const words = offWords(capabilities, 'user-testing')
  return words && `${words} ${FOR_GOOD}`
}

const FOR_GOOD = 'Waiting does not change that.'

/**
 * Whether an action is refused because the feature is off. Publishing and unpublishing need the same role and only
 * publishing is gated, so a difference between them shows the gate.
 */
function isGated({ can }: ProjectCapabilities): boolean {
  return can[PERMISSIONS.unpublish] === true && can[PERMISSIONS.publish] === false
}

/** Returns why an action is not available; undefined if it may be tried. The service makes the final decision. */
export function obstacle(
  action: AccessChange['do'],
  capabilities: ProjectCapabilities | undefined,
): string | undefined {
  const may = capabilities?.can[PERMISSIONS[action]]
  if (!capabilities || may === true) return undefined
  const closed = gateClosed(capabilities)
  if (action !== 'unpublish' && (closed !== undefined || (may === false && isGated(capabilities))))
    return closed ?? `User testing is switched off for this organization. ${FOR_GOOD}`
  if (may !== false) return undefined
  const role = capabilities.projectRole ?? capabilities.role ?? undefined
  return roleSentence(requiredRole(OPERATIONS[action]) ?? 'member', role)
}
