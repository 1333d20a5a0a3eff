import type { ProjectServer } from '../../../api/contract/servers.ts'
import { slugsOf } from '../../documents/export.ts'
import { variable } from '../../documents/secrets.ts'
import type { Pairs } from '../pairs.ts'
import { DOTS, shownWords, type StoredReach } from '../stored-reach.ts'
import type { ExportFormat } from './export-formats.ts'

/** What nobody returns, or is a secret, is a reference in the text; `left` says what of each server, in sentences. */
export type WrittenServers = { value: object; left: readonly string[] }

/**
 * Saved servers as a file of other programs.
 * @param reachOf how one is reached, where this machine knows it
 */
export function writeServers(
  servers: readonly ProjectServer[],
  format: ExportFormat,
  reachOf: (id: string) => StoredReach | undefined = () => undefined,
): WrittenServers {
  const slugs = slugsOf(servers.map(({ name }) => name))
  const inputs: object[] = []
  const left: string[] = []
  const entries = servers.map(({ id: serverId, name, transportType, url, useOAuth }) => {
    const slug = slugs.get(name) ?? name
    const reference = (field: string): string => {
      if (format === 'mcp') return variable(/^\d/.test(slug) ? `server_${slug}` : slug, field)
      const id = `${slug}-${field}`
      inputs.push({ type: 'promptString', id, description: `${field} of ${name}`, password: true })
      return `\${input:${id}}`
    }
    const reach = reachOf(serverId)
    const referred = (pairs: Pairs): Pairs =>
      Object.fromEntries(Object.keys(pairs).map(field => [field, reference(field)]))
    const known = (field: 'env' | 'headers'): object => {
      const pairs = reach?.[field] ?? {}
      return Object.keys(pairs).length > 0 ? { [field]: referred(pairs) } : {}
    }
    if (transportType === 'stdio' && reach?.command !== undefined) {
      const words = shownWords([reach.command, ...(reach.args ?? [])])
      const [command, ...args] = words.map((word, at) => (word.includes(DOTS) ? reference(`argument_${at}`) : word))
      const isWhole = !words.some(word => word.includes(DOTS)) && Object.keys(reach.env ?? {}).length === 0
      if (!isWhole) left.push(`${name}: its secrets and the values of its environment are references.`)
      return [name, { ...(format === 'vscode' && { type: 'stdio' }), command, args, ...known('env') }]
    }
    if (transportType === 'stdio') {
      const command = reference('command')
      left.push(
        `${name}: its command is ${command}; arguments and environment are not returned, add those that it has.`,
      )
      return [name, { ...(format === 'vscode' && { type: 'stdio' }), command }]
    }
    const isOpen = url !== null && url !== undefined && !/[?@]/.test(url)
    const address = isOpen ? url : reference('url')
    const notes = [
      ...(isOpen ? [] : [`its address, which may hold a secret, is ${address}`]),
      ...(reach ? [] : ['headers are not returned, add those that it has']),
      ...(Object.keys(reach?.headers ?? {}).length > 0 ? ['the values of its headers are references'] : []),
      ...(useOAuth ? ['it signs in with OAuth'] : []),
    ]
    if (notes.length > 0) left.push(`${name}: ${notes.join('; ')}.`)
    return [name, { type: 'http', url: address, ...known('headers') }]
  })
  const own = Object.fromEntries(entries) as object
  return {
    value: format === 'mcp' ? { mcpServers: own } : { servers: own, ...(inputs.length > 0 && { inputs }) },
    left,
  }
}
