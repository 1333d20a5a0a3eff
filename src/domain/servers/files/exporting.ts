import type { ProjectServer } from '../../../api/contract/servers.ts'
import { slugsOf } from '../../documents/export.ts'
import { variable } from '../../documents/secrets.ts'
import { referredReach } from '../../documents/reach.ts'
import type { StoredReach } from '../stored-reach.ts'
import type { ExportFormat } from './export-formats.ts'

/**
 * Written servers. Values that the service does not return, and secrets, are written as references, which `left` lists
 * for each server as sentences.
 */
export type WrittenServers = { value: object; left: readonly string[] }

/**
 * Writes saved servers as a file of other programs.
 * @param reachOf returns how to connect to a server, if this machine knows
 */
export function writeServers(
  servers: readonly ProjectServer[],
  format: ExportFormat,
  reachOf: (id: string) => StoredReach | undefined = () => undefined,
): WrittenServers {
  const slugs = slugsOf(servers.map(({ name }) => name))
  const inputs: object[] = []
  const left: string[] = []
  const entries = servers.map(server => {
    const { id: serverId, name } = server
    const slug = slugs.get(name) ?? name
    const reference = (field: string): string => {
      if (format === 'mcp') return variable(/^\d/.test(slug) ? `server_${slug}` : slug, field)
      const id = `${slug}-${field}`
      inputs.push({ type: 'promptString', id, description: `${field} of ${name}`, password: true })
      return `\${input:${id}}`
    }
    const write = server.transportType === 'stdio' ? writeProgram : writeAddress
    const { value, notes } = write(server, reachOf(serverId), reference)
    if (notes.length > 0) left.push(`${name}: ${notes.join('; ')}.`)
    return [name, server.transportType === 'stdio' && format === 'vscode' ? { type: 'stdio', ...value } : value]
  })
  const own = Object.fromEntries(entries) as object
  return {
    value: format === 'mcp' ? { mcpServers: own } : { servers: own, ...(inputs.length > 0 && { inputs }) },
    left,
  }
}

/** Writes one server, with remarks. The reference replaces a field that is not written. */
type Write = (
  server: ProjectServer,
  reach: StoredReach | undefined,
  reference: (field: string) => string,
) => { value: object; notes: readonly string[] }

const writeProgram: Write = (_server, reach, reference) => {
  if (reach?.command === undefined) {
    const command = reference('command')
    const rest = 'arguments and environment are not returned, add those that it has'
    return { value: { command }, notes: [`its command is ${command}`, rest] }
  }
  const { hasReferences, ...value } = referredReach({ ...reach, headers: undefined }, reference)
  return { value, notes: hasReferences ? ['its secrets and the values of its environment are references'] : [] }
}

const writeAddress: Write = ({ url, useOAuth }, reach, reference) => {
  const isOpen = url !== null && url !== undefined && !/[?@]/.test(url)
  const address = isOpen ? url : reference('url')
  const { headers } = referredReach({ headers: reach?.headers }, reference)
  const notes = [
    ...(isOpen ? [] : [`its address, which may hold a secret, is ${address}`]),
    ...(reach ? [] : ['headers are not returned, add those that it has']),
    ...(headers ? ['the values of its headers are references'] : []),
    ...(useOAuth ? ['it signs in with OAuth'] : []),
  ]
  return {
    value: { type: isOpen && isEventStream(url) ? 'sse' : 'http', url: address, ...(headers && { headers }) },
    notes,
  }
}

/**
 * Whether an address uses the older transport, HTTP with SSE, which other programs must be told. A record says `http`
 * for both; the protocol's own examples use this path for the older one.
 */
const isEventStream = (url: string): boolean => /\/sse\/?$/.test(url)
