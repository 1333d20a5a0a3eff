import { setTimeout as delay } from 'node:timers/promises'
import type { ServerTarget } from '../connections/types.ts'
import { refreshFailure, refreshTokens } from './token-refresh.ts'
import type { ServerRow, ServerTokens } from './rows.ts'
import type { JobRow } from '../core/database/rows.ts'
import type { Store } from '../core/database/store.ts'
import { isAbandoned, releaseLease, takeLease } from '../core/lease.ts'

/** Saved servers as the connections engine takes them. */
export type ServerTargets = { of(row: ServerRow): ServerTarget }

declare module '../core/context.ts' {
  interface ServiceContext {
    targets: ServerTargets
  }
}

/** A token is refreshed this long before it ends, or after three quarters of a shorter life: not on the way. */
const REFRESH_BEFORE_MS = 60_000
/** How often it is looked whether another process has refreshed the tokens, in milliseconds. */
const LOOK_EVERY_MS = 50
const REFRESH = 'token-refresh'

export function createServerTargets(store: Store): ServerTargets {
  const refreshing = new Map<string, Promise<ServerTokens | undefined>>()

  const currentTokens = async ({ projectId, id, name, url = '' }: ServerRow): Promise<ServerTokens | undefined> => {
    // What goes on at an address that was changed meanwhile must not get the tokens of the present one.
    const storedTokens = (): ServerTokens | undefined => {
      const stored = store.servers.get(projectId, id)
      return stored?.url === url ? stored.tokens : undefined
    }
    const tokens = storedTokens()
    if (!tokens?.refreshToken || !tokens.client || !endsSoon(tokens)) return tokens
    const started = refreshing.get(id)
    if (started) return started
    const fresh = onceOfAll(store, id, async () => {
      const current = storedTokens()
      if (current?.accessToken !== tokens.accessToken) return current
      const refreshed = await refreshTokens({ name, url }, tokens)
      return store.write(() => {
        const stored = storedTokens()
        // Whoever signed in or out meanwhile has the last word.
        if (stored?.refreshToken !== tokens.refreshToken) return stored
        store.servers.setTokens(id, refreshed)
        return refreshed
      })
    })
      .catch(async (error: unknown) => {
        const stored = storedTokens()
        // An older mcpdeck may have used the refresh token; else the server says whether the old token still counts.
        if (stored?.refreshToken !== tokens.refreshToken) return stored
        if (hasEnded(tokens)) throw await refreshFailure({ name, url }, error)
        return tokens
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

/**
 * A refresh token counts once, so of all processes of the workspace one uses it, and the others wait for what it got.
 * Who holds it is in the database, as other work of the workspace is.
 */
async function onceOfAll<T>(store: Store, subjectId: string, work: () => Promise<T>): Promise<T> {
  const row: JobRow = { kind: REFRESH, subjectId, ...takeLease() }
  try {
    while (!store.write(() => store.jobs.insert(row))) {
      const other = store.jobs.find(REFRESH, subjectId)
      if (other && isAbandoned(other)) store.write(() => store.jobs.delete(other.token))
      else await delay(LOOK_EVERY_MS)
    }
    return await work()
  } finally {
    store.write(() => store.jobs.delete(row.token))
    releaseLease(row)
  }
}

function endsSoon({ expiresAt, lastsMs = Infinity }: ServerTokens): boolean {
  return expiresAt !== undefined && expiresAt - Date.now() < Math.min(REFRESH_BEFORE_MS, lastsMs / 4)
}

function hasEnded({ expiresAt }: ServerTokens): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now()
}
