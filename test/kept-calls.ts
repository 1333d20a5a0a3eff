import type { CallRow } from '../src/service/calls/rows.ts'
import { createCallHistory } from '../src/service/calls/history.ts'
import { takeLease } from '../src/service/core/lease.ts'
import type { Store } from '../src/service/core/database/store.ts'
import { times } from './kept-things.ts'

let number = 0

/** A call that has ended, as it is stored. */
export function storedCall(serverId: string, result: string): CallRow {
  number += 1
  const call = { id: `req_${number}`, serverId, kind: 'tool', target: 'echo', startedAt: number } as const
  return { ...call, status: 'answered', result, resultBytes: result.length, lease: takeLease() }
}

/** How much of so much is kept of calls by hand on this server. */
export function callProbes(store: () => Store, serverId: () => string) {
  const history = () => createCallHistory({ store: store(), now: Date.now, onError: () => undefined })
  const kept = (): CallRow[] => store().calls.page(serverId(), undefined, 1000)
  const one = async (input: Record<string, unknown>, result: unknown): Promise<CallRow> => {
    const id = `req_${(number += 1)}`
    const place = { id, serverId: serverId(), secrets: [], signal: new AbortController().signal }
    await history().record({ kind: 'tool', target: 'echo', input, ...place }, () => Promise.resolve(result))
    return kept().find(row => row.id === id)!
  }
  const fresh = (): void => void store().calls.clear(serverId(), () => false)
  return {
    serverCalls(size: number) {
      fresh()
      times(size, () => store().calls.insert(storedCall(serverId(), '{}')))
      return kept().length
    },
    serverCallBytes(size: number) {
      fresh()
      for (const length of [1, size - 1]) store().calls.insert(storedCall(serverId(), 'r'.repeat(length)))
      return kept().reduce((sum, { result = '' }) => sum + result.length, 0)
    },
    async callResult(size: number) {
      const { result, resultBytes } = await one({}, 'r'.repeat(size - 2))
      return result === undefined ? ('left out' as const) : resultBytes!
    },
    async callInput(size: number) {
      const { input } = await one({ a: 'i'.repeat(size - '{"a":""}'.length) }, {})
      return input === undefined ? ('left out' as const) : JSON.stringify(input).length
    },
  }
}
