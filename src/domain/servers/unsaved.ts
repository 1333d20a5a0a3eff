import type { Client } from '../../api/client/client.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { ProjectServer, ServerBody } from '../../api/contract/servers.ts'
import type { SignInClient } from './sign-in.ts'
import type { StoredReach } from './stored-reach.ts'

/** Saves the contents of a temporary workspace in the local workspace, if they are to be kept. */
export type UnsavedServers = {
  /** Runs work with the local workspace, which is open meanwhile. */
  atHome: <T>(work: (home: Client, handOver: HandOver) => Promise<T>) => Promise<T>
  /** Suites that were saved in the local workspace, as JSON by their id in this one. */
  savedSuites: Map<string, string>
  /** The working directory given for the server. */
  directory: string | undefined
}

/** Copies calls, roots and sign-in to a saved server of the local workspace. None of it leaves this process. */
export type HandOver = (serverId: string, homeServerId: string) => Promise<{ calls: number; signedIn: boolean }>

/** Suites, calls and the sign-in that were saved with a server, and sentences about what was left behind. */
export type TakenAlong = { suites: number; calls: number; signedIn: boolean; left: readonly string[] }

/**
 * Saves a server in a project of the local workspace, with what was created and done with it here.
 * @throws ApiError if the server itself cannot be saved; otherwise what could not be saved is reported with the reason
 */
export async function saveAtHome(
  { atHome, savedSuites, directory }: UnsavedServers,
  { client, server }: { client: Client; server: ProjectServer & { projectId: string } },
  { projectId, body }: { projectId: string; body: ServerBody },
): Promise<TakenAlong> {
  return await atHome(async (home, handOver) => {
    const made = await home.servers.create({ projectId, body })
    const left: string[] = []
    if (directory !== undefined) left.push('Its directory: a saved server runs in the one that mcpdeck is started in.')
    const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work()
      } catch (error) {
        left.push(`${what}: ${failureSentence(error)}`)
        return undefined
      }
    }
    const handed = await attempt('Its calls and its sign-in', () => handOver(server.id, made.id))
    const from = { client, projectId: server.projectId, serverName: server.name }
    const suites = await attempt('Its suites', async () => {
      const { saveSuitesElsewhere } = await import('../suites/save-elsewhere.ts')
      return await saveSuitesElsewhere(from, { client: home, projectId, serverName: made.name })
    })
    for (const [id, file] of suites?.saved ?? []) savedSuites.set(id, file)
    left.push(...(suites?.left ?? []))
    return { calls: 0, signedIn: false, ...handed, suites: suites?.saved.size ?? 0, left }
  })
}

/** Returns the request body that saves a server elsewhere, with all connection settings. */
export function bodyOf(server: ProjectServer, stored: StoredReach, name: string): ServerBody {
  const { enabled, url, useOAuth, oauthScopes } = server
  const { args, client, ...reach } = stored
  const parts = { ...reach, ...idOf(client), args: args && [...args], url, useOAuth, oauthScopes }
  const given = Object.entries(parts).filter(([, value]) => value != null && value !== false)
  const transportType = server.transportType === 'stdio' ? 'stdio' : 'http'
  return { ...(Object.fromEntries(given) as Partial<ServerBody>), name, enabled, transportType }
}

function idOf({ clientId, clientSecret }: SignInClient = {}) {
  return { clientId, clientSecret }
}
