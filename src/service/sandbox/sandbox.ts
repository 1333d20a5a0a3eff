import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { upsertCases, type InlineCase } from '../cases/records.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Store } from '../core/database/store.ts'
import { newId } from '../core/ids.ts'
import { insertServer } from '../servers/records.ts'
import type { ServerRow, ServerSecrets } from '../servers/rows.ts'
import { insertSuite } from '../suites/records.ts'

const REFERENCE_SERVER = 'everything'

/** Inserts the first, empty project of a workspace, inside the caller's transaction. */
export function insertProject(
  store: Store,
  { name, description }: Pick<ProjectRow, 'name' | 'description'>,
): ProjectRow {
  const organizationId = store.settings.get('localOrganizationId') ?? ''
  const now = Date.now()
  const own = { id: newId('prj'), organizationId, name, description, createdAt: now, updatedAt: now }
  const project: ProjectRow = { ...own, icon: null, visibility: 'private' }
  store.projects.insert(project)
  return project
}

/** Inserts the project for trying things out, inside the caller's transaction. */
export function seedSandbox(store: Store, keyId: string): void {
  const description = 'A place to try things: the MCP reference server and a suite of cases on it.'
  const project = insertProject(store, { name: 'Sandbox', description })
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

/** Updates the record of the reference server if its program has moved. */
export function followReferenceServer(store: Store): void {
  const server = movedReferenceServer(store)
  if (server) store.servers.update({ ...server, secrets: { ...server.secrets, ...referenceServerCommand() } })
}

/**
 * Returns the reference server if its program or Node is not at the stored path any more, for example after an update.
 */
export function movedReferenceServer(store: Store): ServerRow | undefined {
  const id = store.settings.get('referenceServerId')
  const server = id === undefined ? undefined : store.servers.find(id)
  const { command, args = [] } = server?.secrets ?? {}
  if (!server || server.transportType !== 'stdio' || command === undefined) return undefined
  return existsSync(command) && args[0] !== undefined && existsSync(args[0]) ? undefined : server
}

export function referenceServerCommand(): Required<Pick<ServerSecrets, 'command' | 'args'>> {
  try {
    const program = createRequire(import.meta.url).resolve('#server-everything')
    return { command: process.execPath, args: [program, 'stdio'] }
  } catch {
    // An incomplete installation must not prevent the workspace from opening. The doctor reports the missing program.
    return { command: 'mcp-server-everything', args: ['stdio'] }
  }
}

type Step = InlineCase['steps'][number]

/** Returns the ten cases of the sandbox: real calls of the reference server, of which exactly one fails on purpose. */
export function sandboxTests(serverName: string): InlineCase[] {
  const call = (id: string, toolName: string, args: Record<string, unknown> = {}): Step => ({
    id,
    kind: 'toolCall',
    serverName,
    toolName,
    arguments: args,
  })
  const expect = (id: string, type: string, fields: Record<string, unknown> = {}): Step => ({
    id,
    kind: 'assert',
    assertion: { type, ...fields },
  })
  return [
    {
      title: 'Echo gives the message back',
      runs: 3,
      steps: [
        call('echo', 'echo', { message: 'hello from mcpdeck' }),
        expect('text', 'responseContains', { needle: 'hello from mcpdeck', caseSensitive: true }),
        expect('no-errors', 'noToolErrors'),
      ],
    },
    {
      title: 'Sum of two numbers',
      runs: 2,
      steps: [
        call('sum', 'get-sum', { a: 19, b: 23 }),
        expect('called', 'toolCalledWith', { toolName: 'get-sum', args: { args: { a: 19, b: 23 } } }),
        expect('text', 'responseContains', { needle: '42' }),
      ],
    },
    {
      title: 'Sum is wrong on purpose (this case fails by design)',
      steps: [
        call('sum', 'get-sum', { a: 2, b: 2 }),
        expect('text', 'responseContains', { needle: 'The sum of 2 and 2 is 5.' }),
      ],
    },
    {
      title: 'Weather comes as structured content',
      runs: 2,
      steps: [
        call('weather', 'get-structured-content', { location: 'Chicago' }),
        expect('shape', 'responseMatches', { pattern: '"temperature":\\s*-?\\d+' }),
        expect('no-errors', 'noToolErrors'),
      ],
    },
    {
      title: 'Tiny image with its caption',
      steps: [call('image', 'get-tiny-image'), expect('caption', 'responseContains', { needle: 'MCP logo' })],
    },
    {
      title: 'Long operation runs to its end',
      steps: [
        call('long', 'trigger-long-running-operation', { duration: 2, steps: 4 }),
        expect('text', 'responseContains', { needle: 'Long running operation completed' }),
      ],
    },
    {
      title: 'Annotated message keeps its text',
      steps: [
        call('message', 'get-annotated-message', { messageType: 'success', includeImage: false }),
        expect('text', 'responseContains', { needle: 'completed successfully' }),
        expect('never', 'toolNeverCalled', { toolName: 'get-env' }),
      ],
    },
    {
      title: 'Nothing is called (negative case)',
      isNegativeTest: true,
      steps: [expect('never', 'toolNeverCalled', { toolName: 'get-env' })],
    },
    {
      title: 'Unusable arguments are answered as a tool error',
      steps: [
        call('wrong', 'get-sum', { a: 'two', b: 2 }),
        expect('text', 'responseMatches', { pattern: '(?:[Ii]nvalid|validation)' }),
      ],
    },
    {
      title: 'Calls keep their order',
      runs: 2,
      steps: [
        call('first', 'echo', { message: 'one' }),
        call('second', 'get-sum', { a: 1, b: 1 }),
        expect('order', 'firstToolWas', { toolName: 'echo' }),
        expect('text', 'finalAssistantMessageNonEmpty'),
      ],
    },
  ]
}
