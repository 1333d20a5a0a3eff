import fc from 'fast-check'
import { test } from 'vitest'
import { World } from './world.ts'

const steps = {
  begin: (world: World) => world.begin(),
  crash: (world: World) => world.crash(),
  wait: (world: World) => world.wait(),
  sent: (world: World, at: number) => world.sent(at),
  succeed: (world: World, at: number) => world.settle(at, { outcome: 'succeeded', result: { runId: 'r' } }),
  refuse: (world: World, at: number) => world.settle(at, { outcome: 'refused', code: 'CONFLICT' }),
  doubt: (world: World, at: number) => world.settle(at, { outcome: 'unknown', code: 'reset' }),
  conclude: (world: World, at: number) => world.claim(at, 'conclude'),
  release: (world: World, at: number) => world.claim(at, 'release'),
  crashWithClaim: (world: World, at: number) => world.claim(at, 'crash'),
}
const names = Object.keys(steps) as (keyof typeof steps)[]
const step = fc.tuple(fc.constantFrom(...names, 'begin', 'begin'), fc.nat(20))

test('no crash loses an open entry or settles one twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async script => {
      const world = new World()
      try {
        for (const [name, at] of script) await steps[name](world, at)
        await world.end()
      } finally {
        world.remove()
      }
    }),
    { numRuns: 150 },
  )
})
