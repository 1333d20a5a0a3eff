import * as z from 'zod'
import { openEnum, record, shape, strictBody, timestamp } from './shapes.ts'

/** A pinned choice of skills; never empty, because "no pins" is a cleared field. */
const SkillSelection = shape(() => strictBody({ mode: z.literal('explicit'), skillIds: z.array(z.string()).min(1) }))

/** A named execution bundle, or a nameless one that was found by its content; `revision` goes back with every edit. */
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

/** `created` is false when an environment of the same content existed. */
export const AdhocEnvironmentEnsured = shape(() => record({ environment: Environment(), created: z.boolean() }))
export type AdhocEnvironmentEnsured = z.infer<typeof AdhocEnvironmentEnsured>

/** What this deployment understands; an absent flag means false (differences, row 7). */
export const EnvironmentCapabilities = shape(() =>
  record({
    modelOverrides: z.boolean().nullish(),
    modelMatrix: z.boolean().nullish(),
    secretGrants: z.unknown().optional(),
  }),
)
export type EnvironmentCapabilities = z.infer<typeof EnvironmentCapabilities>

/**
 * What a launch would use right now. Its `modelSource` names where the model comes from and shares
 * only the name with the field of a run (differences, row 18).
 */
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

/** An absent field stays, null clears it, an empty list is refused. */
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

/** The content of a nameless environment. */
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
