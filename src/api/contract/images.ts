import { listOf } from './cursor-list.ts'
import { endpoint, resource } from './endpoint.ts'
import {
  BlueprintValidated,
  BlueprintValidateRequest,
  ComputerAttached,
  ComputerReset,
  SandboxImage,
  SandboxImageBuild,
  SandboxImageBuildStarted,
  SandboxImageCreateRequest,
  SandboxImageUpdateRequest,
} from './image-shapes.ts'
import { Deleted } from './projects.ts'
import { emptyBody } from './shapes.ts'

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
    summary: "Set up the caller's computer anew from this image, which wipes it.",
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
