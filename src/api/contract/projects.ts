import * as z from 'zod'
import { pageOptions, queryCursor, openEnum, openObject, page, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** A project. `role` is present only if the service determined it. */
export const Project = shape(() =>
  record({
    id: z.string(),
    name: z.string(),
    description: z.string().nullish(),
    icon: z.string().nullish(),
    organizationId: z.string().nullish(),
    visibility: z.string().nullish(),
    role: z.string().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Project = z.infer<typeof Project>

/** The permissions of the caller in a project. They are only advice, since every write is checked. */
export const ProjectCapabilities = shape(() =>
  record({
    projectId: z.string(),
    organizationId: z.string().nullish(),
    role: z.string().nullish(),
    projectRole: z.string().nullish(),
    surface: z.string().nullish(),
    features: record({
      sandboxes: record({
        enabled: z.boolean().nullish(),
        mode: openEnum(['off', 'dark', 'enforce']).nullish(),
        enforced: z.boolean().nullish(),
        reason: z.string().nullish(),
      }).nullish(),
    }).nullish(),
    plan: record({
      name: z.string().nullish(),
      limits: openObject().nullish(),
      features: openObject().nullish(),
    }).nullish(),
    can: z.record(z.string(), z.unknown()),
  }),
)
export type ProjectCapabilities = z.infer<typeof ProjectCapabilities>

/** Names of `can.*` in the contract. Others may appear. */
export const PROJECT_PERMISSIONS = [
  'readSwarms',
  'readUserTesting',
  'writeSwarms',
  'launchJourneyRun',
  'cancelJourneyRun',
  'publishUserTestingScenario',
  'unpublishUserTestingScenario',
  'changeUserTestingExposure',
  'manageUserTestingGuestExecution',
  'requestInsights',
  'readEvals',
  'writeEvalSuites',
  'launchEvalRun',
  'deleteAnyEvalSuite',
  'deleteAnyEvalRun',
  'exportEvalTraces',
] as const

const visibility = shape(() => z.enum(['public', 'private']))

export const ProjectCreateRequest = shape(() =>
  strictBody({
    name: z.string().min(1),
    description: z.string().optional(),
    organizationId: z.string().optional(),
    icon: z.string().optional(),
    visibility: visibility().optional(),
  }),
)

export const ProjectUpdateRequest = shape(() =>
  strictBody({
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    icon: z.string().optional(),
    visibility: visibility().optional(),
  }).refine(body => Object.keys(body).length > 0, { error: 'at least one field is needed' }),
)

export const Deleted = shape(() => record({ id: z.string(), deleted: z.boolean() }))

export const projects = resource('projects', {
  list: endpoint('listProjects', 'GET', '/projects', {
    summary: 'Projects the key can reach, optionally by organization.',
    query: shape(() => strictBody({ organizationId: z.string().optional(), ...pageOptions() })),
    response: page(Project),
    cursor: queryCursor,
    source: 'prose',
  }),
  create: endpoint('createProject', 'POST', '/projects', {
    summary: "Open a project, counted against the plan's project limit.",
    body: ProjectCreateRequest,
    status: 201,
    response: Project,
    risk: 'write',
  }),
  update: endpoint('updateProject', 'PATCH', '/projects/{projectId}', {
    summary: 'Edit project name, description, icon or visibility.',
    body: ProjectUpdateRequest,
    response: Project,
    risk: 'write',
    role: 'admin',
  }),
  delete: endpoint('deleteProject', 'DELETE', '/projects/{projectId}', {
    summary: 'Destroy a project with everything inside; no undo.',
    response: Deleted,
    risk: 'delete',
    role: 'admin',
    refreshes: ['servers', 'suites', 'runs'],
  }),
  capabilities: endpoint('getProjectCapabilities', 'GET', '/projects/{projectId}/capabilities', {
    summary: "Caller's role, feature flags, plan limits and derived permissions.",
    response: ProjectCapabilities,
  }),
})
