import type { ServerTokens } from './store/servers.ts'

/**
 * Exchanges the refresh token at the server's own authorization server, found by its metadata (RFC 9728, RFC 8414).
 * @param serverUrl address of the MCP server
 */
export async function refreshTokens(serverUrl: string, tokens: ServerTokens): Promise<ServerTokens> {
  if (!tokens.client || !tokens.refreshToken) return tokens
  const library = await import('@modelcontextprotocol/client')
  const issuer = await library.discoverOAuthServerInfo(serverUrl)
  const { clientId, clientSecret } = tokens.client
  const fresh = await library.refreshAuthorization(issuer.authorizationServerUrl, {
    metadata: issuer.authorizationServerMetadata,
    clientInformation: { client_id: clientId, client_secret: clientSecret },
    refreshToken: tokens.refreshToken,
    resource: tokens.resourceUrl ?? issuer.resourceMetadata?.resource,
  })
  return {
    ...tokens,
    accessToken: fresh.access_token,
    refreshToken: fresh.refresh_token ?? tokens.refreshToken,
    expiresAt: expiryOf(fresh.expires_in),
  }
}

/** Epoch milliseconds at which a token ends; undefined when its issuer did not say. */
export function expiryOf(expiresInSeconds: number | undefined): number | undefined {
  return expiresInSeconds === undefined ? undefined : Date.now() + expiresInSeconds * 1000
}
