import * as z from 'zod'
import { type CallRow, createCallHistory } from '../src/service/calls/calls.ts'
import { readable } from '../src/service/agent/turn.ts'
import { takeLease } from '../src/service/core/lease.ts'
import { askForObject } from '../src/service/models/ask.ts'
import { openScriptedModel } from './service/scripted-model.ts'
import type { TestService } from './harness.tsx'
import { trafficProbes } from './kept-traffic.ts'
let number = 0

/** A call that has ended, as stored. */
export function storedCall(serverId: string, result: string): CallRow {
  number += 1
  const call = { id: `req_${number}`, serverId, kind: 'tool', target: 'echo', startedAt: number } as const
  return { ...call, status: 'answered', result, resultBytes: result.length, lease: takeLease() }
}

const refusedAs = (words: RegExp) => (error: unknown) => words.test(String(error))

/** Returns how much of the given amount is kept under Traffic, Console and Calls. */
export function recordedProbes(open: () => TestService) {
  const serverOf = async ({ client }: TestService): Promise<string> => {
    const projectId = (await client.projects.list()).items[0]!.id
    return (await client.servers.list({ projectId })).items[0]!.id
  }
  const one = async (input: Record<string, unknown>, result: unknown): Promise<CallRow> => {
    const { store } = open().service
    const id = `req_${(number += 1)}`
    const serverId = await serverOf(open())
    const history = createCallHistory({ store, now: Date.now, onError: () => undefined })
    const place = { id, serverId, secrets: [], signal: new AbortController().signal }
    await history.record({ kind: 'tool', target: 'echo', input, ...place }, () => Promise.resolve(result))
    return store.calls.get(serverId, id)!
  }
  const kept = async (sizes: readonly number[]): Promise<readonly CallRow[]> => {
    const { calls } = open().service.store
    const serverId = await serverOf(open())
    calls.clear(serverId, () => false)
    for (const size of sizes) calls.insert(storedCall(serverId, 'r'.repeat(size)))
    return calls.page(serverId, undefined, 1000)
  }
  return {
    ...trafficProbes,
    serverCalls: async (size: number) => (await kept(Array<number>(size).fill(1))).length,
    serverCallBytes: async (size: number) =>
      (await kept([1, size - 1])).reduce((sum, { result = '' }) => sum + result.length, 0),
    async modelAnswer(size: number) {
      const { settings, close } = await openScriptedModel(() => ({ raw: '{}'.padEnd(size) }))
      const access = { configured: { ...settings, model: 'small' }, keys: {} }
      const { signal } = new AbortController()
      const question = { instructions: '', prompt: '?', shape: z.object({}), shapeName: 'nothing', signal }
      const isRefused = await askForObject(access, question).then(() => false, refusedAs(/more than \d+ bytes/))
      close()
      return isRefused ? 'refused' : size
    },
    async agentTurns(size: number) {
      const { store } = open().service
      const [project] = (await open().client.projects.list()).items
      const projectId = project!.id
      const turn = { projectId, question: '?', calls: [], created: [], proposed: [], hasOutside: false }
      const usage = { inputTokens: 1, outputTokens: 1 }
      for (let at = 0; at < size; at += 1)
        store.agentTurns.insert({
          ...turn,
          ...usage,
          id: `req_${(number += 1)}`,
          startedAt: at,
          endedAt: at,
          lease: takeLease(),
        })
      return store.agentTurns.page(projectId, undefined, 1000).length
    },
    agentResult: (size: number) => readable('r '.repeat(size).slice(0, size)).split('\n… cut')[0]!.length,
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
