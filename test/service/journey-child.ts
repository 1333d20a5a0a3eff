// A separate process for tests: `journey-child.ts <dataDir> <model address> <path of the journey's runs>` launches a
// journey run and continues until it is killed.
import { createService } from '../../src/service/workspace/service.ts'

const [dataDir = '', baseUrl = '', path = ''] = process.argv.slice(2)
const service = await createService({ dataDir, models: { kind: 'openai-compatible', baseUrl, model: 'player' } })
const headers = { authorization: `Bearer ${service.localKey}` }
const request = new Request(`http://child.test/api/v1${path}`, { method: 'POST', headers })
process.stdout.write(`${await (await service.fetch(request)).text()}\n`)
await service.settle()
process.stdout.write('{"settled":true}\n')
await service.close()
