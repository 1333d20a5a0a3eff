import type { ProjectServer } from '../../api/contract/servers.ts'

export const savedServerKey = (server: ProjectServer): string => server.id

/** What of a saved server is worth being told of when it changes: its settings, as far as the service tells them. */
export function serverSays(server: ProjectServer): string {
  const { name, enabled, transportType, url, useOAuth, updatedAt } = server
  return [name, enabled, transportType, url, useOAuth, updatedAt].join('\n')
}
