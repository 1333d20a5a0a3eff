import { contract } from '../../api/contract/contract.ts'
import { type AnyEndpoint, requiredRole, roleSentence } from '../../api/contract/endpoint.ts'
import type { ProjectCapabilities } from '../../api/contract/projects.ts'
import { offWords } from '../projects/feature-gate.ts'
import type { AccessChange } from './table.ts'

/** Names in `can`, by what they allow. */
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
/** The operation that an action sends; its role decides. */
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

/** Why user testing is closed to the organization, as far as the capabilities report it; undefined while it is open. */
export function gateClosed(capabilities: ProjectCapabilities | undefined): string | undefined {
  const words = offWords(capabilities, 'user-testing')
  return words && `${words} ${FOR_GOOD}`
}

const FOR_GOOD = 'Waiting does not change that.'

/**
 * Whether a refused action is refused for the feature's sake. Publishing and unpublishing ask for the same role and
 * only publishing is gated, so that a difference between them is the gate.
 */
function isGated({ can }: ProjectCapabilities): boolean {
  return can[PERMISSIONS.unpublish] === true && can[PERMISSIONS.publish] === false
}

/** Why an action is not on offer; undefined where it may be tried. The service decides in the end. */
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
