/** Servers that reported a change, if the service runs in this process. */
export type ServerNews = { note(serverId: string): void; subscribe(serverId: string, listener: () => void): () => void }

export function createServerNews(): ServerNews {
  const listeners = new Map<string, Set<() => void>>()
  return {
    note: serverId => listeners.get(serverId)?.forEach(listener => listener()),
    subscribe(serverId, listener) {
      const ofServer = listeners.get(serverId) ?? new Set()
      listeners.set(serverId, ofServer.add(listener))
      return () => {
        ofServer.delete(listener)
        if (ofServer.size === 0 && listeners.get(serverId) === ofServer) listeners.delete(serverId)
      }
    },
  }
}
