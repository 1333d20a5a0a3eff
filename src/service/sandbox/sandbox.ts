import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { upsertCases } from '../cases/inline.ts'
import type { ProjectRow } from '../core/access/rows.ts'
import type { Store } from '../core/database/store.ts'
import { newId } from '../core/ids.ts'
import { insertServer } from '../servers/records.ts'
import type { ServerRow, ServerSecrets } from '../servers/rows.ts'
import { insertSuite } from '../suites/records.ts'
import { sandboxTests } from './tests.ts'

const REFERENCE_SERVER = 'everything'

/** A project to try things in; runs inside the caller's transaction. */
export function seedSandbox(store: Store, keyId: string): void {
  const organizationId = store.settings.get('localOrganizationId') ?? ''
  const now = Date.now()
  const project: ProjectRow = {
    id: newId('prj'),
    organizationId,
    name: 'Sandbox',
    description: 'A place to try things: the MCP reference server and a suite of cases on it.',
    icon: null,
    visibility: 'private',
    createdAt: now,
    updatedAt: now,
  }
  store.projects.insert(project)
  const { command, args } = referenceServerCommand()
  const server = insertServer(store, project.id, {
    name: REFERENCE_SERVER,
    enabled: true,
    transportType: 'stdio',
    command,
    args,
  })
  store.settings.set('referenceServerId', server.id)
  const { suite } = insertSuite(store, project.id, keyId, {
    name: 'Reference server smoke',
    description: 'Ten cases on the MCP reference server. One of them fails by design.',
    serverIds: [server.id],
  })
  upsertCases(store, suite, sandboxTests(REFERENCE_SERVER))
}

/** Puts the record of the reference server right when its program has moved. */
export function followReferenceServer(store: Store): void {
  const server = movedReferenceServer(store)
  if (server) store.servers.update({ ...server, secrets: { ...server.secrets, ...referenceServerCommand() } })
}

/** An update of mcpdeck or Node moves the program that the record names; a path that still exists is left alone. */
export function movedReferenceServer(store: Store): ServerRow | undefined {
  const id = store.settings.get('referenceServerId')
  const server = id === undefined ? undefined : store.servers.find(id)
  const { command, args = [] } = server?.secrets ?? {}
  if (!server || server.transportType !== 'stdio' || command === undefined) return undefined
  return existsSync(command) && args[0] !== undefined && existsSync(args[0]) ? undefined : server
}

/** How the MCP reference server "everything" is started over stdio from where it is installed now. */
export function referenceServerCommand(): Required<Pick<ServerSecrets, 'command' | 'args'>> {
  try {
    const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
    return { command: process.execPath, args: [program, 'stdio'] }
  } catch {
    // An incomplete installation must not close the workspace; the doctor tells that the program is missing.
    return { command: 'mcp-server-everything', args: ['stdio'] }
  }
}
