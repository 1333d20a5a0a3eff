import { setTimeout as delay } from 'node:timers/promises'
import type { ServerTarget } from '../connections/types.ts'
import { refreshFailure, refreshTokens } from './token-refresh.ts'
import type { ServerRow, ServerTokens } from './rows.ts'
import type { JobRow } from '../core/database/rows.ts'
import type { Store } from '../core/database/store.ts'
import { ServiceError } from '../core/errors.ts'
import { guarded, isAbandoned, releaseLease, takeLease } from '../core/lease.ts'

/** Saved servers as the connections engine takes them. */
export type ServerTargets = { of(row: ServerRow): ServerTarget }

declare module '../core/context.ts' {
  interface ServiceContext {
    targets: ServerTargets
  }
}

/** A token is refreshed this long before it ends, or after three quarters of a shorter life: not on the way. */
const REFRESH_BEFORE_MS = 60_000
/** How often to check whether another process has refreshed the tokens, in milliseconds. */
const CHECK_EVERY_MS = 50
/** How long one refresh may block the others, with all its requests and the loading of the library, in milliseconds. */
const HELD_MS = 30_000
const LONGEST_WAIT_MS = 60_000
const REFRESH = 'token-refresh'

export function createServerTargets(store: Store): ServerTargets {
  const refreshing = new Map<string, Promise<ServerTokens | undefined>>()

  const currentTokens = async (row: ServerRow): Promise<ServerTokens | undefined> => {
    const { projectId, id, name, url = '' } = row
    // What goes on at an address that was changed meanwhile must not get the tokens of the present one.
    const storedTokens = (): ServerTokens | undefined => {
      const stored = store.servers.get(projectId, id)
      return stored?.url === url ? stored.tokens : undefined
    }
    const tokens = storedTokens()
    if (!tokens?.refreshToken || !tokens.client || !endsSoon(tokens)) return tokens
    const started = refreshing.get(id)
    if (started) return started
    const fresh = onceOfAll(store, row, async () => {
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
        if (stored?.accessToken !== tokens.accessToken) return stored
        if (hasEnded(tokens)) throw await refreshFailure({ name, url }, error)
        return tokens
      })
      .finally(() => refreshing.delete(id))
    refreshing.set(id, fresh)
    return fresh
  }

  return { of: row => targetOf(row, async () => (await currentTokens(row))?.accessToken) }
}

/** A saved server for the engine; `accessToken` is asked before each connection over HTTP. */
export function targetOf(row: ServerRow, accessToken: () => Promise<string | undefined>): ServerTarget {
  const { id, name, enabled, useOAuth, timeoutMs, secrets, url } = row
  const base = { id, name, enabled, useOAuth, ...(timeoutMs !== undefined && { timeoutMs }) }
  if (row.transportType === 'stdio') {
    const { command = '', args = [], env = {} } = secrets
    return { ...base, transport: { type: 'stdio', command, args, env } }
  }
  return { ...base, transport: { type: 'http', url: url ?? '', headers: secrets.headers ?? {}, accessToken } }
}

/**
 * A refresh token counts once, so one process of the workspace uses it and the others wait for the result.
 * @throws ServiceError `TIMEOUT` if that takes too long
 */
async function onceOfAll<T>(store: Store, { id, name }: ServerRow, work: () => Promise<T>): Promise<T> {
  const late = Date.now() + LONGEST_WAIT_MS
  const row: JobRow = { kind: REFRESH, subjectId: id, ...takeLease() }
  try {
    // The lease begins when the row is there, and is longer than a refresh may take.
    while (!store.write(() => store.jobs.insert({ ...row, expiresAt: Date.now() + HELD_MS }))) {
      const other = store.jobs.find(REFRESH, id)
      if (other && isAbandoned(other)) store.write(() => store.jobs.delete(other.token))
      else if (Date.now() > late)
        throw new ServiceError('TIMEOUT', `Another process has been refreshing the tokens of "${name}" for too long.`)
      else await delay(CHECK_EVERY_MS)
    }
    return await work()
  } finally {
    releaseLease(row)
    // Where the row cannot be deleted it is abandoned from now on, and what came of the work counts anyway.
    guarded(
      () => store.write(() => store.jobs.delete(row.token)),
      () => undefined,
    )()
  }
}

function endsSoon({ expiresAt, lastsMs = Infinity }: ServerTokens): boolean {
  return expiresAt !== undefined && expiresAt - Date.now() < Math.min(REFRESH_BEFORE_MS, lastsMs / 4)
}

function hasEnded({ expiresAt }: ServerTokens): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now()
}
