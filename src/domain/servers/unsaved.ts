import type { Client } from '../../api/client/client.ts'
import type { ProjectServer, ServerBody } from '../../api/contract/servers.ts'
import type { StoredReach } from './stored-reach.ts'

/** Of a workspace that ends with the program: what stays is saved in the local workspace. */
export type UnsavedServers = {
  /** Works with the local workspace, which is open as long. */
  atHome: <T>(work: (home: Client) => Promise<T>) => Promise<T>
}

/** A server with all that it is reached with, as it is sent to save it elsewhere. */
export function bodyOf(server: ProjectServer, stored: StoredReach, name: string): ServerBody {
  const { enabled, url, useOAuth, oauthScopes } = server
  const { args, ...reach } = stored
  const parts = { ...reach, args: args && [...args], url, useOAuth, oauthScopes }
  const given = Object.entries(parts).filter(([, value]) => value != null && value !== false)
  const transportType = server.transportType === 'stdio' ? 'stdio' : 'http'
  return { ...(Object.fromEntries(given) as Partial<ServerBody>), name, enabled, transportType }
}
