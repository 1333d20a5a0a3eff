import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRing, createTraffic } from './traffic.ts'

test('the ring keeps the latest entries within both limits, whatever the size of the entries', () => {
  const bounds = fc.record({ entries: fc.integer({ min: 1, max: 8 }), size: fc.integer({ min: 0, max: 40 }) })
  const steps = fc.array(fc.oneof(fc.nat(50), fc.constant('clear' as const)), { maxLength: 60 })
  fc.assert(
    fc.property(bounds, steps, (most, taken) => {
      const ring = createRing<{ number: number; size: number }>(most)
      let added: { number: number; size: number }[] = []
      for (const [number, step] of taken.entries()) {
        if (step === 'clear') {
          ring.clear()
          added = []
        } else {
          const entry = { number, size: step }
          ring.add(entry, step)
          added.push(entry)
        }
        const entries = ring.entries()
        const together = entries.reduce((sum, { size }) => sum + size, 0)
        expect(ring.size()).toBe(together)
        expect(together).toBeLessThanOrEqual(most.size)
        expect(entries.length).toBeLessThanOrEqual(most.entries)
        expect(entries).toEqual(added.slice(added.length - entries.length))
        expect(ring.dropped()).toBe(entries.length < added.length)
      }
    }),
  )
})

test('entries that were dropped to make room for other servers are reported', () => {
  const traffic = createTraffic()
  const transport = { type: 'stdio' as const, command: 'node', args: [], env: {} }
  const connect = (id: string) => traffic.connect({ id, name: id, enabled: true, useOAuth: false, transport })
  connect('silent')
  for (let server = 0; server < 12; server += 1) {
    const tap = connect(`server-${server}`)
    tap.print('stderr', 'Ready\n')
    for (let sent = 0; sent < 400; sent += 1) tap.frame('sent', 'x'.repeat(64 * 1024))
  }
  connect('last')
  const log = traffic.of('server-0')
  expect([log.frames(), log.lines()]).toMatchObject([
    { entries: [], dropped: true },
    { entries: [], dropped: true },
  ])
  expect([traffic.of('silent').frames().dropped, traffic.of('last').frames().dropped]).toEqual([false, false])
})
