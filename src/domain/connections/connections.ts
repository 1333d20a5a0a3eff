import { isTerminalConnectionStatus, type ServerConnection } from '../../api/contract/connections.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'

/** Open requests that an account may have (service-api, "Limits"). */
export const CONNECTION_SLOTS = 5
/** The status of a request that the service does not have any more. */
export const GONE = 'gone'

/** A connection request that was begun here, or that a refusal named. The contract lists none. */
export type KnownConnection = {
  id: string
  /** Without what may be secret in it; absent where only a refusal named the request. */
  address?: string | undefined
  projectId?: string | undefined
  serverId?: string | undefined
  /** When it was begun or first named, epoch milliseconds. */
  at: number
  /** As it was read last; `gone` where it is read no more. */
  status: string
}

/** The whole address, and the sign-in link: whoever holds that can finish the request. */
type Secrets = { url?: string | undefined; link?: string | undefined }

/** The requests that are known here, newest first. Their secrets are kept in memory alone. */
export type Connections = {
  /** The same array until it changes. */
  list(): readonly KnownConnection[]
  /** Adds a request, or changes what is known of it. */
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

/** Without `stored` they end with the program. */
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
    remove: id => stored.change(before => before.filter(each => each.id !== id)),
    secretsOf: id => secrets.get(id) ?? {},
    keepSecrets: (id, kept) => void secrets.set(id, { ...secrets.get(id), ...kept }),
    subscribe: stored.subscribe,
  }
}

/** Whether a request still holds a slot, as far as is known here. */
export function isOpenConnection({ status }: Pick<KnownConnection, 'status'>): boolean {
  return status !== GONE && !isTerminalConnectionStatus(status)
}

/** What an answer says of a request, to be noted. */
export function knownOf({ connectionRequestId, status, projectId, serverId, server }: ServerConnection) {
  return {
    id: connectionRequestId,
    status,
    ...(projectId != null && { projectId }),
    ...((server?.id ?? serverId) != null && { serverId: server?.id ?? serverId ?? undefined }),
  }
}

/** An address without user, password, query and fragment. */
export function publicAddress(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.origin}${url.pathname}` : ''
}

/** The requests that a refusal for want of a slot names; the contract says that it does, and how their ids begin. */
export function namedRequests(details: unknown): string[] {
  return [...new Set(JSON.stringify(details ?? null).match(/\bscr_\w{1,100}/g))]
}
