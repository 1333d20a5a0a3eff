import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeProblem, LIMITS } from './look.ts'
import { PARTS } from './parts.ts'
import { openStage, type Stage } from './stage.ts'

/** Seeds with short rounds; `npm run fuzz` continues from there for as long as wanted. */
const SEEDS = [5, 6]
/** A build machine has other work too, so only `npm run fuzz` judges slowness. */
const PATIENT = { ...LIMITS, answersWithin: 15_000, endsWithin: 15_000 }

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
})

test.each(PARTS.flatMap(part => SEEDS.map(seed => ({ part, seed }))))(
  'the attack finds no fault: $part.says, seed $seed',
  { timeout: 300_000 },
  async ({ part, seed }) => {
    const problems = await part.round({ stage, seed, limits: PATIENT })
    expect(problems.map(describeProblem).join('\n')).toBe('')
  },
)
