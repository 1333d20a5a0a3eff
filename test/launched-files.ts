import { Session } from 'node:inspector/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBudget } from '../src/api/client/budget/budget.ts'
import { createClient } from '../src/api/client/client.ts'
import { openJournal } from '../src/api/client/journal/journal.ts'
import { API_PREFIX } from '../src/api/contract/contract.ts'
import { createService } from '../src/service/workspace/service.ts'
import { launchStage, quickCase } from './launch-stage.ts'

/** Number of launches. The program prints the files with a function that ran in each of them except the first. */
const LAUNCHES = 4

const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-walk-'))
const service = await createService({ dataDir: directory, validateResponses: false, schedulePollMs: 0 })
const client = createClient({
  fetch: service.answer,
  baseUrl: `http://local.invalid${API_PREFIX}`,
  key: service.localKey,
  budget: createBudget({ unlimited: true }),
  journal: openJournal({ file: join(directory, 'journal.sqlite'), profile: 'p' }),
})
const { projectId, suite } = await launchStage(client)
const suiteId = await suite('Walked', { tests: [quickCase('one')] })
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
const seen: Set<string>[] = []
for (let launch = 0; launch < LAUNCHES; launch += 1) {
  await session.post('Profiler.takePreciseCoverage')
  await client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey: `launch-${launch}` })
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
  seen.push(new Set(ran.flatMap(({ url }) => url.split('/src/')[1] ?? [])))
  await service.settle()
}
session.disconnect()
await service.close()
rmSync(directory, { recursive: true })
const [, second, ...others] = seen
const walked = [...(second ?? [])].filter(file => others.every(more => more.has(file)))
process.stdout.write(JSON.stringify(walked.toSorted()))
