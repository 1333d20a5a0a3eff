import type { FetchLike, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client'
import { untilAborted } from '../core/deadline.ts'
import { bearerChallenge, probeHttp } from '../connections/http-request.ts'
import { boundTo, proofSession } from '../connections/proofs.ts'
import { loadLibrary, type McpLibrary } from '../connections/types.ts'
import { createMetadataFetch } from '../connections/metadata-fetch.ts'
import { ServiceError } from '../core/errors.ts'
import { defined } from '../../lib/json.ts'
import { describeNetwork } from '../connections/failures.ts'
import { oneLine } from '../core/one-line.ts'
import type { ServerTokens } from './rows.ts'
/** Milliseconds within which the authorization server must have sent all its answers. */
const AUTHORIZATION_MS = 10_000

/**
 * Errors with which an authorization server says that a refresh token or a client is not valid any more (RFC 6749,
 * 5.2).
 */
const TAKEN_BACK: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client'])

export type TokenOwner = { name: string; url: string }

/** Thrown if a person has to sign in, because the issuer cannot or does not renew the tokens. */
export class SignInNeeded extends ServiceError {
  constructor({ name }: TokenOwner, reason: string) {
    super('OAUTH_REQUIRED', `The server "${name}" needs a new sign-in: ${reason}. Sign in again.`)
  }
}

/**
 * Returns the authorization server of an MCP server (RFC 9728), to store it with the tokens: the one that the MCP
 * server names, else the root of the MCP server's address; undefined if the server cannot be reached.
 */
export async function discoverIssuer(serverUrl: string, signal?: AbortSignal): Promise<string | undefined> {
  const library = await loadLibrary()
  try {
    return await withinTime(serverUrl, signal, async fetchFn => {
      const { resource } = await discoverServer(serverUrl, { library, fetchFn })
      return resource?.authorization_servers?.[0] ?? new URL('/', serverUrl).href
    })
  } catch {
    signal?.throwIfAborted()
    return undefined
  }
}

type Discovery = { library: McpLibrary; fetchFn: FetchLike }

/** Asks an MCP server without a token. Returns its metadata, if it has any, and the scope and schemes that it names. */
export async function discoverServer(serverUrl: string, { library, fetchFn }: Discovery) {
  const challenge = await probeHttp({ type: 'http', url: serverUrl, headers: {} }, { fetchFn })
  const { metadataUrls, scope, schemes } = bearerChallenge(challenge)
  const resource = await discoverResource(serverUrl, metadataUrls, { library, fetchFn }).catch((error: unknown) => {
    // A server that fails does not tell who its authorization server is, nor whether it takes bearer tokens.
    if (describeNetwork(error) !== undefined || /^HTTP (5|429)/.test(String(Object(error).message))) throw error
    return undefined
  })
  return { resource, scope, schemes }
}

/** Whether metadata belongs to a server; many write its address with or without a final slash. */
export function isFor(library: McpLibrary, serverUrl: string, configured: string): boolean {
  const withSlash = (address: string): string => {
    const url = new URL(address)
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/`
    return url.href
  }
  const requestedResource = library.resourceUrlFromServerUrl(withSlash(serverUrl))
  return library.checkResourceAllowed({ requestedResource, configuredResource: withSlash(configured) })
}

/** Returns the metadata of an MCP server (RFC 9728) from the first address that has it. Rejects with the last error. */
export async function discoverResource(
  serverUrl: string,
  metadataUrls: readonly URL[],
  { library, fetchFn }: Discovery,
): Promise<OAuthProtectedResourceMetadata> {
  const [first, ...others] = metadataUrls
  const named = { ...(first && { resourceMetadataUrl: first }) }
  try {
    return await library.discoverOAuthProtectedResourceMetadata(serverUrl, named, fetchFn)
  } catch (error) {
    if (others.length === 0) throw error
    return await discoverResource(serverUrl, others, { library, fetchFn })
  }
}

/**
 * Exchanges the refresh token at the stored authorization server. Tokens without a refresh token are returned
 * unchanged.
 * @throws SignInNeeded if the authorization server is unknown, or if the MCP server names another one
 */
export async function refreshTokens(owner: TokenOwner, tokens: ServerTokens): Promise<ServerTokens> {
  const { client, refreshToken, issuer, proofKey } = tokens
  if (!client || !refreshToken) return tokens
  if (issuer === undefined)
    throw new SignInNeeded(owner, 'it is not known which authorization server its tokens are from')
  const library = await loadLibrary()
  return await withinTime(owner.url, undefined, async fetchFn => {
    const named = await library.discoverOAuthProtectedResourceMetadata(owner.url, {}, fetchFn).catch(() => undefined)
    requireIssuer(owner, named, { issuer, holds: 'its tokens are from' })
    const fresh = await library.refreshAuthorization(issuer, {
      metadata: await library.discoverAuthorizationServerMetadata(issuer, { fetchFn }),
      clientInformation: { client_id: client.clientId, client_secret: client.clientSecret },
      refreshToken,
      resource: tokens.resourceUrl ?? named?.resource,
      fetchFn,
      ...(proofKey && { dpop: await proofSession(proofKey) }),
    })
    // The metadata that would allow it may be unreadable now, and the refresh token is bound to the key, too.
    const refuse = () =>
      new SignInNeeded(owner, `${new URL(issuer).host} gave a bearer token in place of one with a proof of possession`)
    return defined({
      ...tokens,
      accessToken: fresh.access_token,
      refreshToken: fresh.refresh_token ?? refreshToken,
      proofKey: boundTo(fresh.token_type, proofKey, { areRequired: true, refuse }),
      ...lifetimeOf(fresh.expires_in),
    })
  })
}

/** @throws SignInNeeded if the MCP server names other authorization servers than the one that its secrets are for */
export function requireIssuer(
  owner: TokenOwner,
  named: OAuthProtectedResourceMetadata | undefined,
  { issuer, holds }: { issuer: string; holds: string },
): void {
  const [other] = named?.authorization_servers ?? []
  if (other !== undefined && !named?.authorization_servers?.some(url => isSame(url, issuer)))
    throw new SignInNeeded(owner, `it names ${originOf(other)}, and ${holds} ${originOf(issuer)}`)
}

/** Returns when an access token ends and its lifetime; undefined if its issuer did not say. */
export function lifetimeOf(expiresInSeconds: number | undefined) {
  const lastsMs = expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000
  return { lastsMs, expiresAt: lastsMs === undefined ? undefined : Date.now() + lastsMs }
}

/** Returns the status in an error of the library, such as `HTTP 400`, without the body that may follow it. */
export function statusIn(said: string): string | undefined {
  return /^HTTP \d+/.exec(said)?.[0]
}

/** Returns the error for tokens that could not be renewed: a person has to sign in, or a later attempt may succeed. */
export async function refreshFailure(owner: TokenOwner, error: unknown): Promise<ServiceError> {
  if (error instanceof SignInNeeded) return error
  const { OAuthError } = await loadLibrary()
  const code = error instanceof OAuthError ? error.code : undefined
  if (code !== undefined && TAKEN_BACK.has(code))
    return new SignInNeeded(owner, `its authorization server does not renew the access token (${code})`)
  const said = error instanceof Error ? error.message : String(error)
  const why = describeNetwork(error) ?? statusIn(said) ?? said
  return new ServiceError(
    'SERVER_UNREACHABLE',
    `The access token of the server "${owner.name}" has ended, and no new one was given: ${oneLine(why)}. ` +
      'The sign-in is kept: try again.',
  )
}

export async function withinTime<T>(
  serverUrl: string,
  signal: AbortSignal | undefined,
  work: (fetchFn: FetchLike, limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = AbortSignal.timeout(AUTHORIZATION_MS)
  const limited = signal ? AbortSignal.any([signal, late]) : late
  return await untilAborted(work(createMetadataFetch(serverUrl, limited), limited), limited)
}

function isSame(url: string, other: string): boolean {
  return URL.parse(url)?.href === URL.parse(other)?.href
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'an address that cannot be read'
}
