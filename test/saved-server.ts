import { join } from 'node:path'
import type { Client } from '../src/api/client/client.ts'

/** Saves a program of `test/servers` in the first project, as the server of its name; returns both ids. */
export async function saveServer(client: Client, name: string): Promise<{ projectId: string; serverId: string }> {
  const projectId = (await client.projects.list()).items[0]!.id
  const args = [join(import.meta.dirname, 'servers', `${name}-server.mjs`)]
  const body = { name, enabled: true, transportType: 'stdio' as const, command: process.execPath, args }
  return { projectId, serverId: (await client.servers.create({ projectId, body })).id }
}
