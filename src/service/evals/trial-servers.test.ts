import { expect, test } from 'vitest'
import type { Connections } from '../connections/engine.ts'
import type { ServerTarget } from '../connections/types.ts'
import { createTrialServers } from './trial-servers.ts'

const target = (name: string): ServerTarget => ({
  id: name,
  name,
  enabled: true,
  useOAuth: false,
  transport: { type: 'stdio', command: name, args: [], env: {} },
})

/** Connections that only count how many calls are open at once, per server. */
function counting() {
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  const use: Connections['use'] = async ({ name }) => {
    open.set(name, (open.get(name) ?? 0) + 1)
    most.set(name, Math.max(most.get(name) ?? 0, open.get(name) ?? 0))
    await new Promise(resolve => setImmediate(resolve))
    open.set(name, (open.get(name) ?? 0) - 1)
    if (name === 'broken') throw new Error('broken')
    return { result: {}, durationMs: 0 } as never
  }
  return { use, most }
}

test.each([
  [false, 3],
  [true, 1],
])('with serial servers %s at most %i calls of one server are open', async (serialServers, wanted) => {
  const connections = counting()
  const servers = createTrialServers([target('one'), target('broken')], { connections, serialServers })
  const { signal } = new AbortController()
  const call = (name: string) => servers.callTool(name, 'x', {}, signal).catch(() => 'failed')
  const outcomes = await Promise.all(['one', 'broken', 'one', 'broken', 'one', 'broken'].map(call))
  expect(outcomes.filter(outcome => outcome === 'failed')).toHaveLength(3)
  expect([...connections.most.values()]).toEqual([wanted, wanted])
})
