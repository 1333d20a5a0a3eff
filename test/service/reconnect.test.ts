import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { saveServer } from '../edited-server.ts'
import { open, temporaryDirectory } from './harness.ts'

test('a server that is connected again runs its current program, and lists what it offers now', async () => {
  const { api } = await open({ log: () => {} })
  const projectId = (await api.call(contract.projects.list)).items[0]!.id
  const file = join(temporaryDirectory(), 'server.mjs')
  saveServer(file)
  const body = { name: 'edited', enabled: true, transportType: 'stdio', command: process.execPath, args: [file] }
  const { id: serverId } = await api.call(contract.servers.create, { projectId, body })
  const argumentsOf = (tools: readonly { inputSchema?: Record<string, unknown> | null | undefined }[]) =>
    tools.map(({ inputSchema }) => inputSchema?.['required'])
  const before = await api.call(contract.servers.tools, { projectId, serverId, body: {} })
  saveServer(file, { required: ['city'] })
  const kept = await api.call(contract.servers.tools, { projectId, serverId, body: {} })
  expect(argumentsOf(kept.items)).toEqual(argumentsOf(before.items))
  const again = await api.call(contract.servers.reconnect, { projectId, serverId, body: {} })
  expect(argumentsOf(again.tools)).toEqual([['city']])
  saveServer(file, { fails: 'SyntaxError: an odd bracket' })
  const refused = await api.refused(contract.servers.reconnect, { projectId, serverId, body: {} })
  expect(refused).toMatchObject({ code: 'SERVER_UNREACHABLE', message: expect.stringContaining('an odd bracket') })
})
