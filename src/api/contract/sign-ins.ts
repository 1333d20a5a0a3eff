import * as z from 'zod'
import { GRANTS } from './choices.ts'
import { endpoint, resource } from './endpoint.ts'
import { openEnum, record, shape, strictBody, timestamp } from './shapes.ts'

/** A token that is read again for every request, because it is replaced before it ends. */
const source = () => strictBody({ from: z.enum(['file', 'environment']), name: z.string().min(1) })

const common = {
  /** The authorization server that the secrets are for; the one that the server names if it is absent. */
  issuer: z.url().optional(),
  scope: z.string().min(1).optional(),
}

/** A grant with what it needs. Secrets are stored sealed and never returned. */
export const GrantRequest = shape(() =>
  z.discriminatedUnion('grant', [
    strictBody({
      ...common,
      grant: z.literal('client-credentials'),
      clientId: z.string().min(1),
      clientSecret: z.string().min(1).optional(),
      /** PEM, or a JWK as JSON. */
      privateKey: z.string().min(1).optional(),
    }).refine(body => (body.clientSecret === undefined) !== (body.privateKey === undefined), {
      path: ['clientSecret'],
      error: 'give either clientSecret or privateKey',
    }),
    strictBody({
      ...common,
      grant: z.literal('workload-identity'),
      clientId: z.string().min(1).optional(),
      assertion: source(),
    }),
    strictBody({
      ...common,
      grant: z.literal('enterprise'),
      clientId: z.string().min(1),
      clientSecret: z.string().min(1),
      /** The ID token of the person or workload at the identity provider. */
      assertion: source(),
      provider: strictBody({
        issuer: z.url(),
        clientId: z.string().min(1),
        clientSecret: z.string().min(1).optional(),
      }),
    }),
  ]),
)
export type GrantRequest = z.infer<typeof GrantRequest>

/** Facts about the tokens that are stored for a server, without the tokens. */
export const StoredSignIn = shape(() =>
  record({
    signedIn: z.boolean(),
    /** When the access token ends; null if its authorization server did not say. */
    expiresAt: timestamp().nullish(),
    /** Whether the access token can be refreshed without a person. */
    refreshable: z.boolean(),
    /** The authorization server, if it is known. */
    issuer: z.string().nullish(),
    clientId: z.string().nullish(),
    /** The grant that gets its tokens without a person; null if a person signed in. */
    grant: openEnum(GRANTS).nullish(),
  }),
)
export type StoredSignIn = z.infer<typeof StoredSignIn>

const signIn = '/local/projects/{projectId}/servers/{serverId}/sign-in' as const

export const signIns = resource('signIns', {
  get: endpoint('getSignIn', 'GET', signIn, {
    summary: 'Whether tokens are stored for a server and until when they are valid, never the tokens.',
    response: StoredSignIn,
    local: true,
  }),
  grant: endpoint('setGrant', 'PUT', signIn, {
    summary: 'Store a grant that needs no person, after getting its first token; it replaces the stored tokens.',
    body: GrantRequest,
    response: StoredSignIn,
    errors: ['VALIDATION_ERROR', 'OAUTH_REQUIRED', 'SERVER_UNREACHABLE', 'TIMEOUT'],
    risk: 'write',
    role: 'editor',
    idempotency: 'natural',
    secrets: ['body.clientSecret', 'body.privateKey', 'body.provider.clientSecret'],
    refreshes: ['servers'],
    local: true,
    deadlineMs: 60_000,
  }),
  delete: endpoint('signOut', 'DELETE', signIn, {
    summary: 'Delete the stored tokens and the grant of a server; its connections end.',
    response: shape(() => record({ signedOut: z.boolean() })),
    risk: 'end',
    role: 'editor',
    idempotency: 'natural',
    refreshes: ['servers'],
    local: true,
  }),
})
