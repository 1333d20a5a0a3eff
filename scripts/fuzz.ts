import { parseArgs } from 'node:util'
import { describeProblem, LIMITS, type Problem } from '../test/fuzz/look.ts'
import { PARTS } from '../test/fuzz/parts.ts'
import { openStage, type Stage } from '../test/fuzz/stage.ts'

// Tests with hostile services, servers, schemas and environments for a given time: `npm run fuzz -- --minutes 60 --seed
// 7`.
const ROUNDS_OF_A_STAGE = 40

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    rounds: { type: 'string', default: 'Infinity' },
    verbose: { type: 'boolean', default: false },
  },
})
const only = values.only?.split(',')
const parts = PARTS.filter(({ name }) => only?.includes(name) ?? true)
if (parts.length === 0) throw new Error(`The parts are ${PARTS.map(({ name }) => name).join(', ')}.`)
const startedAt = Date.now()
const end = startedAt + Number(values.minutes) * 60_000
const first = Number(values.seed)
const rounds = Number(values.rounds)
const found: Problem[] = []
const counts = new Map<string, number>()

let stage: Stage | undefined
let told = startedAt
for (let round = 0; round < rounds && Date.now() < end; round += 1) {
  const seed = first + round
  for (const part of parts) {
    if (Date.now() >= end) break
    const count = counts.get(part.name) ?? 0
    if (stage === undefined || round % ROUNDS_OF_A_STAGE === ROUNDS_OF_A_STAGE - 1) {
      await stage?.[Symbol.asyncDispose]()
      stage = await openStage()
    }
    const began = Date.now()
    const problems = await part.round({ stage, seed, limits: LIMITS })
    counts.set(part.name, count + 1)
    found.push(...problems)
    for (const problem of problems) console.log(describeProblem(problem))
    if (values.verbose) console.log(`${part.name}, seed ${seed}: ${Date.now() - began} ms`)
  }
  if (Date.now() - told > 60_000) {
    told = Date.now()
    console.log(`${Math.round((told - startedAt) / 60_000)} min: ${summary()}`)
  }
}
await stage?.[Symbol.asyncDispose]()
console.log(`Seeds from ${first}: ${summary()}.`)
process.exitCode = found.length > 0 ? 1 : 0

function summary(): string {
  const done = [...counts].map(([name, count]) => `${count} × ${name}`).join(', ')
  return `${done}, ${found.length === 0 ? 'nothing wrong' : `${found.length} wrong`}`
}
