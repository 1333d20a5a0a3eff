import { useSyncExternalStore } from 'react'
import type { Client } from '../api/client/client.ts'
import { type Connections, createConnections, type KnownConnection } from '../domain/connections/connections.ts'
import { useWorkspace } from './workspace.tsx'

const ofSession = new WeakMap<Client, Connections>()

/** The connection requests that are known here, beyond this session where the workspace has a place for them. */
export function useConnections(): { connections: Connections; known: readonly KnownConnection[] } {
  const { client, connections: stored } = useWorkspace()
  const connections = stored ?? ofSession.get(client) ?? createConnections()
  if (!stored) ofSession.set(client, connections)
  return { connections, known: useSyncExternalStore(connections.subscribe, connections.list) }
}
