import { ServiceError } from './errors.ts'
import type { Caller } from './keys.ts'
import type { Served } from './served.ts'
import { PROJECT_ROLES, type ProjectRole } from './store/keys.ts'
import type { ProjectRow } from './store/projects.ts'
import type { Store } from './store/store.ts'

/**
 * The lowest role in the project that an operation needs; `null` where no project is named. The contract
 * states: guests may do nothing, members author and run evals and compose nameless environments; project edits and deletes,
 * other changes of environments, copies of clients and their server lists need an admin. Where it is silent, changing
 * servers needs an editor.
 */
export const REQUIRED_ROLES: { [R in keyof Served]: { [O in keyof Served[R]]: ProjectRole | null } } = {
  account: { me: null, organizations: null },
  capabilities: { get: null },
  projects: { list: null, create: null, update: 'admin', delete: 'admin', capabilities: 'member' },
  servers: {
    list: 'member',
    create: 'editor',
    get: 'member',
    update: 'editor',
    delete: 'editor',
    validate: 'member',
    doctor: 'member',
    checkOAuth: 'member',
    tools: 'member',
    prompts: 'member',
    resources: 'member',
    callTool: 'member',
    getPrompt: 'member',
    readResource: 'member',
    export: 'member',
    importTokens: 'editor',
  },
  clients: {
    list: 'member',
    create: 'member',
    get: 'member',
    update: 'member',
    delete: 'member',
    duplicate: 'admin',
  },
  hosts: {
    list: 'member',
    create: 'member',
    get: 'member',
    update: 'member',
    delete: 'member',
    setServers: 'admin',
    duplicate: 'admin',
  },
  environments: {
    list: 'member',
    create: 'admin',
    capabilities: 'member',
    get: 'member',
    update: 'admin',
    resolve: 'member',
    ensureAdhoc: 'member',
    name: 'admin',
    archive: 'admin',
    restore: 'admin',
  },
  suites: {
    list: 'member',
    get: 'member',
    create: 'member',
    update: 'member',
    delete: 'member',
    attachEnvironment: 'member',
  },
  cases: {
    list: 'member',
    get: 'member',
    create: 'member',
    createBatch: 'member',
    update: 'member',
    delete: 'member',
  },
  runs: {
    list: 'member',
    create: 'member',
    get: 'member',
    compare: 'member',
    cancel: 'member',
    rerunPreview: 'member',
    rerun: 'member',
  },
  runGroups: { create: 'member' },
  iterations: { list: 'member', trace: 'member', steps: 'member' },
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

/** @throws ServiceError `FORBIDDEN` when the role is too low */
export function requireRole(role: ProjectRole | undefined, needed: ProjectRole): void {
  if (role && PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(needed)) return
  throw new ServiceError(
    'FORBIDDEN',
    `This needs the role ${needed} in the project; yours is ${role ?? 'none'}.`,
  )
}
