import { parseArgs } from 'node:util'
import { documentedOperations, readOpenApi } from '../test/contract/openapi.ts'
import { driveDashboard } from '../test/random-service/drive.ts'

// Presses random keys on random data for a given time: `npm run random -- --minutes 60 --seed 7`.
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
})
const document = readOpenApi()
const started = Date.now()
const end = started + Number(values.minutes) * 60_000
let told = started
let called: ReadonlySet<string> = new Set()

await driveDashboard({
  document,
  seed: Number(values.seed),
  until: () => Date.now() >= end,
  onCheck({ keys, requests, operations, memory, starts }) {
    called = operations
    if (Date.now() - told < 60_000) return
    told = Date.now()
    const minutes = Math.round((told - started) / 60_000)
    console.log(
      `${minutes} min: ${keys} keys, ${requests} requests of ${operations.size} operations, ` +
        `${Math.round(memory)} MB, started ${starts} times`,
    )
  },
})
console.log(`Seed ${values.seed}: ${values.minutes} minutes without a freeze, a crash or nonsense.`)
const reads = documentedOperations(document).filter(({ method }) => method === 'GET')
const missed = reads.map(({ operation }) => operation).filter(operation => !called.has(operation))
console.log(`Of ${reads.length} reads ${missed.length} were never sent: ${missed.join(', ') || 'none'}.`)
