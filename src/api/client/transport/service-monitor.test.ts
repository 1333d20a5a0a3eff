import { expect, test } from 'vitest'
import { VirtualClock } from '../../../../test/client/virtual-clock.ts'
import { createBudget } from '../budget/budget.ts'
import { createClient } from '../client.ts'
import { plainHeaders } from '../../contract/message.ts'

const ANSWER = JSON.stringify({ id: 'r', suiteId: 's', status: 'running', createdAt: 1 })

/** A client whose answers are given by hand: headers with `open`, then pieces of the body with `piece`. */
function setup() {
  const clock = new VirtualClock()
  const held: { open: () => void; piece: (text: string) => void; end: () => void }[] = []
  const client = createClient({
    baseUrl: 'http://service.test/api/v1/',
    clock,
    budget: createBudget({ unlimited: true, clock }),
    deadlineMs: 60_000,
    fetch: async () => {
      const headers = Promise.withResolvers<void>()
      const pieces: PromiseWithResolvers<string | undefined>[] = [Promise.withResolvers()]
      const give = (text: string | undefined): void => {
        pieces.at(-1)!.resolve(text)
        pieces.push(Promise.withResolvers())
      }
      held.push({ open: headers.resolve, piece: give, end: () => give(undefined) })
      await headers.promise
      const body = async function* () {
        for (let next = 0; ; next += 1) {
          const text = await pieces[next]!.promise
          if (text === undefined) return
          yield new TextEncoder().encode(text)
        }
      }
      return { status: 200, headers: plainHeaders({}), body: body() }
    },
  })
  return { clock, client, held, monitor: client.monitor }
}

test('silence counts from what arrived last, and an answer that goes on arriving is none', async () => {
  const { clock, client, held, monitor } = setup()
  let told = 0
  monitor.subscribe(() => (told += 1))
  const start = clock.now()
  const reading = client.runs.get({ projectId: 'p', runId: 'r' })
  await clock.advance(4_000)
  expect(monitor.silentSince()).toBeUndefined()
  await clock.advance(8_000)
  expect(monitor.silentSince()).toBe(start)
  expect(told).toBeGreaterThan(1)
  held[0]!.open()
  await clock.advance(0)
  expect(monitor.silentSince()).toBeUndefined()
  for (const part of [ANSWER.slice(0, 9), ANSWER.slice(9, 20), ANSWER.slice(20)]) {
    await clock.advance(4_000)
    held[0]!.piece(part)
    await clock.advance(0)
    expect(monitor.silentSince()).toBeUndefined()
  }
  held[0]!.end()
  await clock.finish(reading)
  expect(monitor.lastAnswerAt()).toBe(clock.now())
  expect(clock.pending).toBe(0)
})

test('what reaches through to an MCP server may be silent for long', async () => {
  const { clock, client, held, monitor } = setup()
  const calling = client.servers.validate({ projectId: 'p', serverId: 's' }).catch(() => undefined)
  await clock.advance(30_000)
  expect(monitor.silentSince()).toBeUndefined()
  held[0]!.open()
  held[0]!.end()
  await clock.finish(calling)
  expect(clock.pending).toBe(0)
})
