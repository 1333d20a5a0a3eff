import { expect, test } from 'vitest'
import { createBudget } from '../../src/api/budget.ts'
import { createClient } from '../../src/api/client.ts'
import { announcedVocabulary } from '../../src/api/vocabulary.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { open, sandbox, untilEnded } from './harness.ts'

const { capabilities, iterations, runs, suites } = contract
const HEADER = 'x-mcpjam-eval-vocabulary'

/** Policy roles of every scorer in an answer. */
function rolesIn(answer: unknown): unknown[] {
  const { items } = answer as { items: { evaluationConfig?: { definitions?: { role: string }[] } }[] }
  return [
    ...new Set(items.flatMap(item => item.evaluationConfig?.definitions?.map(({ role }) => role) ?? [])),
  ]
}

test('the role of a scorer is spelt as the caller asks, and answers that vary say so', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const ask = async (version?: string) => {
    const extra = version === undefined ? {} : { headers: { [HEADER]: version } }
    const response = await api.send(iterations.list, { projectId, runId }, extra)
    const body: unknown = await response.json()
    return { vary: response.headers.get('vary'), body }
  }
  const [plain, first, second] = [await ask(), await ask('1'), await ask('2')]
  expect(rolesIn(plain.body)).toEqual(['gating'])
  expect(first.body).toEqual(plain.body)
  expect(rolesIn(second.body)).toEqual(['required'])
  expect([plain.vary, first.vary, second.vary]).toEqual([HEADER, HEADER, HEADER])
  const text = JSON.stringify(second.body).replaceAll('"role":"required"', '"role":"gating"')
  expect(JSON.parse(text)).toEqual(plain.body)
  expect((await api.send(runs.list, { projectId, suiteId })).headers.get('vary')).toBe(HEADER)
  expect((await api.send(suites.list, { projectId })).headers.get('vary')).toBeNull()
  expect(
    await api.refused(iterations.list, { projectId, runId }, { headers: { [HEADER]: '3' } }),
  ).toMatchObject({ status: 400, details: { field: HEADER } })
})

test('the announced vocabulary is what our own client then speaks', async () => {
  const { api, answer, localKey } = await open()
  expect(announcedVocabulary(await api.call(capabilities.get))).toBe('2')
  const { projectId, suiteId } = await sandbox(api)
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const client = createClient({
    baseUrl: 'http://local.test/api/v1',
    key: localKey,
    budget: createBudget({ unlimited: true }),
    negotiate: 'mcpjam',
    fetch: answer,
  })
  expect(rolesIn(await client.iterations.list({ projectId, runId }))).toEqual(['required'])
})
