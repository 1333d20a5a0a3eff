import { contract } from '../../api/contract/contract.ts'
import { type AnyEndpoint, isAtLeast, requiredRole, type ProjectRole } from '../../api/contract/endpoint.ts'
import type { PROJECT_PERMISSIONS, ProjectCapabilities } from '../../api/contract/projects.ts'
import { GATES, type OrganizationLimits } from '../core/limits/limits.ts'
import { GATE_NAMES } from '../core/limits/settings.ts'

type Permission = (typeof PROJECT_PERMISSIONS)[number]
type Sandboxes = NonNullable<NonNullable<ProjectCapabilities['features']>['sandboxes']>

/** The operation that stands for a permission: its gate and its role decide. */
const OPERATIONS: Readonly<Record<Exclude<Permission, 'deleteAnyEvalSuite' | 'deleteAnyEvalRun'>, AnyEndpoint>> = {
  readSwarms: contract.personas.list,
  readUserTesting: contract.userTesting.get,
  writeSwarms: contract.personas.create,
  launchJourneyRun: contract.journeyRuns.launch,
  cancelJourneyRun: contract.journeyRuns.cancel,
  publishUserTestingScenario: contract.userTesting.publish,
  unpublishUserTestingScenario: contract.userTesting.unpublish,
  changeUserTestingExposure: contract.userTesting.update,
  manageUserTestingGuestExecution: contract.userTesting.setGuestExecution,
  requestInsights: contract.waveInsights.request,
  readEvals: contract.suites.list,
  writeEvalSuites: contract.suites.create,
  launchEvalRun: contract.runs.create,
  exportEvalTraces: contract.traceExports.otlp,
}

/** What a role in a project may do while the organization's features are as they are; every write still checks. */
export function permissionsOf(
  limits: OrganizationLimits,
  organizationId: string,
  role: ProjectRole | undefined,
): Record<Permission, boolean> {
  const may = (operation: AnyEndpoint): boolean =>
    (operation.gate === undefined || limits.isOn(organizationId, operation.gate)) &&
    isAtLeast(role, requiredRole(operation))
  const derived = Object.fromEntries(
    Object.entries(OPERATIONS).map(([permission, operation]) => [permission, may(operation)]),
  ) as Record<keyof typeof OPERATIONS, boolean>
  return {
    ...derived,
    // Who made a suite may delete it with a lower role, so that the operation's role says less than this.
    deleteAnyEvalSuite: isAtLeast(role, 'admin'),
    // The contract has no operation that deletes a run.
    deleteAnyEvalRun: false,
  }
}

/**
 * The gate as the contract reports it. It has one flag for what can be switched off in parts here, so that it is on
 * while any part is; the reason names what is off. A closed gate always refuses: `enforce`.
 */
export function sandboxesOf(limits: OrganizationLimits, organizationId: string): Sandboxes {
  const off = GATE_NAMES.filter(gate => !limits.isOn(organizationId, gate))
  return {
    enabled: off.length < GATE_NAMES.length,
    mode: 'enforce',
    enforced: true,
    ...(off.length > 0 && {
      reason: `Switched off for this organization: ${off.map(gate => GATES[gate]).join(', ')}.`,
    }),
  }
}
