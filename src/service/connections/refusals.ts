import { ServiceError } from '../core/errors.ts'
import { untilAborted } from '../core/deadline.ts'
import { brief, oneLine } from '../core/one-line.ts'
import { bearerChallenge, type HttpTransport } from './http-request.ts'
import { loadLibrary } from './types.ts'
import { createMetadataFetch } from './metadata-fetch.ts'
/** Milliseconds to wait for the metadata of a server that refused a request. */
const METADATA_MS = 3000

/** Whether a challenge asks for a token, be it of OAuth or a plain one, which look alike. */
function isTokenChallenge(challenge: string): boolean {
  return /(?:^|,)\s*(?:bearer|dpop)\b/i.test(challenge.replaceAll(/"[^"]*"/g, ''))
}

/**
 * Whether a 401 asks for OAuth. It does if its challenge names metadata, or if the server or its origin has metadata
 * (RFC 9728; MCP before 2025-06-18). If no metadata can be read, it does if the challenge asks for a token.
 */
export async function isAboutOAuth(serverUrl: string, response: Response, signal?: AbortSignal): Promise<boolean> {
  if (bearerChallenge(response).metadataUrls.length > 0) return true
  const challenge = response.headers.get('www-authenticate') ?? ''
  const limit = AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(METADATA_MS)])
  try {
    const library = await loadLibrary()
    const fetchFn = createMetadataFetch(serverUrl, limit)
    const resource = library.discoverOAuthProtectedResourceMetadata(serverUrl, {}, fetchFn).then(
      () => true,
      () => false,
    )
    if (await untilAborted(resource, limit)) return true
    const authority = library.discoverAuthorizationServerMetadata(new URL('/', serverUrl), { fetchFn })
    return (await untilAborted(authority, limit)) !== undefined
  } catch {
    signal?.throwIfAborted()
    return challenge === '' || isTokenChallenge(challenge)
  }
}

type Refused = { serverName: string; transport: HttpTransport; signal?: AbortSignal | undefined }

/** Returns the error for an answer with status 401 or 403; undefined for other statuses. */
export async function credentialRefusal(response: Response, refused: Refused): Promise<ServiceError | undefined> {
  const { serverName, transport, signal } = refused
  const { status, headers } = response
  if (status === 403) {
    const { error, scope } = bearerChallenge(response)
    if (error === 'insufficient_scope') return await scopeRefusal(serverName, scope, transport)
    return serverRefusal(`The server "${serverName}" refuses the stored credentials (HTTP 403).`)
  }
  if (status !== 401) return undefined
  // A stored token from a sign-in shows that the server uses OAuth.
  const token = await transport.accessToken?.().catch(() => undefined)
  if (token !== undefined && transport.renewedToken)
    return new ServiceError('OAUTH_REQUIRED', `The server "${serverName}" refuses the token of its grant (HTTP 401).`, {
      details: { reason: 'SERVER_GRANT' },
    })
  if (token !== undefined || (await isAboutOAuth(transport.url, response, signal)))
    return new ServiceError('OAUTH_REQUIRED', `The server "${serverName}" asks for authorization (HTTP 401).`)
  const challenge = headers.get('www-authenticate') ?? ''
  const scheme = /^\s*([\w-]{1,20})/.exec(challenge)?.[1]
  if (Object.keys(transport.headers).some(name => name.toLowerCase() === 'authorization'))
    return serverRefusal(
      `The server "${serverName}" refuses the Authorization header that is stored for it (HTTP 401); it offers no ` +
        'sign-in with OAuth.',
    )
  const asked = scheme === undefined || isTokenChallenge(challenge) ? 'a token' : `${scheme} authentication`
  return serverRefusal(
    `The server "${serverName}" asks for ${asked} (HTTP 401) and offers no sign-in with OAuth: give it an ` +
      'Authorization header that it accepts.',
  )
}

function serverRefusal(message: string): ServiceError {
  return new ServiceError('FORBIDDEN', message, { details: { reason: 'SERVER_CREDENTIALS' } })
}

/** Matches text that is safe to paste into a shell. */
const PASTABLE = /^[\w.:/ -]+$/

/**
 * Returns the refusal of a token that lacks scopes. It suggests a sign-in with all scopes, because one with only the
 * missing scopes would lose the others.
 */
async function scopeRefusal(
  serverName: string,
  scope: string | undefined,
  { grantedScope: granted, renewedToken }: HttpTransport,
): Promise<ServiceError> {
  const all = scope === undefined ? undefined : (await loadLibrary()).computeScopeUnion(granted, scope)
  const [again, grant] = renewedToken ? [' and its grant again', ' --grant …'] : ['', '']
  const command =
    all !== undefined && PASTABLE.test(`${serverName}${all}`)
      ? `${again}: mcpdeck sign-in '${serverName}'${grant} --scope '${all}'`
      : ''
  return new ServiceError(
    'OAUTH_REQUIRED',
    `The server "${serverName}" wants ${scope === undefined ? 'more scopes' : `the scope ${brief(scope)}`} for this ` +
      `(HTTP 403, insufficient_scope). Sign in with it${command}.`,
    { details: { ...(all !== undefined && { scope: oneLine(all) }) } },
  )
}
