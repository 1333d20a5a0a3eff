import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { running, stillRunning as alive, type Process } from '../../../test/journeys/processes.ts'
import { everything, small } from '../../../test/servers/targets.ts'
import { createConnections } from './engine.ts'
import { createGuardian, MARK_VARIABLE } from './guardian.ts'
import { PATIENCE } from '../../../test/patience.ts'
const childrenOf = (parent: number) => running().filter(each => each.parent === parent)
const pidsIn = (text: unknown) => Object.values(JSON.parse(String(text)) as Record<string, number>)

describe.skipIf(process.platform === 'win32')('no program is left behind', () => {
  // Programs that left their session can be found only on Linux.
  const behaviours = process.platform === 'linux' ? ['stubborn', 'escapes'] : ['stubborn']

  test.each(behaviours)('after the engine closed, even if the program ignores signals (%s)', async behaviour => {
    const connections = createConnections()
    const { content } = await connections.callTool(small(behaviour), { toolName: 'pid' })
    const pids = pidsIn(content[0]?.['text'])
    expect(alive(pids)).toHaveLength(2)
    await connections.close()
    // A killed process takes a moment to end.
    await vi.waitFor(() => expect(alive(pids)).toEqual([]), { ...PATIENCE, interval: 10 })
    await vi.waitFor(() => expect(childrenOf(process.pid).filter(isGuardian)).toEqual([]), PATIENCE)
  })

  test('after a connection was given up while the program was starting', async () => {
    const connections = createConnections({ deadlineMs: 200 })
    const before = childrenOf(process.pid).length
    await expect(connections.listTools(small('silent'))).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(connections.validate(everything(), AbortSignal.timeout(30))).rejects.toThrow('aborted')
    await connections.close()
    await vi.waitFor(() => expect(childrenOf(process.pid).length).toBeLessThanOrEqual(before), PATIENCE)
  })

  test.each(behaviours)('after the process that held the connections was killed with -9 (%s)', async behaviour => {
    const host = spawn(process.execPath, [
      fileURLToPath(new URL('../../../test/servers/engine-host.ts', import.meta.url)),
      behaviour,
    ])
    const [line] = (await once(host.stdout, 'data')) as [Buffer]
    const children = childrenOf(Number(host.pid)).map(({ pid }) => pid)
    const pids = [...new Set([...children, ...pidsIn(line)])]
    expect(childrenOf(Number(host.pid)).filter(isGuardian)).toHaveLength(1)
    expect(alive(pids)).toHaveLength(4)
    host.kill('SIGKILL')
    await vi.waitFor(() => expect(alive(pids)).toEqual([]), { ...PATIENCE, interval: 100 })
  })
})

const isGuardian = ({ command }: Process) => command.startsWith('/bin/sh -c trap')

// mcpdeck may be killed before it adds a group to the guardian. Only on Linux can the environments of processes be
// read.
test.skipIf(process.platform !== 'linux')('no program of a server is left running', async () => {
  const guardian = createGuardian()
  const env = { ...process.env, [MARK_VARIABLE]: guardian.mark() }
  const program = spawn('sleep', ['600'], { env, detached: true, stdio: 'ignore' })
  await once(program, 'spawn')
  guardian.close()
  expect(await once(program, 'exit')).toEqual([null, 'SIGTERM'])
})
