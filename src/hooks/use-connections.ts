import { onceFor } from '../lib/once-for.ts'
import { useSyncExternalStore } from 'react'
import type { Client } from '../api/client/client.ts'
import { type Connections, createConnections, type KnownConnection } from '../domain/connections/connections.ts'
import { useWorkspace } from './workspace.tsx'

const ofSession = onceFor((_client: Client) => createConnections())

/** The connection requests that are known here, beyond this session where the workspace has a place for them. */
export function useConnections(): { connections: Connections; known: readonly KnownConnection[] } {
  const { client, connections: stored } = useWorkspace()
  const connections = stored ?? ofSession(client)
  return { connections, known: useSyncExternalStore(connections.subscribe, connections.list) }
}
