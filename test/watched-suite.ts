import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { EditedServer } from './edited-server.ts'
import { saveServer } from './edited-server.ts'
import { inWorkspace } from './prepared-workspace.ts'

/** The expected answer of a step of a case. */
const expects = (needle: string) => ({
  title: `says ${needle}`,
  runs: 1,
  model: 'none',
  provider: 'none',
  steps: [
    { id: 'call', kind: 'toolCall' as const, serverName: 'edited', toolName: 'weather', arguments: {} },
    { id: 'text', kind: 'assert' as const, assertion: { type: 'responseContains', needle } },
  ],
})

/**
 * A home whose local workspace has a suite of two cases, `is sunny` and `is warm`, on a server whose only file is
 * edited.
 */
export async function prepareWatchedSuite(home: string, first: EditedServer = { answer: 'sunny and warm' }) {
  const folder = join(home, 'project')
  mkdirSync(join(folder, 'src'), { recursive: true })
  const file = join(folder, 'src/server.mjs')
  saveServer(file, first)
  await inWorkspace(home, async ({ client, projectId }) => {
    const command = { transportType: 'stdio' as const, command: process.execPath, args: [file] }
    const { id } = await client.servers.create({ projectId, body: { name: 'edited', enabled: true, ...command } })
    await client.suites.create({
      projectId,
      body: { name: 'weather', model: 'none', serverIds: [id], tests: [expects('sunny'), expects('warm')] },
    })
  })
  return { folder, save: (state: EditedServer) => saveServer(file, state) }
}
