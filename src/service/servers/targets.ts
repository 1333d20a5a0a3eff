import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { AccessToken, ServerTarget } from '../connections/types.ts'
import { requestTokens } from './grants.ts'
import { refreshFailure, refreshTokens } from './token-refresh.ts'
import type { ServerRow, ServerTokens } from './rows.ts'
import type { JobRow } from '../core/database/rows.ts'
import type { Store } from '../core/database/store.ts'
import { ServiceError } from '../core/errors.ts'
import { guarded, isAbandoned, releaseLease, takeLease } from '../core/lease.ts'

/** Converts saved servers to targets of the connections engine. */
export type ServerTargets = { of(row: ServerRow): ServerTarget }

declare module '../core/context.ts' {
  interface ServiceContext {
    targets: ServerTargets
  }
}

/**
 * Milliseconds before the end of a token at which it is renewed, so that it does not end during a request; at most a
 * quarter of its lifetime.
 */
const REFRESH_BEFORE_MS = 60_000
/** Milliseconds between two checks whether another process has renewed the tokens. */
const CHECK_EVERY_MS = 50
/**
 * Longest time that one refresh may block those of other hosts, in milliseconds, with all its requests and the loading
 * of the library.
 */
const HELD_MS = 30_000
const LONGEST_WAIT_MS = 60_000
const REFRESH = 'token-refresh'

export function createServerTargets(store: Store): ServerTargets {
  const refreshing = new Map<string, Promise<ServerTokens | undefined>>()
  const unwritten = unwrittenTokens()

  const currentTokens = async (row: ServerRow): Promise<ServerTokens | undefined> => {
    const { projectId, id, name, url = '' } = row
    // Work for an earlier address of the server must not get the tokens for the current one.
    const storedTokens = (): ServerTokens | undefined => {
      const stored = store.servers.get(projectId, id)
      return stored?.url === url ? stored.tokens : undefined
    }
    const tokens = storedTokens()
    if (!tokens?.refreshToken || !tokens.client || !endsSoon(tokens)) return tokens
    const { refreshToken } = tokens
    const latest = (): ServerTokens => unwritten.of(id, refreshToken) ?? tokens
    const started = refreshing.get(id)
    if (started) return started
    const fresh = onceOfAll(store, row, async () => {
      const current = storedTokens()
      if (current?.accessToken !== tokens.accessToken) return current
      const known = latest()
      const refreshed = endsSoon(known) ? await refreshTokens({ name, url }, known) : known
      unwritten.keep(id, refreshToken, refreshed)
      const written = store.write(() => {
        const stored = storedTokens()
        // If someone signed in or out in the meantime, that takes precedence.
        if (stored?.refreshToken !== tokens.refreshToken) return stored
        store.servers.setTokens(id, refreshed)
        return refreshed
      })
      unwritten.forget(id)
      return written
    })
      .catch(async (error: unknown) => {
        const stored = storedTokens()
        // An older mcpdeck may have used the refresh token and stored the result. Otherwise the server decides whether
        // the old token is valid.
        if (stored?.accessToken !== tokens.accessToken) return stored
        if (hasEnded(latest())) throw await refreshFailure({ name, url }, error)
        return latest()
      })
      .finally(() => refreshing.delete(id))
    refreshing.set(id, fresh)
    return fresh
  }

  /** Returns the tokens of a grant; undefined if there is none. @param refused an access token that is not enough */
  const grantedTokens = async (row: ServerRow, refused?: string): Promise<ServerTokens | undefined> => {
    const { projectId, id, name, url = '' } = row
    const held = () => {
      const stored = store.servers.get(projectId, id)
      return stored?.url === url && stored.secrets.grant ? stored : undefined
    }
    const isGood = (tokens: ServerTokens | undefined): boolean =>
      tokens !== undefined && tokens.accessToken !== refused && !endsSoon(tokens)
    const before = held()?.tokens
    if (isGood(before)) return before
    const started = refreshing.get(id)
    if (started) return started
    const fresh = onceOfAll(store, row, async () => {
      const current = held()
      const grant = current?.secrets.grant
      if (!grant || isGood(current.tokens)) return current?.tokens
      const tokens = await requestTokens({ name, url }, grant, { proofKey: current.tokens?.proofKey })
      store.write(() => {
        // A sign-in or sign-out that happened meanwhile takes precedence.
        if (isDeepStrictEqual(held()?.secrets.grant, grant)) store.servers.setTokens(id, tokens)
      })
      return tokens
    })
      .catch((error: unknown) => {
        if (before && before.accessToken !== refused && !hasEnded(before)) return before
        throw error
      })
      .finally(() => refreshing.delete(id))
    refreshing.set(id, fresh)
    return fresh
  }

  const accessToken = async (row: ServerRow) =>
    accessTokenOf(await (row.secrets.grant ? grantedTokens(row) : currentTokens(row)))
  return {
    of: row =>
      targetOf(
        row,
        () => accessToken(row),
        async refused => accessTokenOf(await grantedTokens(row, refused)),
      ),
  }
}

/** Returns what requests need of stored tokens. */
export function accessTokenOf(tokens: ServerTokens | undefined): AccessToken | undefined {
  return tokens && { value: tokens.accessToken, proofKey: tokens.proofKey }
}

/** Renewed tokens that are not stored yet, by server. They are found by the refresh token that was used up for them. */
function unwrittenTokens() {
  const kept = new Map<string, { used: string; tokens: ServerTokens }>()
  return {
    of(id: string, used: string): ServerTokens | undefined {
      const found = kept.get(id)
      return found?.used === used ? found.tokens : undefined
    },
    keep: (id: string, used: string, tokens: ServerTokens) => void kept.set(id, { used, tokens }),
    forget: (id: string) => void kept.delete(id),
  }
}

/**
 * Converts a saved server for the engine. `accessToken` is called before each HTTP request, `renewedToken` with a token
 * that the server refused.
 */
export function targetOf(
  row: ServerRow,
  accessToken: () => Promise<AccessToken | undefined>,
  renewedToken?: (refused: string) => Promise<AccessToken | undefined>,
): ServerTarget {
  const { id, name, enabled, useOAuth, timeoutMs, secrets, url } = row
  const base = { id, name, enabled, useOAuth, ...(timeoutMs !== undefined && { timeoutMs }) }
  if (row.transportType === 'stdio') {
    const { command = '', args = [], env = {} } = secrets
    return { ...base, transport: { type: 'stdio', command, args, env } }
  }
  const reach = { type: 'http' as const, url: url ?? '', headers: secrets.headers ?? {}, accessToken }
  const { scope: grantedScope } = row.tokens ?? {}
  const renewed = secrets.grant && renewedToken && { renewedToken }
  return { ...base, transport: { ...reach, ...renewed, ...(grantedScope !== undefined && { grantedScope }) } }
}

/**
 * Does the work in one process while the other processes wait for its result, because a refresh token can be used only
 * once.
 * @throws ServiceError `TIMEOUT` if that takes too long
 */
async function onceOfAll<T>(store: Store, { id, name }: ServerRow, work: () => Promise<T>): Promise<T> {
  const late = Date.now() + LONGEST_WAIT_MS
  const row: JobRow = { kind: REFRESH, subjectId: id, ...takeLease() }
  try {
    // The lease begins when the row is inserted, and is longer than a refresh may take.
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
    // If the row cannot be deleted, this process deletes it with other abandoned jobs. The result is used anyway.
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
