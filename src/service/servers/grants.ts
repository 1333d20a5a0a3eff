import { createPrivateKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto'
import { resolve } from 'node:path'
import type {
  AuthorizationServerMetadata,
  FetchLike,
  OAuthClientProvider,
  OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client'
import type { ProofKey } from '../../api/contract/sign-ins.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { readInputText } from '../../lib/files/read-input.ts'
import { defined, isPlainObject } from '../../lib/json.ts'
import { isoSeconds } from '../../lib/times.ts'
import { withoutSecrets } from '../../lib/redaction/redaction.ts'
import { describeNetwork } from '../connections/failures.ts'
import { askedProofs, boundTo, proofKeyFor, proofSession } from '../connections/proofs.ts'
import { loadLibrary, type McpLibrary } from '../connections/types.ts'
import { ServiceError } from '../core/errors.ts'
import { oneLine } from '../core/one-line.ts'
import { invalidField } from '../core/validation.ts'
import { grantSecrets } from './records.ts'
import type { ServerGrant, ServerTokens } from './rows.ts'
import {
  discoverServer,
  isFor,
  lifetimeOf,
  requireIssuer,
  statusIn,
  withinTime,
  type TokenOwner,
} from './token-refresh.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** What an authorization server is asked for, in its own terms. */
const ASKED: Readonly<Record<ServerGrant['grant'], string>> = {
  'client-credentials': 'the client_credentials grant',
  'workload-identity': 'the jwt-bearer grant',
  enterprise: 'the jwt-bearer grant',
}

/** Thrown if a grant gives no token. The message is a sentence with the host that refused. */
class GrantRefused extends ServiceError {
  constructor({ name }: TokenOwner, reason: string) {
    super('OAUTH_REQUIRED', `The grant of the server "${name}" gives no token: ${reason}`, {
      details: { reason: 'SERVER_GRANT' },
    })
  }
}

/** The last request, for the reason of a failure. */
type Last = { host: string; status?: number }
type Asked = {
  library: McpLibrary
  owner: TokenOwner
  grant: ServerGrant
  /** The key of the tokens before. */
  proofKey: ProofKey | undefined
  /** Ends the requests to an identity provider too, which would get the token of a person for nothing. */
  signal: AbortSignal
  fetchFn: FetchLike
  /** Makes each request of a fetch the last one. */
  watched: (bounded: FetchLike) => FetchLike
  /** Secrets that are sent, and that nobody's answer may bring into a reason. */
  known: string[]
}

/**
 * Gets a token with a grant, at its issuer only. Nothing is repeated after a refusal.
 * @throws ServiceError `OAUTH_REQUIRED` with the reason, `SERVER_UNREACHABLE`
 */
export async function requestTokens(
  owner: TokenOwner,
  grant: ServerGrant,
  { signal, proofKey }: { signal?: AbortSignal; proofKey?: ProofKey | undefined } = {},
): Promise<ServerTokens> {
  const library = await loadLibrary()
  let last: Last = { host: new URL(owner.url).host }
  const known = grantSecrets(grant)
  const watched: Asked['watched'] = bounded => async (input, init) => {
    const { host } = new URL(input)
    last = { host }
    const answer = await bounded(input, init)
    last = { host, status: answer.status }
    return await withRequiredFields(answer)
  }
  try {
    return await withinTime(owner.url, signal, async (bounded, limited) =>
      tokensOf({ library, owner, grant, proofKey, fetchFn: watched(bounded), watched, known, signal: limited }),
    )
  } catch (error) {
    signal?.throwIfAborted()
    throw failureOf(error, { library, owner, grant, last, known })
  }
}

async function tokensOf(asked: Asked): Promise<ServerTokens> {
  const { library, owner, grant, fetchFn } = asked
  const { issuer } = grant
  const { resource, scope: wanted, schemes } = await discoverServer(owner.url, { library, fetchFn })
  requireIssuer(owner, resource, { issuer, holds: 'its grant is for' })
  if (resource && !isFor(library, owner.url, resource.resource))
    throw new GrantRefused(owner, `the metadata of the server is for another one, ${oneLine(resource.resource)}.`)
  const metadata = await metadataOf(issuer, { library, owner, fetchFn })
  const scope = grant.scope ?? (wanted || resource?.scopes_supported?.join(' ') || undefined)
  const parameters = await parametersOf(asked, { resource, scope })
  const proofs = askedProofs({ authority: metadata, resource, schemes })
  const refuse = (why: string) => new GrantRefused(owner, `${new URL(issuer).host} ${why}.`)
  const proofKey = await proofKeyFor(proofs, { before: asked.proofKey, server: new URL(owner.url).host, refuse })
  const dpop = proofKey && (await proofSession(proofKey))
  const provider = { ...providerOf(library, grant, { metadata, parameters }), dpop: () => dpop }
  const given = await library.fetchToken(provider, issuer, {
    metadata,
    fetchFn,
    ...defined({ scope, resource: resource?.resource }),
  })
  return defined({
    accessToken: given.access_token,
    scope: given.scope ?? scope,
    client: grant.clientId === undefined ? undefined : { clientId: grant.clientId },
    issuer,
    proofKey: boundTo(given.token_type, proofKey, { areRequired: proofs?.areRequired === true, refuse }),
    ...lifetimeOf(given.expires_in),
  })
}

async function metadataOf(
  issuer: string,
  { library, owner, fetchFn }: Pick<Asked, 'library' | 'owner' | 'fetchFn'>,
): Promise<AuthorizationServerMetadata> {
  const metadata = await library.discoverAuthorizationServerMetadata(issuer, { fetchFn })
  if (metadata) return metadata
  throw new GrantRefused(owner, `${new URL(issuer).host} has no OAuth metadata, so its token endpoint is not known.`)
}

type Wanted = { resource: OAuthProtectedResourceMetadata | undefined; scope: string | undefined }

/** Returns the parameters of the token request that are specific to the grant. */
async function parametersOf(asked: Asked, { resource, scope }: Wanted): Promise<Record<string, string>> {
  const { library, owner, grant, watched, known, signal } = asked
  const { provider } = grant
  if (!grant.assertion) return { grant_type: 'client_credentials' }
  const assertion = await readSource(owner, grant.assertion)
  known.push(assertion)
  if (!provider) return { grant_type: JWT_BEARER, assertion }
  // A person names the provider, so the address of the MCP server sets no bounds for it.
  return await withinTime(provider.issuer, signal, async bounded => {
    const fetchFn = watched(bounded)
    const { token_endpoint } = await metadataOf(provider.issuer, { library, owner, fetchFn })
    const exchange = {
      tokenEndpoint: token_endpoint,
      audience: grant.issuer,
      resource: resource?.resource ?? owner.url,
      idToken: assertion,
      clientId: provider.clientId,
      fetchFn,
      ...defined({ clientSecret: provider.clientSecret, scope }),
    }
    const { jwtAuthGrant } = await library.requestJwtAuthorizationGrant(exchange).catch((error: unknown) => {
      if (describeNetwork(error) !== undefined) throw error
      const said = messageOf(error)
      const code = /^Token exchange failed: (\w+)/.exec(said)?.[1] ?? ''
      if (OUTAGES.has(code)) throw new library.OAuthError(code, code)
      throw new GrantRefused(
        owner,
        `${new URL(provider.issuer).host} does not exchange the ID token: ${repeated(said, known)}.`,
      )
    })
    known.push(jwtAuthGrant)
    return { grant_type: JWT_BEARER, assertion: jwtAuthGrant }
  })
}

type Prepared = { metadata: AuthorizationServerMetadata; parameters: Record<string, string> }

/** Describes the client to the library, which stores nothing and opens no browser then. */
function providerOf(library: McpLibrary, grant: ServerGrant, { metadata, parameters }: Prepared): OAuthClientProvider {
  const { clientId: id, clientSecret: secret, privateKey } = grant
  const nothing = (): void => undefined
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () =>
      id === undefined ? undefined : { client_id: id, ...(secret !== undefined && { client_secret: secret }) },
    tokens: nothing as () => undefined,
    saveTokens: nothing,
    redirectToAuthorization: nothing,
    saveCodeVerifier: nothing,
    codeVerifier: () => '',
    prepareTokenRequest: scope => new URLSearchParams({ ...parameters, ...(scope && { scope }) }),
    ...(privateKey !== undefined &&
      id !== undefined && {
        addClientAuthentication: library.createPrivateKeyJwtAuth({
          issuer: id,
          subject: id,
          ...signingKey(privateKey, metadata),
        }),
      }),
  }
}

/** Reads a private key. @throws ServiceError `VALIDATION_ERROR` */
export function requireKey(text: string): KeyObject {
  try {
    const isJwk = text.trimStart().startsWith('{')
    return createPrivateKey(isJwk ? { key: JSON.parse(text) as JsonWebKeyInput['key'], format: 'jwk' } : text)
  } catch {
    throw invalidField('privateKey', 'is not a private key without a password, as PEM or as a JWK')
  }
}

const BY_CURVE: Readonly<Record<string, string>> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }

/** Returns the key with the algorithm that its kind and the authorization server leave. */
function signingKey(text: string, metadata: AuthorizationServerMetadata) {
  const privateKey = requireKey(text).export({ format: 'jwk' }) as Record<string, unknown>
  const listed = metadata.token_endpoint_auth_signing_alg_values_supported ?? []
  const ofRsa = ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512'].find(each => listed.includes(each)) ?? 'RS256'
  const { kty, crv } = privateKey
  return { privateKey, alg: kty === 'RSA' ? ofRsa : (BY_CURVE[String(crv)] ?? 'EdDSA') }
}

type Source = NonNullable<ServerGrant['assertion']>

function sourceName({ from, name }: Source): string {
  return from === 'file' ? `the file ${name}` : `the variable ${name}`
}

/** Reads a token where another program keeps it up to date. @throws GrantRefused if there is none, or it has ended */
async function readSource(owner: TokenOwner, source: Source): Promise<string> {
  const { from, name } = source
  const read =
    from === 'environment' ? Promise.resolve(process.env[name] ?? '') : readInputText(resolve(name), BOUNDS.answer.most)
  const token = (
    await read.catch((error: unknown) => {
      throw new GrantRefused(
        owner,
        `${sourceName(source)} cannot be read: ${(error as NodeJS.ErrnoException).code ?? messageOf(error)}.`,
      )
    })
  ).trim()
  if (token === '') throw new GrantRefused(owner, `${sourceName(source)} is empty.`)
  const ended = endOf(token)
  if (ended !== undefined && ended <= Date.now())
    throw new GrantRefused(
      owner,
      `the token in ${sourceName(source)} expired at ${isoSeconds(ended)}; nothing was sent.`,
    )
  return token
}

/** Returns when a JWT ends, in epoch milliseconds; undefined if it does not say. */
function endOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { exp } = Object(claims) as { exp?: unknown }
    return typeof exp === 'number' ? exp * 1000 : undefined
  } catch {
    return undefined
  }
}

/** Fields that the library requires, and that servers without a page for the browser leave out (RFC 8414, 2). */
const UNUSED = { response_types_supported: [], subject_types_supported: [], id_token_signing_alg_values_supported: [] }

/** Completes the metadata of an authorization server, which the library would refuse. */
async function withRequiredFields(answer: Response): Promise<Response> {
  if (!answer.ok || !answer.headers.get('content-type')?.includes('json')) return answer
  const text = await answer.text()
  const { status, statusText, headers } = answer
  const value = ((): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  })()
  if (!isPlainObject(value) || typeof value['token_endpoint'] !== 'string')
    return new Response(text, { status, statusText, headers })
  const endpoint = value['token_endpoint']
  return Response.json({ ...UNUSED, authorization_endpoint: endpoint, jwks_uri: endpoint, ...value })
}

/** Codes with which an authorization server says that a later attempt may succeed (RFC 6749, 4.1.2.1). */
const OUTAGES: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

type Failed = Pick<Asked, 'library' | 'owner' | 'grant' | 'known'> & { last: Last }

function failureOf(error: unknown, failed: Failed): ServiceError {
  const { library, owner, last, known } = failed
  const { host } = last
  const outage = outageOf(error, failed)
  if (outage !== undefined)
    return new ServiceError(
      'SERVER_UNREACHABLE',
      `The grant of the server "${owner.name}" gives no token: ${host} ${outage}.`,
    )
  if (error instanceof ServiceError) return error
  const status = statusIn(messageOf(error))
  // The library repeats the body then, which is no reason, and may be anything.
  if (status !== undefined) return new GrantRefused(owner, `${host} refused with ${status}.`)
  if (error instanceof library.OAuthError) return new GrantRefused(owner, refusalOf(error, failed))
  if (error instanceof library.InsecureTokenEndpointError)
    return new GrantRefused(
      owner,
      `${host} names an address without encryption, ${repeated(error.tokenEndpoint, known)}.`,
    )
  if (error instanceof library.IssuerMismatchError)
    return new GrantRefused(owner, `${host} published the metadata of another authorization server.`)
  const isUnread = error instanceof SyntaxError || (error instanceof Error && error.name.endsWith('ZodError'))
  return new GrantRefused(
    owner,
    isUnread ? `${host} answered without a token.` : `${host}: ${repeated(messageOf(error), known)}.`,
  )
}

/** Returns what happened if nobody has refused the grant; undefined if someone has. */
function outageOf(error: unknown, { library, last: { status = 0 } }: Failed): string | undefined {
  const network = describeNetwork(error)
  if (network !== undefined) return network
  if (Object(error).name === 'TimeoutError') return 'did not answer in time'
  if (status === 429 || status >= 500) return `answered with HTTP ${status}`
  // The library has this code for answers that it cannot read, too.
  const isOutage = error instanceof library.OAuthError && OUTAGES.has(error.code) && !statusIn(error.message)
  return isOutage ? `answered with ${error.code}` : undefined
}

/** Explains the error codes of a token endpoint (RFC 6749, 5.2; RFC 7523, 3; RFC 8707, 2). */
function refusalOf({ code, message }: { code: string; message: string }, failed: Failed): string {
  const {
    grant,
    known,
    last: { host },
  } = failed
  const client = grant.clientId === undefined ? 'this client' : `the client "${grant.clientId}"`
  const token = tokenName(grant)
  const ownProof = grant.privateKey === undefined ? 'its secret' : 'its key'
  const proof = grant.clientSecret === undefined && token !== undefined ? token : ownProof
  const said = message.trim() === '' || message === code ? '' : ` (${repeated(message, known)})`
  const sentences: Readonly<Record<string, string>> = {
    invalid_client: `${host} does not know ${client}, or ${proof} is wrong`,
    unauthorized_client: `${host} does not let ${client} use ${ASKED[grant.grant]}`,
    unsupported_grant_type: `${host} does not offer ${ASKED[grant.grant]}`,
    invalid_scope: `${host} does not give ${client} the scope that was asked for; --scope names another one`,
    invalid_grant: token
      ? `${host} does not take ${token}: it has ended, or is for another audience`
      : `${host} does not take ${client} with ${proof}`,
    invalid_dpop_proof: `${host} does not take the proof of possession; the clocks may differ`,
    invalid_target: `${host} gives no token for the address of this server`,
  }
  return `${Object.hasOwn(sentences, code) ? sentences[code] : `${host} refused, ${repeated(code, known)}`}${said}.`
}

/** Names the token that a grant sends; undefined if it sends none. */
function tokenName({ assertion, provider }: ServerGrant): string | undefined {
  if (provider) return `the token of ${new URL(provider.issuer).host}`
  return assertion && `the token in ${sourceName(assertion)}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns a text from outside without secrets. They are removed before it is cut, since a part would not be found. */
function repeated(text: string, known: readonly string[]): string {
  return oneLine(withoutSecrets(text, known)).replace(/\.$/, '')
}
