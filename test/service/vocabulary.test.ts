import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { announcedVocabulary } from '../../src/api/client/transport/vocabulary.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { echoCase, open, sandbox, untilEnded } from './harness.ts'

const { capabilities, cases, iterations, runs, suites } = contract
const HEADER = 'x-mcpjam-eval-vocabulary'

/** The roles of every scorer in an answer. */
function rolesIn(answer: unknown): unknown[] {
  const { items } = answer as { items: { evaluationConfig?: { definitions?: { role: string }[] } }[] }
  return [...new Set(items.flatMap(item => item.evaluationConfig?.definitions?.map(({ role }) => role) ?? []))]
}

test('the role of a scorer is spelt as the caller asks, and answers that depend on it have a Vary header', async () => {
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
  expect(await api.refused(iterations.list, { projectId, runId }, { headers: { [HEADER]: '3' } })).toMatchObject({
    status: 400,
    details: { field: HEADER },
  })
})

test('our own client uses the announced vocabulary', async () => {
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

describe('the bodies of cases', () => {
  const canonical = { headers: { [HEADER]: '2' } }
  const assertion = { type: 'noToolErrors', role: 'required' }
  const echo = (title: string) => echoCase(title, 'hi')

  test('take assertions, iterations and legacyIterations in vocabulary 2 only', async () => {
    const { api } = await open()
    const { projectId, suiteId, serverId } = await sandbox(api)
    const target = { projectId, suiteId }
    const body = { ...echo('a'), assertions: [assertion], legacyIterations: 2 }
    expect(await api.call(cases.create, { ...target, body }, canonical)).toMatchObject({
      iterations: 2,
      assertions: { mode: 'replace', list: [assertion] },
    })
    expect(await api.refused(cases.create, { ...target, body })).toMatchObject({ status: 400 })
    const batch = { cases: [{ ...echo('b'), iterations: 3, assertions: { mode: 'extend', list: [assertion] } }] }
    const { created } = await api.call(cases.createBatch, { ...target, body: batch }, canonical)
    const stored = await api.call(cases.get, { ...target, caseId: created[0]!.id })
    expect(stored).toMatchObject({ iterations: 3, checks: { mode: 'extend' } })
    const tests = [{ ...echo('c'), iterations: 2, assertions: [assertion] }]
    const inline = { name: 'Inline', model: 'm', serverIds: [serverId], tests }
    const made = await api.call(suites.create, { projectId, body: inline }, canonical)
    const { items } = await api.call(cases.list, { projectId, suiteId: made.suiteId })
    expect(items).toMatchObject([{ title: 'c', iterations: 2, steps: [{}, {}, { kind: 'assert' }] }])
    const twice = { ...echo('d'), iterations: 1, legacyIterations: 2 }
    expect(await api.refused(cases.create, { ...target, body: twice }, canonical)).toMatchObject({
      details: { field: 'legacyIterations' },
    })
    const both = { ...echo('e'), assertions: [], checks: { list: [] } }
    expect(await api.refused(cases.create, { ...target, body: both }, canonical)).toMatchObject({
      details: { field: 'assertions' },
    })
    for (const name of ['iterations', 'legacyIterations']) {
      const body = { ...inline, name: 'Both', tests: [{ ...echo('f'), runs: 2, [name]: 2 }] }
      expect(await api.refused(suites.create, { projectId, body }, canonical)).toMatchObject({
        details: { field: `tests.0.${name}` },
      })
    }
  })

  test('of a suite name its checks defaultAssertions in vocabulary 2 only, and never use both names', async () => {
    const { api } = await open()
    const { projectId, suiteId } = await sandbox(api)
    const target = { projectId, suiteId }
    const body = { settings: { minimumIterations: 2, defaultAssertions: [assertion] } }
    expect(await api.refused(suites.update, { ...target, body })).toMatchObject({ status: 400 })
    const made = await api.call(suites.update, { ...target, body }, canonical)
    expect(made.settings).toMatchObject(body.settings)
    expect((await api.call(suites.get, target)).settings).toMatchObject({
      minimumIterations: 2,
      checks: [{ type: 'noToolErrors', role: 'gating' }],
    })
    const both = { settings: { checks: [], defaultAssertions: [] } }
    expect(await api.refused(suites.update, { ...target, body: both }, canonical)).toMatchObject({
      details: { field: 'settings.defaultAssertions' },
    })
    await api.call(suites.update, { ...target, body: { settings: { defaultAssertions: null } } }, canonical)
    expect((await api.call(suites.get, target)).settings?.checks ?? []).toEqual([])
  })

  test('use the role required only with the header, and arguments of calls may contain any role', async () => {
    const { api } = await open()
    const { projectId, suiteId } = await sandbox(api)
    const target = { projectId, suiteId }
    const checks = { mode: 'replace', list: [assertion] }
    const asserting = (role: string) => ({
      title: role,
      steps: [{ id: 'x', kind: 'assert', assertion: { type: 'noToolErrors', role } }],
    })
    for (const [endpoint, body, field] of [
      [cases.create, { ...echo('a'), checks }, 'checks.list.0.role'],
      [cases.create, asserting('required'), 'steps.0.assertion.role'],
      [cases.createBatch, { cases: [{ ...echo('a'), checks }] }, 'cases.0.checks.list.0.role'],
      [suites.update, { settings: { checks: [assertion] } }, 'settings.checks.0.role'],
    ] as const)
      expect(await api.refused(endpoint, { ...target, body })).toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        details: { field },
      })
    expect(await api.call(cases.create, { ...target, body: asserting('gating') })).toMatchObject({})
    const written = await api.call(cases.create, { ...target, body: { ...echo('b'), checks } }, canonical)
    expect(written).toMatchObject({ assertions: { list: [{ role: 'required' }] } })
    const call = { id: 'x', kind: 'toolCall', serverName: 's', toolName: 't', arguments: { role: 'required' } }
    const data = await api.call(cases.create, { ...target, body: { title: 'c', steps: [call] } })
    expect(data.steps).toMatchObject([{ arguments: { role: 'required' } }])
  })
})

const WORDS = ['checks', 'assertions', 'defaultAssertions', 'gating', 'required'] as const

test('cases and suites are answered in the requested vocabulary, and say that they depend on it', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const checks = [{ type: 'noToolErrors', role: 'gating' }]
  const steps = [{ id: 'x', kind: 'assert', assertion: checks[0] }]
  const body = { title: 'a', steps, checks: { mode: 'replace', list: checks } }
  const { id: caseId } = await api.call(cases.create, { projectId, suiteId, body })
  await api.call(suites.update, { projectId, suiteId, body: { settings: { checks } } })
  const ofCase = { '1': [1, 0, 0, 2, 0], '2': [0, 1, 0, 0, 2] }
  const ofSuite = { '1': [1, 0, 0, 1, 0], '2': [0, 0, 1, 0, 1] }
  for (const [endpoint, input, counts] of [
    [cases.create, { projectId, suiteId, body: { ...body, title: 'c' } }, ofCase],
    [cases.get, { projectId, suiteId, caseId }, ofCase],
    [cases.update, { projectId, suiteId, caseId, body: { title: 'b' } }, ofCase],
    [suites.get, { projectId, suiteId }, ofSuite],
    [suites.update, { projectId, suiteId, body: { name: 'Renamed' } }, ofSuite],
    [suites.schedule, { projectId, suiteId, body: { enabled: false } }, ofSuite],
  ] as const)
    for (const version of ['1', '2'] as const) {
      const response = await api.send(endpoint, input, { headers: { [HEADER]: version } })
      expect(response.headers.get('vary')).toBe(HEADER)
      const text = await response.text()
      const found = WORDS.map(word => text.split(`"${word}"`).length - 1)
      expect({ operation: endpoint.operation, version, found }).toEqual({
        operation: endpoint.operation,
        version,
        found: counts[version],
      })
    }
  const list = await api.call(cases.list, { projectId, suiteId }, { headers: { [HEADER]: '2' } })
  const one = await api.call(cases.get, { projectId, suiteId, caseId }, { headers: { [HEADER]: '2' } })
  expect(list.items).toContainEqual(one)
})

test('a case as answered in vocabulary 2 can be sent back in it', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const checks = { mode: 'extend' as const, list: [{ type: 'noToolErrors', role: 'gating' }] }
  const body = { ...echoCase('a', 'hi'), iterations: 3, checks }
  const { id: caseId } = await api.call(cases.create, { projectId, suiteId, body })
  const before = await api.call(cases.get, { projectId, suiteId, caseId })
  const canonical = { headers: { [HEADER]: '2' } }
  const answer = await api.call(cases.get, { projectId, suiteId, caseId }, canonical)
  const { title, steps, iterations, assertions } = answer as typeof answer & { assertions: unknown }
  await api.call(
    cases.update,
    { projectId, suiteId, caseId, body: { title, steps, iterations, assertions } },
    canonical,
  )
  const after = await api.call(cases.get, { projectId, suiteId, caseId })
  expect({ ...after, updatedAt: 0 }).toEqual({ ...before, updatedAt: 0 })
})
