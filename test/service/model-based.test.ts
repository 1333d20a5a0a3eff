import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepCompiled } from './model-based/compiled.ts'
import { createPlayers } from './model-based/players.ts'
import { conclude, perform } from './model-based/perform.ts'
import { starts, stepsIn, type Area, type Step } from './model-based/steps.ts'
import { SIGHTS, TOUR } from './model-based/tour.ts'
import { createWorld } from './model-based/world.ts'

/** Sequences of each property; `PROPERTY_SEED=random PROPERTY_RUNS=50` runs a long search with other values. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 1)
/** Far longer than a sequence takes, because each kill costs a start and machines may be slow. */
const SEQUENCE_TIMEOUT_MS = 180_000

let forget = () => {}
beforeAll(() => {
  forget = keepCompiled()
}, SEQUENCE_TIMEOUT_MS)
afterAll(() => forget())

/** A workspace from beginning to end, with the situations that occurred. */
async function live(births: readonly number[], steps: readonly Step[]): Promise<Set<string>> {
  const world = await createWorld(await createPlayers(), births)
  for (const [index, step] of steps.entries())
    await perform(world, step).catch((error: unknown) => {
      throw new Error(`Step ${index}: ${JSON.stringify(step)}`, { cause: error })
    })
  await conclude(world)
  return world.met
}

test(
  'a workspace agrees with its model after any operation, even if it is killed',
  { timeout: SEQUENCE_TIMEOUT_MS },
  async () => {
    const met = await live([1, 4], TOUR)
    expect([...met].toSorted()).toEqual(expect.arrayContaining(SIGHTS))
  },
)

/** All areas together; a long search then also tests smaller groups of areas. */
const AREAS: Area[][] = [
  ['environments', 'runs', 'findings', 'access'],
  ...(RUNS > 1 ? ([['environments', 'runs'], ['findings'], ['access']] as const).map(areas => [...areas]) : []),
]

test.each(AREAS.map(areas => ({ areas })))(
  'a workspace agrees with its model of $areas after any operation and any kill',
  { timeout: SEQUENCE_TIMEOUT_MS * RUNS },
  async ({ areas }) => {
    const sequences = stepsIn(areas, { minLength: 15, maxLength: 30 })
    // A failed sequence is reported as it was: shrinking it would take many times as long as the whole test.
    const parameters = { numRuns: RUNS, endOnFailure: true }
    await fc.assert(
      fc.asyncProperty(starts, sequences, async (births, steps) => void (await live(births, steps))),
      parameters,
    )
  },
)
