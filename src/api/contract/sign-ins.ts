import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { record, shape, timestamp } from './shapes.ts'

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
  delete: endpoint('signOut', 'DELETE', signIn, {
    summary: 'Delete the stored tokens of a server; its connections end.',
    response: shape(() => record({ signedOut: z.boolean() })),
    risk: 'end',
    role: 'editor',
    idempotency: 'natural',
    refreshes: ['servers'],
    local: true,
  }),
})
