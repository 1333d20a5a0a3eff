import { randomBytes } from 'node:crypto'
import type {
  AuthorizationServerMetadata,
  FetchLike,
  OAuthClientInformationMixed,
  OAuthProtectedResourceMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/client'
import {
  SignInError,
  type ImportedTokens,
  type SignIn,
  type SignInClient,
  type SignInPlan,
  type SignIns,
} from '../../domain/servers/sign-in.ts'
import { bearerChallenge, probeHttp } from '../../service/connections/http-request.ts'
import { discoverResource, isFor } from '../../service/servers/token-refresh.ts'
import { loadLibrary, type McpLibrary } from '../../service/connections/types.ts'
import { createMetadataFetch, requireNameable } from '../../service/connections/metadata-fetch.ts'
import { askedProofs, boundTo, proofKeyFor, proofSession, type Proofs } from '../../service/connections/proofs.ts'
import { untilAborted } from '../../service/core/deadline.ts'
import { openCallback, type Callback } from './callback.ts'
import { signInFailure, type Phase } from './failures.ts'
import { defined } from '../../lib/json.ts'
/** Milliseconds that the servers have for all answers of a step, and the person for the browser. */
export type SignInTimes = { stepMs: number; personMs: number }

const TIMES: SignInTimes = { stepMs: 10_000, personMs: 10 * 60_000 }
const METHOD = 'S256'

/** One sign-in from its start to its tokens. */
type Flow = { library: McpLibrary; serverUrl: string; times: SignInTimes }

/** Metadata of the servers. */
type Found = {
  metadata: AuthorizationServerMetadata
  resource: OAuthProtectedResourceMetadata | undefined
  scope: string | undefined
  proofs: Proofs | undefined
  isGuessed: boolean
}

/** The requests of a step, with the status of the last answer. */
type Asking = { fetchFn: FetchLike; status: () => number }

/** Signs in with the browser; the protocol library handles the OAuth flow. */
export function createSignIns(times: SignInTimes = TIMES): SignIns {
  return {
    async plan(serverUrl, { scopes, keepsKeys, signal }) {
      const flow = { library: await loadLibrary(), serverUrl, times }
      const found = await inTime(flow, 'discovery', signal, asking => discover(flow, asking, scopes.join(' ')))
      if (!keepsKeys && found.proofs?.areRequired)
        throw new SignInError(
          `${new URL(serverUrl).host} takes only tokens with a proof of possession, and only a local workspace keeps ` +
            'the key for it.',
        )
      return planOf(flow, keepsKeys ? found : { ...found, proofs: undefined })
    },
  }
}

/**
 * Runs one step within its time limit. An error becomes a sentence about the host that was contacted last, or about the
 * `first` host before any request.
 */
async function inTime<T>(
  { library, serverUrl, times: { stepMs } }: Flow,
  phase: Phase,
  signal: AbortSignal,
  work: (asking: Asking) => Promise<T>,
  first = new URL(serverUrl).host,
): Promise<T> {
  const late = AbortSignal.timeout(stepMs)
  const limited = AbortSignal.any([signal, late])
  const bounded = createMetadataFetch(serverUrl, limited)
  let host = first
  let status = 0
  const fetchFn: FetchLike = async (input, init) => {
    host = new URL(input).host
    const answer = await bounded(input, init)
    status = answer.status
    return answer
  }
  try {
    return await untilAborted(work({ fetchFn, status: () => status }), limited)
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw new SignInError(`${host} did not answer within ${stepMs / 1000} s. Try again later.`)
    throw signInFailure(error, { library, host, phase })
  }
}

async function discover({ library, serverUrl }: Flow, asking: Asking, saved: string): Promise<Found> {
  const { fetchFn, status } = asking
  const challenge = await probeHttp({ type: 'http', url: serverUrl, headers: {} }, { fetchFn })
  const { metadataUrls, scope: wanted, schemes } = bearerChallenge(challenge)
  const resource = await discoverResource(serverUrl, metadataUrls, { library, fetchFn }).catch((error: unknown) => {
    // Servers older than this metadata are their own authorization servers.
    if (status() >= 400 && status() < 500) return undefined
    throw error
  })
  const configured = resource?.resource
  if (configured !== undefined && !isFor(library, serverUrl, configured))
    throw new SignInError(`The metadata of ${new URL(serverUrl).host} is for another server: ${configured}.`)
  const authorizationServer = resource?.authorization_servers?.[0] ?? new URL('/', serverUrl).href
  const published = await library.discoverAuthorizationServerMetadata(authorizationServer, { fetchFn })
  const isGuessed = !published && !resource && challenge.status === 401
  const metadata = isGuessed ? firstProtocolMetadata(authorizationServer) : published
  const { host } = new URL(authorizationServer)
  if (!metadata) {
    const open = challenge.status === 401 ? '' : `, and the server answers HTTP ${challenge.status} without a sign-in`
    throw new SignInError(`${host} has no OAuth metadata${open}. Import tokens that you got otherwise.`)
  }
  await requireUsable(library, serverUrl, metadata)
  const scope = saved || wanted || resource?.scopes_supported?.join(' ') || undefined
  // Some servers return a refresh token only if this scope is requested.
  const offline = scope !== undefined && metadata.scopes_supported?.includes('offline_access')
  const proofs = askedProofs({ authority: metadata, resource, schemes })
  const all = offline ? library.computeScopeUnion(scope, 'offline_access') : scope
  return { metadata, resource, proofs, isGuessed, scope: all }
}

/** The paths that MCP 2025-03-26 names for servers that publish none; it also requires PKCE of them. */
function firstProtocolMetadata(server: string): AuthorizationServerMetadata {
  const at = (path: string): string => new URL(path, server).href
  return {
    issuer: server,
    authorization_endpoint: at('/authorize'),
    token_endpoint: at('/token'),
    registration_endpoint: at('/register'),
    response_types_supported: ['code'],
    code_challenge_methods_supported: [METHOD],
  }
}

/** Validates every address that is requested or opened later. */
async function requireUsable(
  library: McpLibrary,
  serverUrl: string,
  metadata: AuthorizationServerMetadata,
): Promise<void> {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata
  for (const endpoint of [authorization_endpoint, token_endpoint, registration_endpoint])
    if (endpoint) library.assertSecureTokenEndpoint(endpoint)
  await requireNameable(serverUrl, authorization_endpoint)
  if (metadata.code_challenge_methods_supported?.includes(METHOD)) return
  const { host } = new URL(metadata.issuer)
  throw new SignInError(`${host} does not check PKCE with ${METHOD}, so that a stolen code would be enough. Not begun.`)
}

function planOf(flow: Flow, found: Found): SignInPlan {
  const { authorization_endpoint, registration_endpoint } = found.metadata
  return {
    serverUrl: flow.serverUrl,
    host: new URL(authorization_endpoint).host,
    scopes: found.scope?.split(' ') ?? [],
    registers: registration_endpoint !== undefined,
    takesDocuments: takesDocuments(found),
    isGuessed: found.isGuessed,
    async begin(client, signal) {
      const answered = Promise.withResolvers<URLSearchParams>()
      const state = randomBytes(32).toString('base64url')
      const refusals = createRefusals()
      const callback = await openCallback({
        port: client.port,
        refuse: answer => refusalOf(flow.library, found.metadata, { state, answer }),
        onAnswer: answered.resolve,
        onRefused: refusals.tell,
      })
      try {
        return await begun(flow, found, { state, refusals, callback, answered, client, signal })
      } catch (error) {
        callback.close()
        throw error
      }
    },
  }
}

type Begin = {
  state: string
  refusals: Refusals
  callback: Callback
  answered: PromiseWithResolvers<URLSearchParams>
  client: SignInClient
  signal: AbortSignal
}

/** The reasons why answers were refused; a reason that repeats is reported once. */
type Refusals = { tell: (why: string) => void; listen: (listener: (why: string) => void) => void }

function createRefusals(): Refusals {
  let last: string | undefined
  let hear: ((why: string) => void) | undefined
  return {
    tell(why) {
      if (why !== last) hear?.(why)
      last = why
    },
    listen(listener) {
      hear = listener
      // If the browser is already signed in, the answer may arrive before anybody listens.
      if (last !== undefined) listener(last)
    },
  }
}

async function begun(flow: Flow, found: Found, begin: Begin): Promise<SignIn> {
  const { state, refusals, callback, answered, client, signal } = begin
  const { library, serverUrl, times } = flow
  const { metadata, resource, scope, proofs } = found
  const refuse = (why: string) => new SignInError(`${new URL(metadata.token_endpoint).host} ${why}.`)
  const proofKey = await proofKeyFor(proofs, { server: new URL(serverUrl).host, refuse })
  const dpop = proofKey && (await proofSession(proofKey))
  const shared = { metadata, ...(resource && { resource: resource.resource }) }
  const { information, authorizationUrl, codeVerifier } = await inTime(
    flow,
    'registration',
    signal,
    async ({ fetchFn }) => {
      const information = await clientInformation(library, found, { client, callback, fetchFn })
      const options = { ...shared, clientInformation: information, redirectUrl: callback.address, state }
      const started = await library.startAuthorization(metadata.issuer, { ...options, ...(scope && { scope }) })
      return { information, ...started }
    },
  )
  const { host } = authorizationUrl
  const exchange = (answer: URLSearchParams) => async (asking: Asking) =>
    await library.exchangeAuthorization(metadata.issuer, {
      ...shared,
      clientInformation: information,
      authorizationCode: answer.get('code')!,
      ...(answer.has('iss') && { iss: answer.get('iss')! }),
      codeVerifier,
      redirectUri: callback.address,
      fetchFn: asking.fetchFn,
      ...(dpop && { dpop }),
    })
  const minutes = times.personMs / 60_000
  const late = setTimeout(() => {
    answered.reject(new SignInError(`No sign-in was completed at ${host} within ${minutes} minutes. Begin again.`))
  }, times.personMs)
  const waited = async (): Promise<ImportedTokens> => {
    try {
      const answer = await answered.promise
      const tokens = await inTime(flow, 'exchange', new AbortController().signal, exchange(answer), host)
      const bound = boundTo(tokens.token_type, proofKey, { areRequired: proofs?.areRequired === true, refuse })
      return { ...importable(serverUrl, { tokens, information, resource }), ...(bound && { proofKey: bound }) }
    } finally {
      clearTimeout(late)
      callback.close()
    }
  }
  const tokens = waited()
  // The promise may be rejected before anybody awaits it.
  tokens.catch(() => undefined)
  return {
    link: authorizationUrl.href,
    callback: callback.address,
    tokens,
    take(address) {
      const answer = callback.read(address)
      if (typeof answer === 'string') return answer
      answered.resolve(answer)
      return undefined
    },
    onRefused: refusals.listen,
    end: () => answered.reject(new SignInError('The sign-in was cancelled.')),
  }
}

function takesDocuments({ metadata }: Found): boolean {
  return metadata['client_id_metadata_document_supported'] === true
}

/** Returns the OAuth client: the given one, that of the given document, or one that is registered now. */
async function clientInformation(
  library: McpLibrary,
  found: Found,
  { client, callback, fetchFn }: { client: SignInClient; callback: Callback; fetchFn: FetchLike },
): Promise<OAuthClientInformationMixed> {
  const { metadata, scope, isGuessed } = found
  const { clientId, clientSecret, documentUrl } = client
  if (clientId !== undefined) return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }
  if (documentUrl !== undefined && takesDocuments(found)) return { client_id: documentUrl }
  const clientMetadata = library.resolveClientMetadata({
    redirectUrl: callback.address,
    clientMetadata: {
      client_name: 'mcpdeck',
      redirect_uris: [callback.address],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  })
  try {
    return await library.registerClient(metadata.issuer, { metadata, clientMetadata, ...(scope && { scope }), fetchFn })
  } catch (error) {
    if (!isGuessed || !(error instanceof library.RegistrationRejectedError)) throw error
    const { host, pathname } = new URL(metadata.registration_endpoint!)
    const reason = `${host} has no OAuth metadata, and registers no client at ${pathname} (HTTP ${error.status})`
    throw new SignInError(`${reason}. Import tokens that you got otherwise.`, { wantsClient: true })
  }
}

/**
 * Returns why an answer is refused: it belongs to another sign-in, or contains an error instead of a code. Its texts
 * are not repeated before its state and issuer are verified.
 */
function refusalOf(
  library: McpLibrary,
  metadata: AuthorizationServerMetadata,
  { state, answer }: { state: string; answer: URLSearchParams },
): string | undefined {
  if (answer.get('state') !== state)
    return 'Refused an answer from another sign-in: its state is not the one that was sent.'
  const sentence = (error: unknown) =>
    signInFailure(error, { library, host: new URL(metadata.authorization_endpoint).host, phase: 'exchange' }).message
  try {
    library.validateAuthorizationResponseIssuer({
      iss: answer.get('iss') ?? undefined,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata['authorization_response_iss_parameter_supported'] === true,
    })
  } catch (error) {
    return sentence(error)
  }
  const code = answer.get('error')
  return code === null ? undefined : sentence(new library.OAuthError(code, answer.get('error_description') ?? ''))
}

function importable(
  serverUrl: string,
  got: {
    tokens: OAuthTokens
    information: OAuthClientInformationMixed
    resource: OAuthProtectedResourceMetadata | undefined
  },
): ImportedTokens {
  const { client_id: clientId, client_secret: clientSecret } = got.information
  const { access_token, refresh_token, expires_in, token_type, scope, id_token } = got.tokens
  const oauthResourceUrl = got.resource?.resource
  return {
    serverUrl,
    ...(oauthResourceUrl !== undefined && oauthResourceUrl !== serverUrl && { oauthResourceUrl }),
    clientInformation: defined({ clientId, clientSecret }),
    tokens: defined({ access_token, token_type, refresh_token, expires_in, scope, id_token }),
  }
}
