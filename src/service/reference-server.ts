import { createRequire } from 'node:module'
import type { ServerSecrets } from './store/servers.ts'

/** How the MCP reference server "everything" is started over stdio from where it is installed now. */
export function referenceServerCommand(): Required<Pick<ServerSecrets, 'command' | 'args'>> {
  try {
    const program = createRequire(import.meta.url).resolve(
      '@modelcontextprotocol/server-everything/dist/index.js',
    )
    return { command: process.execPath, args: [program, 'stdio'] }
  } catch {
    // An incomplete installation must not close the workspace; the doctor tells that the program is missing.
    return { command: 'mcp-server-everything', args: ['stdio'] }
  }
}
