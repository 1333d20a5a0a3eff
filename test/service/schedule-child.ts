// A separate process for tests: `schedule-child.ts <dataDir>` launches due schedules until its input ends.
import { once } from 'node:events'
import { createService } from '../../src/service/workspace/service.ts'

const [dataDir = ''] = process.argv.slice(2)
const service = await createService({ dataDir, schedulePollMs: 20, maxConcurrentRuns: 100 })
process.stdout.write('ready\n')
process.stdin.resume()
await once(process.stdin, 'end')
await service.settle()
await service.close()
