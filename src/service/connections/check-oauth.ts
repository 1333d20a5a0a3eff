import { startDeadline, untilAborted } from '../core/deadline.ts'
import { probeHttp } from './http-request.ts'
import { loadLibrary } from './library.ts'
import { createMetadataFetch } from './metadata-fetch.ts'
import type { CheckOAuthResult, ServerTarget } from './types.ts'

/**
 * Whether the server wants OAuth: by the stored setting, else by its own 401 and metadata (RFC 9728), without a
 * session. A server that cannot be asked leaves the stored setting as the answer: the contract lists no error for it.
 */
export async function checkOAuth(
  target: ServerTarget,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<CheckOAuthResult> {
  const { transport, useOAuth } = target
  if (transport.type === 'stdio') return { useOAuth: false, serverUrl: null }
  const serverUrl = transport.url
  if (useOAuth) return { useOAuth, serverUrl }
  const deadline = startDeadline(deadlineMs, target.name, signal)
  try {
    return { useOAuth: await demandsOAuth(transport, deadline.signal), serverUrl }
  } catch {
    signal?.throwIfAborted()
    return { useOAuth, serverUrl }
  } finally {
    deadline.end()
  }
}

/** A 401 alone may be basic authentication: the challenge or the metadata tells. */
async function demandsOAuth(transport: Parameters<typeof probeHttp>[0], signal: AbortSignal): Promise<boolean> {
  const response = await probeHttp(transport, signal)
  if (response.status !== 401) return false
  const challenge = response.headers.get('www-authenticate') ?? ''
  if (/^(bearer|dpop)\b/i.test(challenge)) return true
  const library = await loadLibrary()
  const fetchFn = createMetadataFetch(transport.url, signal)
  const metadata = library.discoverOAuthProtectedResourceMetadata(transport.url, {}, fetchFn)
  return untilAborted(
    metadata.then(
      () => true,
      () => false,
    ),
    signal,
  )
}
