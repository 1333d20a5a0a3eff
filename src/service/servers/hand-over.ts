import { newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'

type StoredServer = { store: Store; serverId: string }

/** What went along, for people to read about. */
export type HandedOver = { calls: number; signedIn: boolean }

/**
 * Copies the calls on a server that have ended, its roots and its sign-in to a server of another workspace, which seals
 * them with its own key. The refresh token moves: most authorization servers take one once.
 */
export function handOverServer(from: StoredServer, to: StoredServer): HandedOver {
  const server = from.store.servers.find(from.serverId)
  const calls = from.store.calls.ended(from.serverId)
  to.store.write(() => {
    for (const { position: _position, ...call } of calls)
      to.store.calls.insert({ ...call, id: newId('req'), serverId: to.serverId })
    if (server?.roots) to.store.servers.setRoots(to.serverId, server.roots)
    if (server?.tokens) to.store.servers.setTokens(to.serverId, server.tokens)
  })
  if (server?.tokens?.refreshToken !== undefined) {
    const { refreshToken: _moved, ...tokens } = server.tokens
    from.store.write(() => from.store.servers.setTokens(from.serverId, tokens))
  }
  return { calls: calls.length, signedIn: server?.tokens !== undefined }
}
