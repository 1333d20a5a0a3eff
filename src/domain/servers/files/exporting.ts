import type { ProjectServer } from '../../../api/contract/servers.ts'
import { slugsOf } from '../../documents/export.ts'
import { variable } from '../../documents/secrets.ts'
import type { ExportFormat } from './export-formats.ts'

/** What the service does not return is a reference in the text; `left` says what of each server, in sentences. */
export type WrittenServers = { value: object; left: readonly string[] }

/** Saved servers as a file of other programs. */
export function writeServers(servers: readonly ProjectServer[], format: ExportFormat): WrittenServers {
  const slugs = slugsOf(servers.map(({ name }) => name))
  const inputs: object[] = []
  const left: string[] = []
  const entries = servers.map(({ name, transportType, url, useOAuth }) => {
    const slug = slugs.get(name) ?? name
    const reference = (field: string): string => {
      if (format === 'mcp') return variable(/^\d/.test(slug) ? `server_${slug}` : slug, field)
      const id = `${slug}-${field}`
      inputs.push({ type: 'promptString', id, description: `${field} of ${name}`, password: true })
      return `\${input:${id}}`
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
    const hidden = isOpen ? '' : `its address, which may hold a secret, is ${address}; `
    const grant = useOAuth ? ' It signs in with OAuth.' : ''
    left.push(`${name}: ${hidden}headers are not returned, add those that it has.${grant}`)
    return [name, { type: 'http', url: address }]
  })
  const own = Object.fromEntries(entries) as object
  return {
    value: format === 'mcp' ? { mcpServers: own } : { servers: own, ...(inputs.length > 0 && { inputs }) },
    left,
  }
}
