import { contract } from '../../../api/contract/contract.ts'
import { isAtLeast, requiredRole, roleSentence, type ProjectRole } from '../../../api/contract/endpoint.ts'
import { ServiceError } from '../errors.ts'
import type { Caller } from './keys.ts'
import type { Served } from '../refusals.ts'
import type { ProjectRow } from './rows.ts'
import type { Store } from '../database/store.ts'

/** Resources on whose paths `default` stands for the Default project of the key's organization. */
const WITH_DEFAULT_PROJECT: readonly string[] = ['evalIngest', 'conformanceIngest'] satisfies (keyof Served)[]

/**
 * The id that a path names. The Default project is the organization's oldest one, which is the Sandbox unless somebody
 * deleted it; a key without a role there finds nothing, as under its id.
 */
export function namedProject(store: Store, caller: Caller, resource: string, projectId: string): string {
  if (projectId !== 'default' || !WITH_DEFAULT_PROJECT.includes(resource)) return projectId
  return store.projects.list(caller.organizationId)[0]?.id ?? projectId
}

/** The caller's role in a project of its organization; undefined = the project is foreign to it. */
export function roleIn(caller: Caller, project: ProjectRow): ProjectRole | undefined {
  if (project.organizationId !== caller.organizationId) return undefined
  return caller.grants.get(project.id) ?? caller.role ?? undefined
}

/**
 * The project an operation names.
 * @throws ServiceError `NOT_FOUND` when it is unknown or foreign, `FORBIDDEN` when the role is too low
 */
export function projectFor(store: Store, caller: Caller, projectId: string, needed: ProjectRole): ProjectRow {
  const project = store.projects.get(projectId)
  const role = project && roleIn(caller, project)
  if (!project || !role) throw new ServiceError('NOT_FOUND', `There is no project ${projectId}.`)
  requireRole(role, needed)
  return project
}

/** Whether somebody may see the secrets of an address: those who may change servers. */
export function readerOf(caller: Caller, project: ProjectRow): { maySeeUrl: boolean } {
  return { maySeeUrl: isAtLeast(roleIn(caller, project), requiredRole(contract.servers.update)) }
}

/**
 * @param change what needs it, where that is less than the whole operation
 * @throws ServiceError `FORBIDDEN` when the role is too low
 */
export function requireRole(role: ProjectRole | undefined, needed: ProjectRole, change?: string): void {
  if (!isAtLeast(role, needed)) throw new ServiceError('FORBIDDEN', roleSentence(needed, role ?? 'none', change))
}
