import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { GATES, GATE_NAMES } from '../core/limits.ts'
import { announcedLimits, type OrganizationLimits } from '../core/organization-limits.ts'
import { type Caller, requireRole, roleIn } from '../core/access.ts'
import { type ProjectRole, type AnyEndpoint, isAtLeast, requiredRole } from '../../api/contract/endpoint.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { contract } from '../../api/contract/contract.ts'
import type { PROJECT_PERMISSIONS, ProjectCapabilities } from '../../api/contract/projects.ts'

export function projectHandlers({ store, runs, connections, limits }: ServiceContext): Handlers['projects'] {
  return {
    list({ caller, query }) {
      if (query.organizationId !== undefined && query.organizationId !== caller.organizationId)
        throw new ServiceError('NOT_FOUND', `There is no organization ${query.organizationId}.`)
      const reachable = store.projects.list(caller.organizationId).flatMap(project => {
        const role = roleIn(caller, project)
        return role && role !== 'guest' ? [{ ...project, role }] : []
      })
      const list = `projects/${caller.keyId}`
      return pageOf(store.cursors, { list, rows: reachable, query }, ({ role, ...project }) => toProject(project, role))
    },
    create: ({ caller, body }) =>
      store.write(() => {
        if (body.organizationId !== undefined && body.organizationId !== caller.organizationId)
          throw new ServiceError('NOT_FOUND', `There is no organization ${body.organizationId}.`)
        requireRole(caller.role ?? undefined, 'member')
        const now = Date.now()
        const project: ProjectRow = {
          id: newId('prj'),
          organizationId: caller.organizationId,
          name: body.name,
          description: body.description ?? null,
          icon: body.icon ?? null,
          visibility: body.visibility ?? 'private',
          createdAt: now,
          updatedAt: now,
        }
        store.projects.insert(project)
        // The creator of a project becomes its admin, even if the key has a lower role elsewhere.
        store.keys.grant(caller.keyId, project.id, 'admin')
        return toProject(project, 'admin')
      }),
    update: ({ project, body, caller }) =>
      store.write(() => {
        const updated = { ...project, ...body, updatedAt: Date.now() }
        store.projects.update(updated)
        return toProject(updated, roleIn(caller, project))
      }),
    delete({ project }) {
      const serverIds = store.write(() => {
        const servers = store.servers.list(project.id)
        store.projects.delete(project.id)
        return servers.map(({ id }) => id)
      })
      runs.stopDeleted()
      for (const id of serverIds) connections.drop(id)
      return { id: project.id, deleted: true }
    },
    capabilities({ project, caller }) {
      const role = roleIn(caller, project)
      return {
        projectId: project.id,
        organizationId: project.organizationId,
        role: organizationRoleOf(caller),
        projectRole: role ?? null,
        surface: 'rest',
        features: { sandboxes: sandboxesOf(limits, project.organizationId) },
        plan: { name: 'local', limits: announcedLimits(limits, project.organizationId), features: {} },
        can: permissionsOf(limits, project.organizationId, role),
      }
    },
  }
}

/** Returns the organization role that matches a key's general role. A key with only grants is a guest. */
export function organizationRoleOf({ role }: Caller): 'owner' | 'member' | 'guest' {
  if (role === 'admin') return 'owner'
  return role === 'editor' || role === 'member' ? 'member' : 'guest'
}

function toProject(project: ProjectRow, role: ProjectRole | undefined) {
  return { ...project, role: role ?? null }
}

type Permission = (typeof PROJECT_PERMISSIONS)[number]
type Sandboxes = NonNullable<NonNullable<ProjectCapabilities['features']>['sandboxes']>

/** The operation whose feature and role decide whether a permission is granted. */
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

/** Returns what a role may do in a project with the organization's current features. Each write is checked again. */
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
    // Deleting any suite needs a higher role than the operation itself, which the creator of a suite may use.
    deleteAnyEvalSuite: isAtLeast(role, 'admin'),
    // The contract has no operation that deletes a run.
    deleteAnyEvalRun: false,
  }
}

/**
 * Returns the only flag that the contract has for all features. It is on while any feature is on; the reason names
 * those that are off.
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
