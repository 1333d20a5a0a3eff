import { isTerminalConnectionStatus, type ServerConnection } from '../../api/contract/connections.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'

/** Number of open requests that an account may have (service-api, "Limits"). */
export const CONNECTION_SLOTS = 5
/** The status of a request that the service no longer has. */
export const GONE = 'gone'

/** A connection request that was started here or named in a refusal. The contract has no list of them. */
export type KnownConnection = {
  id: string
  /** The address without parts that may be secret; absent if only a refusal named the request. */
  address?: string | undefined
  projectId?: string | undefined
  serverId?: string | undefined
  /** Epoch milliseconds at which the request was started or first named. */
  at: number
  /** The status as last read; `gone` if the request can no longer be read. */
  status: string
}

/** The whole address and the sign-in link. Anyone with one of them can finish the request. */
type Secrets = { url?: string | undefined; link?: string | undefined }

/** The requests known here, newest first. Their secrets are kept only in memory. */
export type Connections = {
  /** Returns the same array until it changes. */
  list(): readonly KnownConnection[]
  /** Adds a request, or updates what is known about it. */
  note(connection: Partial<KnownConnection> & { id: string }): void
  remove(id: string): void
  secretsOf(id: string): Secrets
  keepSecrets(id: string, secrets: Secrets): void
  subscribe(listener: () => void): () => void
}

const MOST = BOUNDS.connections.most

export const connectionsKey: ProfileKey<readonly KnownConnection[]> = {
  name: 'connections',
  version: 1,
  empty: [],
  read: ({ requests }) => (Array.isArray(requests) ? requests.filter(isKnown).slice(0, MOST) : undefined),
  write: requests => ({ requests }),
}

function isKnown(value: unknown): value is KnownConnection {
  const { id, at, status, address, projectId, serverId } = Object(value) as Record<string, unknown>
  const isText = [id, status].every(text => typeof text === 'string') && typeof at === 'number'
  return isText && [address, projectId, serverId].every(text => text === undefined || typeof text === 'string')
}

/** Creates the list of known requests. Without `stored` it is lost when the program ends. */
export function createConnections(
  stored: Stored<readonly KnownConnection[]> = storedInMemory(connectionsKey),
): Connections {
  const secrets = new Map<string, Secrets>()
  return {
    list: stored.get,
    note(connection) {
      const known = stored.get().find(({ id }) => id === connection.id)
      const isNews = Object.entries(connection).some(([field, value]) => known?.[field as keyof typeof known] !== value)
      if (!isNews) return
      stored.change(before => {
        const old = before.find(({ id }) => id === connection.id)
        const next = { at: Date.now(), status: 'discovering', ...old, ...connection }
        if (old) return before.map(each => (each === old ? next : each))
        return [next, ...before].slice(0, MOST)
      })
    },
    remove(id) {
      secrets.delete(id)
      stored.change(before => before.filter(each => each.id !== id))
    },
    secretsOf: id => secrets.get(id) ?? {},
    keepSecrets: (id, kept) => void secrets.set(id, { ...secrets.get(id), ...kept }),
    subscribe: stored.subscribe,
  }
}

/** Whether a request still occupies a slot, as far as this program knows. */
export function isOpenConnection({ status }: Pick<KnownConnection, 'status'>): boolean {
  return status !== GONE && !isTerminalConnectionStatus(status)
}

/** Returns the part of an answer about a request that is stored. */
export function knownOf({ connectionRequestId, status, projectId, serverId, server }: ServerConnection) {
  return {
    id: connectionRequestId,
    status,
    ...(projectId != null && { projectId }),
    ...((server?.id ?? serverId) != null && { serverId: server?.id ?? serverId ?? undefined }),
  }
}

/** Returns an address without user, password, query and fragment. */
export function publicAddress(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.origin}${url.pathname}` : ''
}

/**
 * Returns the requests named in a refusal because no slot is free. The contract says that they are named, and how their
 * ids begin.
 */
export function namedRequests(details: unknown): string[] {
  return [...new Set(JSON.stringify(details ?? null).match(/\bscr_\w{1,100}/g))]
}
