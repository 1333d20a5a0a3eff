import * as z from 'zod'
import { anyField } from './body-rules.ts'
import { openEnum, record, shape, strictBody, timestamp } from './shapes.ts'

/** One build; `logPreview` is the capped end of its log. */
export const SandboxImageBuild = shape(() =>
  record({
    id: z.string(),
    status: openEnum(['queued', 'building', 'ready', 'failed']),
    provider: openEnum(['e2b', 'stub']).nullish(),
    e2bBuildId: z.string().nullish(),
    baseImageDigests: z.array(z.string()).nullish(),
    logPreview: z.string().nullish(),
    error: z.string().nullish(),
    createdAt: timestamp().nullish(),
    startedAt: timestamp().nullish(),
    finishedAt: timestamp().nullish(),
  }),
)
export type SandboxImageBuild = z.infer<typeof SandboxImageBuild>

/** A sandbox image; `sharing: user` is a private draft, `blueprint` is YAML. */
export const SandboxImage = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    name: z.string(),
    contentHash: z.string().nullish(),
    sharing: openEnum(['user', 'project']).nullish(),
    isOwner: z.boolean().nullish(),
    currentBuild: SandboxImageBuild().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
    blueprint: z.string().nullish(),
  }),
)
export type SandboxImage = z.infer<typeof SandboxImage>

export const SandboxImageCreateRequest = shape(() =>
  strictBody({ name: z.string().min(1), blueprint: z.string().min(1) }),
)

export const SandboxImageUpdateRequest = shape(() =>
  strictBody({ name: z.string().min(1).optional(), blueprint: z.string().min(1).optional() }).refine(...anyField),
)

/** `reused` means an identical earlier build was taken. */
export const SandboxImageBuildStarted = shape(() =>
  record({ id: z.string(), buildId: z.string(), reused: z.boolean().nullish() }),
)
export type SandboxImageBuildStarted = z.infer<typeof SandboxImageBuildStarted>

export const BlueprintValidateRequest = shape(() => strictBody({ blueprint: z.string() }))

/** Judged blueprint: the digest of its base when `ok`, else the errors, each with its place in the document. */
export const BlueprintValidated = shape(() =>
  record({
    ok: z.boolean(),
    baseImageDigest: z.string().nullish(),
    errors: z.array(record({ path: z.string().nullish(), message: z.string() })).nullish(),
  }),
)
export type BlueprintValidated = z.infer<typeof BlueprintValidated>

export const ComputerAttached = shape(() =>
  record({ imageId: z.string(), computerId: z.string(), status: z.string().nullish() }),
)
export type ComputerAttached = z.infer<typeof ComputerAttached>

export const ComputerReset = shape(() => record({ projectId: z.string().nullish(), reset: z.boolean() }))
export type ComputerReset = z.infer<typeof ComputerReset>
