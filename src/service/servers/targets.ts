import type { ServerTarget } from '../connections/types.ts'
import { refreshTokens, SignInNeeded } from './token-refresh.ts'
import type { ServerRow, ServerTokens } from './rows.ts'
import type { Store } from '../core/database/store.ts'

/** Saved servers as the connections engine takes them. */
export type ServerTargets = { of(row: ServerRow): ServerTarget }

declare module '../core/context.ts' {
  interface ServiceContext {
    targets: ServerTargets
  }
}

/** A token is refreshed this long before it ends, so that it does not end on the way. */
const REFRESH_BEFORE_MS = 60_000

export function createServerTargets(store: Store): ServerTargets {
  const refreshing = new Map<string, Promise<ServerTokens | undefined>>()

  const currentTokens = async ({ projectId, id, name, url = '' }: ServerRow): Promise<ServerTokens | undefined> => {
    // What goes on at an address that was changed meanwhile must not get the tokens of the present one.
    const storedTokens = (): ServerTokens | undefined => {
      const stored = store.servers.get(projectId, id)
      return stored?.url === url ? stored.tokens : undefined
    }
    const tokens = storedTokens()
    const endsSoon = tokens?.expiresAt !== undefined && tokens.expiresAt - Date.now() < REFRESH_BEFORE_MS
    if (!tokens?.refreshToken || !tokens.client || !endsSoon) return tokens
    const started = refreshing.get(id)
    if (started) return started
    const fresh = refreshTokens({ name, url }, tokens)
      .then(refreshed =>
        store.write(() => {
          const stored = storedTokens()
          // Whoever signed in or out meanwhile has the last word.
          if (stored?.refreshToken !== tokens.refreshToken) return stored
          store.servers.setTokens(id, refreshed)
          return refreshed
        }),
      )
      .catch((error: unknown) => {
        if (error instanceof SignInNeeded && hasEnded(tokens)) throw error
        const stored = storedTokens()
        // Another process may have used the refresh token; else the server says whether the old token still counts.
        return stored?.refreshToken === tokens.refreshToken ? tokens : stored
      })
      .finally(() => refreshing.delete(id))
    refreshing.set(id, fresh)
    return fresh
  }

  return {
    of(row) {
      const { id, name, enabled, useOAuth, timeoutMs, secrets, url } = row
      const base = { id, name, enabled, useOAuth, ...(timeoutMs !== undefined && { timeoutMs }) }
      if (row.transportType === 'stdio') {
        const { command = '', args = [], env = {} } = secrets
        return { ...base, transport: { type: 'stdio', command, args, env } }
      }
      const address = url ?? ''
      return {
        ...base,
        transport: {
          type: 'http',
          url: address,
          headers: secrets.headers ?? {},
          accessToken: async () => (await currentTokens(row))?.accessToken,
        },
      }
    },
  }
}

function hasEnded({ expiresAt }: ServerTokens): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now()
}
