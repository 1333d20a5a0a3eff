import { expect, test } from 'vitest'
import { VirtualClock } from '../../../../test/client/virtual-clock.ts'
import { createBudget } from '../budget/budget.ts'
import { createClient } from '../client.ts'
import { plainHeaders } from '../../contract/message.ts'
import { createLineMeter } from './service-monitor.ts'

const ANSWER = JSON.stringify({ id: 'r', suiteId: 's', status: 'running', createdAt: 1 })

/** Creates a client whose answers the test sends by hand: headers with `open`, then pieces of the body with `piece`. */
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

test('silence counts from the last data received, so an answer that keeps arriving is not silent', async () => {
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

test('a request that is forwarded to an MCP server may be silent for long', async () => {
  const { clock, client, held, monitor } = setup()
  const calling = client.servers.validate({ projectId: 'p', serverId: 's' }).catch(() => undefined)
  await clock.advance(30_000)
  expect(monitor.silentSince()).toBeUndefined()
  held[0]!.open()
  held[0]!.end()
  await clock.finish(calling)
  expect(clock.pending).toBe(0)
})

const PIECE = 1460

/** Creates a connection of a given speed in bytes per second, and bodies sent over it; parallel requests share it. */
function setUp(roundTripMs: number) {
  const clock = new VirtualClock()
  const meter = createLineMeter(clock.now)
  const line = { bytesPerSecond: Infinity, stallMs: 0 }
  const after = (ms: number): Promise<void> => new Promise(resolve => clock.after(ms, resolve))
  let free = Promise.resolve()
  const carry = (bytes: number): Promise<void> => {
    const ms = (bytes / line.bytesPerSecond) * 1000
    return (free = free.then(() => after(ms)))
  }
  const read = async (bytes: number): Promise<void> => {
    const arrival = meter.begin()
    await after(roundTripMs)
    arrival.received(0)
    await after(line.stallMs)
    for (let left = bytes; left > 0; left -= PIECE) {
      await carry(Math.min(left, PIECE))
      arrival.received(Math.min(left, PIECE))
    }
    arrival.ended()
  }
  const readAll = async (bodies: readonly number[], atOnce: number): Promise<void> => {
    for (let at = 0; at < bodies.length; at += atOnce)
      await clock.finish(Promise.all(bodies.slice(at, at + atOnce).map(read)))
  }
  return { meter, line, readAll }
}

test.each([
  ['a near line', 20, 1],
  ['a far line', 800, 1],
  ['four bodies at once', 800, 4],
])('%s is slow below 8 KB a second, even with small pages, and recovers', async (_, roundTripMs, atOnce) => {
  const { meter, line, readAll } = setUp(roundTripMs)
  line.bytesPerSecond = 30 * 1024
  await readAll(Array<number>(12).fill(20_000), atOnce)
  expect(meter.slow()).toBeUndefined()
  line.bytesPerSecond = 5 * 1024
  await readAll(Array<number>(4).fill(60_000), atOnce)
  expect(meter.slow()).toBeLessThan(8 * 1024)
  await readAll(Array<number>(40).fill(3_000), 1)
  expect(Math.round(meter.slow()! / 1024)).toBe(5)
  // Between the two limits the state does not change.
  line.bytesPerSecond = 10 * 1024
  await readAll(Array<number>(40).fill(12_000), 1)
  expect(meter.slow()).toBeDefined()
  line.bytesPerSecond = 200 * 1024
  await readAll(Array<number>(25).fill(8_000), 1)
  expect(meter.slow()).toBeUndefined()
})

test('answers of a few bytes and one stall of a second do not make a connection slow', async () => {
  const { meter, line, readAll } = setUp(800)
  line.bytesPerSecond = 2 * 1024
  await readAll(Array<number>(50).fill(400), 1)
  expect(meter.slow()).toBeUndefined()
  line.bytesPerSecond = 100 * 1024
  line.stallMs = 1_000
  await readAll([5_000], 1)
  expect(meter.slow()).toBeUndefined()
})
