// A separate process for tests: `analysis-child.ts <dataDir> <model address> <projectId> <runId>` requests grades and
// insights of a run and waits for their end.
import { createService } from '../../src/service/workspace/service.ts'

const [dataDir = '', baseUrl = '', projectId = '', runId = ''] = process.argv.slice(2)
const models = { kind: 'openai-compatible', baseUrl, model: 'silent' } as const
const service = await createService({ dataDir, models })
const headers = { authorization: `Bearer ${service.localKey}` }
for (const [operation, body] of [
  ['judge', { enable: true }],
  ['insights', {}],
] as const) {
  const url = `http://child.test/api/v1/projects/${projectId}/eval-runs/${runId}/${operation}`
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const { status } = await service.fetch(new Request(url, init))
  process.stdout.write(`${operation} ${status}\n`)
}
process.stdin.resume()
