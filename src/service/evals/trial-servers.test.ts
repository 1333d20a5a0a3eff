import { expect, test } from 'vitest'
import type { Connections } from '../connections/engine.ts'
import type { ServerTarget, TrialSession } from '../connections/types.ts'
import { ServiceError } from '../core/errors.ts'
import { createTrialServers } from './trial-servers.ts'

const target = (name: string): ServerTarget => ({
  id: name,
  name,
  enabled: true,
  useOAuth: false,
  transport: { type: 'stdio', command: name, args: [], env: {} },
})

/** Creates connections that count how many calls of each server run at the same time. */
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
  ['of one trial', false],
  ['of two trials', true],
])('if a server breaks during two calls %s, each counts as beside another trial: %s', async (whose, besideOthers) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const broke = new ServiceError('SERVER_UNREACHABLE', 'The server exited.')
  const session = { callTool: () => promise.then(() => Promise.reject(broke)) } as unknown as TrialSession
  const use: Connections['use'] = async (_target, _signal, work) => await work(session)
  const servers = createTrialServers([target('one')], { connections: { use }, serialServers: false })
  const [first, second] = [new AbortController().signal, new AbortController().signal]
  const signals = whose === 'of one trial' ? [first, first] : [first, second]
  const calls = signals.map(signal => servers.callTool('one', 'x', {}, signal).catch((error: unknown) => error))
  resolve()
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ class: 'execution_failed', besideOthers })
})

test.each([
  [false, 3],
  [true, 1],
])('with serial servers set to %s at most %i calls of one server run at a time', async (serialServers, wanted) => {
  const connections = counting()
  const servers = createTrialServers([target('one'), target('broken')], { connections, serialServers })
  const { signal } = new AbortController()
  const call = (name: string) => servers.callTool(name, 'x', {}, signal).catch(() => 'failed')
  const outcomes = await Promise.all(['one', 'broken', 'one', 'broken', 'one', 'broken'].map(call))
  expect(outcomes.filter(outcome => outcome === 'failed')).toHaveLength(3)
  expect([...connections.most.values()]).toEqual([wanted, wanted])
})
