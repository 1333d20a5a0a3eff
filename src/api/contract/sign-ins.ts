import * as z from 'zod'
import { GRANTS, PROOF_ALGORITHMS } from './choices.ts'
import { endpoint, resource } from './endpoint.ts'
import { ImportTokensRequest, ImportTokensResult } from './server-operations.ts'
import { openEnum, record, shape, strictBody, timestamp } from './shapes.ts'

/** A token that is read again for every request, because it is replaced before it ends. */
const source = () => strictBody({ from: z.enum(['file', 'environment']), name: z.string().min(1) })

type Field = 'clientId' | 'clientSecret' | 'privateKey' | 'assertion' | 'provider'

/** What each grant needs, and what it takes besides. */
const GRANT_FIELDS: Readonly<Record<(typeof GRANTS)[number], { needs: readonly Field[]; takes: readonly Field[] }>> = {
  'client-credentials': { needs: ['clientId'], takes: ['clientSecret', 'privateKey'] },
  'workload-identity': { needs: ['assertion'], takes: ['clientId'] },
  enterprise: { needs: ['clientId', 'clientSecret', 'assertion', 'provider'], takes: [] },
}
const ALL_FIELDS: readonly Field[] = ['clientId', 'clientSecret', 'privateKey', 'assertion', 'provider']

/** A grant with what it needs. Secrets are stored sealed and never returned. */
export const GrantRequest = shape(() =>
  strictBody({
    grant: z.enum(GRANTS),
    /** The authorization server that the secrets are for; the one that the server names if it is absent. */
    issuer: z.url().optional(),
    scope: z.string().min(1).optional(),
    clientId: z.string().min(1).optional(),
    clientSecret: z.string().min(1).optional(),
    /** PEM, or a JWK as JSON. */
    privateKey: z.string().min(1).optional(),
    /** Where the token of the workload, or the ID token of the identity provider, is read. */
    assertion: source().optional(),
    /** The identity provider that exchanges the ID token. */
    provider: strictBody({
      issuer: z.url(),
      clientId: z.string().min(1),
      clientSecret: z.string().min(1).optional(),
    }).optional(),
  }).superRefine((body, context) => {
    const report = (field: Field, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message, input: body[field] })
    const { needs, takes } = GRANT_FIELDS[body.grant]
    for (const field of ALL_FIELDS)
      if (body[field] === undefined) {
        if (needs.includes(field)) report(field, `is needed by ${body.grant}`)
      } else if (![...needs, ...takes].includes(field)) report(field, `does not belong to ${body.grant}`)
    const hasBoth = (body.clientSecret === undefined) === (body.privateKey === undefined)
    if (body.grant === 'client-credentials' && hasBoth)
      report('clientSecret', 'is needed by client-credentials, unless privateKey is given')
  }),
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

/** Tokens with the key that they are bound to (RFC 9449). It is stored sealed and never returned. */
const KeepTokensRequest = shape(() =>
  ImportTokensRequest().extend({
    proofKey: strictBody({
      algorithm: z.enum(PROOF_ALGORITHMS),
      /** PEM. */
      privateKey: z.string().min(1),
    }),
  }),
)
export type ProofKey = z.infer<ReturnType<typeof KeepTokensRequest>>['proofKey']

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
    secrets: ['body.clientSecret', 'body.privateKey', 'body.provider'],
    refreshes: ['servers'],
    local: true,
    deadlineMs: 60_000,
  }),
  keep: endpoint('keepTokens', 'POST', signIn, {
    summary: 'Hand over tokens with the key that signs their proofs of possession; they replace the stored tokens.',
    body: KeepTokensRequest,
    response: ImportTokensResult,
    risk: 'write',
    role: 'editor',
    idempotency: 'natural',
    secrets: ['body.tokens', 'body.clientInformation', 'body.proofKey'],
    refreshes: ['servers'],
    local: true,
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
