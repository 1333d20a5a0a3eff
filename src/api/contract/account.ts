import * as z from 'zod'
import { listOf, record, shape, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** The account of the key. */
export const Me = shape(() =>
  record({
    id: z.string(),
    email: z.string().nullish(),
    name: z.string().nullish(),
    imageUrl: z.string().nullish(),
    profilePictureUrl: z.string().nullish(),
    plan: z.string().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Me = z.infer<typeof Me>

/** An organization. A key sees exactly one. */
export const Organization = shape(() =>
  record({
    id: z.string(),
    name: z.string(),
    plan: z.string().nullish(),
    myRole: z.string().nullish(),
    isCreator: z.boolean().nullish(),
    logoUrl: z.string().nullish(),
    createdAt: timestamp().nullish(),
  }),
)
export type Organization = z.infer<typeof Organization>

/** The facts that a deployment announces about itself. Its fields are not documented, so all are open. */
export const DeploymentCapabilities = shape(() => record({}))
export type DeploymentCapabilities = z.infer<typeof DeploymentCapabilities>

export const account = resource('account', {
  me: endpoint('getMe', 'GET', '/me', { summary: 'Account the API key acts as.', response: Me, source: 'prose' }),
  organizations: endpoint('listOrganizations', 'GET', '/organizations', {
    summary: 'Organizations the caller can see; a key sees exactly one.',
    ...listOf(Organization),
  }),
})

export const capabilities = resource('capabilities', {
  get: endpoint('getCapabilities', 'GET', '/capabilities', {
    summary: 'What this deployment announces, such as its vocabulary version.',
    response: DeploymentCapabilities,
    source: 'prose',
  }),
})
