import { onceFor } from '../lib/once-for.ts'
import { useSyncExternalStore } from 'react'
import type { Client } from '../api/client/client.ts'
import { type Connections, createConnections, type KnownConnection } from '../domain/connections/connections.ts'
import { useWorkspace } from './workspace.tsx'

const ofSession = onceFor((_client: Client) => createConnections())

/** Returns the known connection requests, including those of other sessions if the workspace stores them. */
export function useConnections(): { connections: Connections; known: readonly KnownConnection[] } {
  const { client, connections: stored } = useWorkspace()
  const connections = stored ?? ofSession(client)
  return { connections, known: useSyncExternalStore(connections.subscribe, connections.list) }
}
