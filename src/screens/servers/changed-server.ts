import type { ProjectServer, ProjectServerUpdateRequest } from '../../api/contract/servers.ts'
import type * as z from 'zod'
import { headersOf, NO_TOKEN, reachOf, type Reach } from './new-server.ts'

export type ServerChanges = z.infer<ReturnType<typeof ProjectServerUpdateRequest>>

/** What was typed about a saved server. */
export type ServerTyped = {
  name: string
  /** As in {@link reachOf}; the same address, or nothing for a program, stays as it is. */
  where: string
  token: string
  /** Headers and client secret, or the environment of a program, are taken out unless given anew. */
  forget: boolean
}

/** The kinds as the write side knows them; the read side may have other words for HTTP. */
export function isProgram({ transportType }: { transportType: string }): boolean {
  return transportType === 'stdio'
}

/**
 * What of a saved server is to change, as it is sent. What is not in it stays as it is, also what the service keeps to
 * itself. A text says why it cannot be.
 */
export function changesOf(server: ProjectServer, typed: ServerTyped): ServerChanges | string {
  const name = typed.name.trim()
  const reach = newReach(server, typed.where.trim(), typed.token.trim())
  if (typeof reach === 'string') return reach
  const stays = reach.transportType === undefined
  return { ...(name !== server.name && { name }), ...(stays && typed.forget && nothingStored(server)), ...reach }
}

/** Only what differs: a transport is named where it becomes another one. */
function newReach(server: ProjectServer, where: string, token: string): Partial<Reach> | string {
  if (where === (server.url ?? '')) return isProgram(server) && token !== '' ? NO_TOKEN : headersOf(token)
  const reach = reachOf(where, token)
  if (typeof reach === 'string' || isProgram(reach) !== isProgram(server)) return reach
  const { transportType: _transportType, ...rest } = reach
  return rest
}

function nothingStored(server: ProjectServer): ServerChanges {
  if (isProgram(server)) return { env: {} }
  return { headers: {}, ...(server.hasClientSecret && { clearClientSecret: true }) }
}
