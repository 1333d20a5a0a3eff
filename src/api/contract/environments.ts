import { pageOptions, queryCursor, flag, page, shape, strictBody, openEnum, record, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import * as z from 'zod'

/** A pinned choice of skills. It is never empty, because "no pins" is a cleared field. */
const SkillSelection = shape(() => strictBody({ mode: z.literal('explicit'), skillIds: z.array(z.string()).min(1) }))

/**
 * A named bundle of settings for execution, or an unnamed one that was found by its content. Every edit sends
 * `revision` back.
 */
export const Environment = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    name: z.string().nullish(),
    adhoc: z.boolean().nullish(),
    description: z.string().nullish(),
    hostId: z.string().nullish(),
    serverAttachmentId: z.string().nullish(),
    modelId: z.string().nullish(),
    skillSelection: record({ mode: z.string().nullish(), skillIds: z.array(z.string()).nullish() }).nullish(),
    pluginVersionIds: z.array(z.string()).nullish(),
    sandboxImageId: z.string().nullish(),
    revision: z.number(),
    archived: z.boolean().nullish(),
    archivedAt: timestamp().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Environment = z.infer<typeof Environment>

/** `created` is false if an environment with the same content existed. */
export const AdhocEnvironmentEnsured = shape(() => record({ environment: Environment(), created: z.boolean() }))
export type AdhocEnvironmentEnsured = z.infer<typeof AdhocEnvironmentEnsured>

/** The features that this deployment supports. An absent flag means false (differences, row 7). */
export const EnvironmentCapabilities = shape(() =>
  record({
    modelOverrides: z.boolean().nullish(),
    modelMatrix: z.boolean().nullish(),
    secretGrants: z.unknown().optional(),
  }),
)
export type EnvironmentCapabilities = z.infer<typeof EnvironmentCapabilities>

/** The settings that a launch would use now. `modelSource` differs from the field of a run (differences, row 18). */
export const EnvironmentResolved = shape(() =>
  record({
    environment: record({ id: z.string(), name: z.string().nullish(), revision: z.number() }),
    hostId: z.string().nullish(),
    hostName: z.string().nullish(),
    hostConfigId: z.string().nullish(),
    modelId: z.string().nullish(),
    effectiveModelId: z.string().nullish(),
    modelSource: openEnum(['environment', 'host']).nullish(),
    serverAttachmentId: z.string().nullish(),
    sandboxImageId: z.string().nullish(),
    selectedServerIds: z.array(z.string()).nullish(),
    effectiveServerIds: z.array(z.string()).nullish(),
    pluginVersions: z
      .array(
        record({
          pluginId: z.string().nullish(),
          pluginVersionId: z.string(),
          name: z.string().nullish(),
          bundleHash: z.string().nullish(),
        }),
      )
      .nullish(),
    servers: z.array(record({ serverId: z.string(), name: z.string().nullish() })).nullish(),
  }),
)
export type EnvironmentResolved = z.infer<typeof EnvironmentResolved>

const notBlank = shape(() => z.string().min(1).regex(/\S/))
const expectedRevision = shape(() => z.int().min(0))

export const EnvironmentCreateRequest = shape(() =>
  strictBody({
    name: z.string().min(1),
    description: z.string().optional(),
    hostId: z.string(),
    serverAttachmentId: z.string().optional(),
    modelId: notBlank().optional(),
    skillSelection: SkillSelection().optional(),
    pluginVersionIds: z.array(z.string()).min(1).optional(),
    sandboxImageId: notBlank().optional(),
  }),
)

/** An absent field is kept. Null clears an optional field. An empty list is refused. */
export const EnvironmentUpdateRequest = shape(() =>
  strictBody({
    expectedRevision: expectedRevision(),
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    hostId: z.string().optional(),
    serverAttachmentId: z.string().nullable().optional(),
    modelId: notBlank().nullable().optional(),
    skillSelection: SkillSelection().nullable().optional(),
    pluginVersionIds: z.array(z.string()).min(1).nullable().optional(),
    sandboxImageId: notBlank().nullable().optional(),
  }).refine(body => Object.entries(body).some(([name, value]) => name !== 'expectedRevision' && value !== undefined), {
    error: 'at least one field beside expectedRevision is needed',
  }),
)

export const AdhocEnvironmentRequest = shape(() =>
  strictBody({
    hostId: z.string(),
    serverAttachmentId: z.string().optional(),
    modelId: z.string().optional(),
    skillSelection: SkillSelection().optional(),
    pluginVersionIds: z.array(z.string()).min(1).optional(),
    sandboxImageId: z.string().optional(),
  }),
)

export const EnvironmentNameRequest = shape(() =>
  strictBody({ expectedRevision: expectedRevision(), name: z.string(), description: z.string().optional() }),
)

export const EnvironmentRevisionRequest = shape(() => strictBody({ expectedRevision: expectedRevision() }))

const collection = '/projects/{projectId}/environments' as const
const one = `${collection}/{environmentId}` as const
const authored = ['VALIDATION_ERROR', 'CONFLICT'] as const

const changing = { response: Environment, errors: authored, risk: 'write', role: 'admin' } as const

export const environments = resource('environments', {
  list: endpoint('listEnvironments', 'GET', collection, {
    summary: 'Environments of a project, archived ones on request.',
    query: shape(() => strictBody({ includeArchived: flag().optional(), ...pageOptions() })),
    response: page(Environment),
    cursor: queryCursor,
  }),
  create: endpoint('createEnvironment', 'POST', collection, {
    ...changing,
    summary: 'Save a named bundle of client, servers, skills and plugins.',
    body: EnvironmentCreateRequest,
    status: 201,
  }),
  capabilities: endpoint('getEnvironmentCapabilities', 'GET', `${collection}/capabilities`, {
    summary: 'Which environment features this deployment understands.',
    response: EnvironmentCapabilities,
    source: 'prose',
  }),
  get: endpoint('getEnvironment', 'GET', one, {
    summary: 'One environment with the revision needed for edits.',
    response: Environment,
  }),
  update: endpoint('updateEnvironment', 'PATCH', one, {
    ...changing,
    summary: 'Edit an environment under a revision check.',
    body: EnvironmentUpdateRequest,
  }),
  resolve: endpoint('resolveEnvironment', 'GET', `${one}/resolve`, {
    summary: 'Preview the exact run inputs an environment yields right now.',
    response: EnvironmentResolved,
    errors: ['CONFLICT'],
    source: 'prose',
  }),
  ensureAdhoc: endpoint('ensureAdhocEnvironment', 'POST', `${collection}/ensure-adhoc`, {
    summary: 'Find or make the nameless environment for a given stack.',
    body: AdhocEnvironmentRequest,
    response: AdhocEnvironmentEnsured,
    risk: 'write',
    idempotency: 'natural',
  }),
  name: endpoint('nameEnvironment', 'POST', `${one}/name`, {
    ...changing,
    summary: 'Give a nameless environment its name, keeping the id.',
    body: EnvironmentNameRequest,
  }),
  archive: endpoint('archiveEnvironment', 'POST', `${one}/archive`, {
    ...changing,
    summary: 'Shelve an environment; its name becomes free.',
    body: EnvironmentRevisionRequest,
    refreshes: ['suites'],
  }),
  restore: endpoint('restoreEnvironment', 'POST', `${one}/restore`, {
    ...changing,
    summary: 'Bring a shelved environment back, unless its name is taken; dead plugin pins vanish.',
    body: EnvironmentRevisionRequest,
    refreshes: ['suites'],
  }),
})
