import { listOf, emptyBody, anyField, openEnum, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { Deleted } from './projects.ts'
import * as z from 'zod'

/** One build. `logPreview` is the limited end of its log. */
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

/** A sandbox image. `sharing: user` is a private draft; `blueprint` is YAML. */
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

/** `reused` means that an identical earlier build was used. */
export const SandboxImageBuildStarted = shape(() =>
  record({ id: z.string(), buildId: z.string(), reused: z.boolean().nullish() }),
)
export type SandboxImageBuildStarted = z.infer<typeof SandboxImageBuildStarted>

export const BlueprintValidateRequest = shape(() => strictBody({ blueprint: z.string() }))

/**
 * A validated blueprint. If `ok`, it has the digest of its base; if not, the errors, each with its position in the
 * document.
 */
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

const collection = '/projects/{projectId}/images' as const
const one = `${collection}/{imageId}` as const

export const images = resource('images', {
  list: endpoint('listSandboxImages', 'GET', collection, {
    summary: 'Sandbox images visible to the caller, drafts and shared.',
    ...listOf(SandboxImage),
  }),
  create: endpoint('createSandboxImage', 'POST', collection, {
    summary: 'Save a private draft image from blueprint YAML.',
    body: SandboxImageCreateRequest,
    status: 201,
    response: SandboxImage,
    risk: 'write',
  }),
  get: endpoint('getSandboxImage', 'GET', one, {
    summary: 'One sandbox image with its blueprint and last build.',
    response: SandboxImage,
  }),
  update: endpoint('updateSandboxImage', 'PATCH', one, {
    summary: 'Rename an image or swap its blueprint.',
    body: SandboxImageUpdateRequest,
    response: SandboxImage,
    risk: 'write',
  }),
  delete: endpoint('deleteSandboxImage', 'DELETE', one, {
    summary: 'Remove an image for good; computers that use it fall back to the base image.',
    response: Deleted,
    errors: ['VALIDATION_ERROR'],
    risk: 'delete',
  }),
  builds: endpoint('listSandboxImageBuilds', 'GET', `${one}/builds`, {
    summary: 'Build history of one image, latest first.',
    ...listOf(SandboxImageBuild),
  }),
  build: endpoint('buildSandboxImage', 'POST', `${one}/build`, {
    summary: 'Queue a background build; watch the builds listing afterwards.',
    body: emptyBody,
    status: 202,
    response: SandboxImageBuildStarted,
    risk: 'write',
  }),
  promote: endpoint('promoteSandboxImage', 'POST', `${one}/promote`, {
    summary: 'Turn a private draft image into a project-wide one.',
    body: emptyBody,
    response: SandboxImage,
    risk: 'expose',
  }),
  use: endpoint('useSandboxImage', 'POST', `${one}/use`, {
    summary: "Set up the caller's computer again from this image, which wipes it.",
    body: emptyBody,
    response: ComputerAttached,
    risk: 'delete',
  }),
  validate: endpoint('validateSandboxImageBlueprint', 'POST', `${collection}/validate`, {
    summary: 'Lint blueprint YAML without storing anything.',
    body: BlueprintValidateRequest,
    response: BlueprintValidated,
    risk: 'read',
  }),
})

export const computer = resource('computer', {
  reset: endpoint('resetComputer', 'POST', '/projects/{projectId}/computer/reset', {
    summary: "Return the caller's computer to a clean image state, which wipes it.",
    body: emptyBody,
    response: ComputerReset,
    risk: 'delete',
  }),
})
