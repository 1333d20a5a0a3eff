import { ServiceError } from './core/errors.ts'
import type { Caller } from './core/access/keys.ts'
import type { Served } from './served.ts'
import { PROJECT_ROLES, type ProjectRole } from './store/keys.ts'
import type { ProjectRow } from './store/projects.ts'
import type { Store } from './workspace/store.ts'

/**
 * The lowest role in the project that an operation needs; `null` where no project is named. The contract
 * states: guests may do nothing, members author and run evals and compose nameless environments; project edits and deletes,
 * other changes of environments, copies of clients and their server lists need an admin, and so do publishing and what
 * strangers may spend. Where it is silent, changing servers and the access of a scenario needs an editor.
 * `guarded-fields.ts` lists what needs more than that.
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
    schedule: 'member',
    attachEnvironment: 'member',
  },
  cases: {
    list: 'member',
    get: 'member',
    create: 'member',
    createBatch: 'member',
    generate: 'member',
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
    requestInsights: 'member',
    requestJudge: 'member',
  },
  runGroups: { create: 'member' },
  connections: { create: null, get: null, cancel: null, retryValidation: null },
  readiness: {
    startClaude: 'member',
    startOpenAI: 'member',
    list: 'member',
    get: 'member',
    cancel: 'member',
    report: 'member',
  },
  models: { list: null },
  hostCatalog: { get: null },
  plugins: { list: 'member', version: null },
  images: { list: 'member', get: 'member', builds: 'member' },
  iterations: { list: 'member', trace: 'member', steps: 'member' },
  evalIngest: {
    report: 'member',
    start: 'member',
    iterations: 'member',
    finalize: 'member',
  },
  conformanceIngest: {
    report: 'member',
    start: 'member',
    upsertReport: 'member',
    heartbeat: 'member',
    finalize: 'member',
  },
  sessions: { list: 'member' },
  chatSessions: { list: null },
  traceExports: { otlp: null },
  checkRepos: { list: null },
  scenarios: { list: 'member', get: 'member' },
  userTesting: {
    publish: 'admin',
    publishPut: 'admin',
    unpublish: 'admin',
    get: 'member',
    update: 'editor',
    rebind: 'editor',
    rotateLink: 'editor',
    upsertMember: 'editor',
    removeMember: 'editor',
    setGuestExecution: 'admin',
  },
  userTestingSessions: { list: 'member', get: 'member' },
  personas: {
    list: 'member',
    create: 'member',
    get: 'member',
    update: 'member',
    delete: 'member',
    generate: 'member',
  },
  journeys: {
    list: 'member',
    create: 'member',
    get: 'member',
    update: 'member',
    archive: 'member',
    generate: 'member',
  },
  journeyRuns: {
    list: 'member',
    launch: 'member',
    get: 'member',
    sessions: 'member',
    cancel: 'member',
    scorecard: 'member',
    overview: 'member',
  },
  journeyFindings: { list: 'member', dismiss: 'member', undismiss: 'member' },
  waveInsights: { get: 'member', request: 'member', cancel: 'member' },
  userTestingInsights: {
    metrics: 'member',
    usage: 'member',
    signals: 'member',
    get: 'member',
    request: 'member',
    cancel: 'member',
  },
  userTestingFindings: { list: 'member', dismiss: 'member', undismiss: 'member' },
  swarms: { list: 'member', create: 'member', get: 'member', update: 'member', archive: 'member' },
}

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
  const role = roleIn(caller, project) ?? 'guest'
  return {
    maySeeUrl:
      PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(REQUIRED_ROLES.servers.update ?? 'editor'),
  }
}

/**
 * @param change what needs it, where that is less than the whole operation
 * @throws ServiceError `FORBIDDEN` when the role is too low
 */
export function requireRole(role: ProjectRole | undefined, needed: ProjectRole, change = 'This'): void {
  if (role && PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(needed)) return
  throw new ServiceError(
    'FORBIDDEN',
    `${change} needs the role ${needed} in the project; yours is ${role ?? 'none'}.`,
  )
}
