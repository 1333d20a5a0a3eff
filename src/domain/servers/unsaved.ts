import type { Client } from '../../api/client/client.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { ProjectServer, ServerBody } from '../../api/contract/servers.ts'
import type { SignInClient } from './sign-in.ts'
import type { StoredReach } from './stored-reach.ts'

/** For a temporary workspace: what is to be kept is saved in the local workspace. */
export type UnsavedServers = {
  /** Runs work with the local workspace, which is open meanwhile. */
  atHome: <T>(work: (home: Client, handOver: HandOver) => Promise<T>) => Promise<T>
  /** Suites as saved there, as JSON by their id here. */
  savedSuites: Map<string, string>
  /** The working directory given for the server. */
  directory: string | undefined
}

/** Passes calls, roots and sign-in to a saved server of the local workspace; none of it leaves this process. */
export type HandOver = (serverId: string, homeServerId: string) => Promise<{ calls: number; signedIn: boolean }>

/** What was saved along with a server, and what was left behind, as sentences. */
export type TakenAlong = { suites: number; calls: number; signedIn: boolean; left: readonly string[] }

/**
 * Saves a server in a project of the local workspace, with what was made and done on it here.
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

/** The request body that saves a server elsewhere, with everything needed to reach it. */
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
