import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openService, type TestService } from '../../../test/harness.tsx'
import { createCases, OUTCOME_WORDS, outcomeCounts, outcomesOf } from './batch.ts'
import type { CaseForm } from './case-form.ts'
import { readSuiteFile, writeSuiteFile, type SuiteFile } from './suite-file.ts'
import { readPlan, readSuite, type ImportTarget } from './suite-store.ts'
import { isSettled, SEED_TITLE } from './sync-plan.ts'
import { sendSync, type SyncOptions } from './sync-send.ts'

let service: TestService
let projectId: string

beforeAll(async () => {
  service = await openService()
  projectId = (await service.client.projects.list()).items[0]!.id
})
afterAll(() => service.close())

const call = (id: string, message: string): CaseForm['steps'][number] => ({
  id,
  kind: 'toolCall',
  serverName: 'everything',
  toolName: 'echo',
  arguments: { message },
})
const caseOf = (id: string, message = id): CaseForm => ({ id, title: `Case ${id}`, steps: [call('call', message)] })

let made = 0
function fileOf(cases: CaseForm[], suite: Partial<SuiteFile['suite']> = {}): SuiteFile {
  made += 1
  return { suite: { name: `Suite ${made}`, servers: ['everything'], model: 'none', ...suite }, cases }
}

async function plan(file: SuiteFile, target: ImportTarget = {}) {
  const found = await readPlan(service.client, projectId, file, target)
  if ('obstacle' in found) throw new Error(found.obstacle)
  return found
}

async function bring(file: SuiteFile, options: Partial<SyncOptions> & ImportTarget = {}) {
  const { into, asNew, ...rest } = options
  const { plan: planned, names } = await plan(file, { into, ...(asNew && { asNew }) })
  return await sendSync(service.client, projectId, planned, names, { prune: false, ...rest })
}

const exported = (suiteId: string) => readSuite(service.client, projectId, suiteId)
const casesIn = async (suiteId: string) => (await service.client.cases.list({ projectId, suiteId })).items

/** Returns the file without the fields that identify the suite, for comparing two suites. */
const content = ({ suite, cases }: SuiteFile) => ({ ...suite, id: undefined, name: undefined, cases })

describe('a suite as a file', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter(value => value.isWellFormed())
  const assertions = (type: string, more: object = {}): fc.Arbitrary<Record<string, unknown>[]> =>
    fc.constant([{ type, ...more }])
  const open = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  const someCase = fc
    .record(
      {
        title: text,
        steps: fc.array(fc.record({ toolName: text, arguments: open }), { minLength: 1, maxLength: 3 }),
        expectedOutput: text,
        iterations: fc.integer({ min: 1, max: 10 }),
        isNegative: fc.boolean(),
        scenario: text,
        models: fc.array(fc.record({ model: text, provider: text }, { requiredKeys: ['model'] }), { maxLength: 2 }),
        matchOptions: fc.constant({ arguments: 'exact' }),
        checks: fc.record({ list: assertions('noToolErrors') }),
      },
      { requiredKeys: ['title', 'steps'] },
    )
    .map((form): CaseForm => {
      const { steps, ...rest } = JSON.parse(JSON.stringify(form)) as typeof form
      const calls = steps.map((step, index) => ({ id: `s${index}`, kind: 'toolCall' as const, ...step }))
      return { ...rest, steps: calls }
    })

  test('is exported from a new suite as it was imported, whatever it contains', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someCase, { minLength: 1, maxLength: 4 }),
        fc.record(
          {
            description: text,
            systemPrompt: text,
            temperature: fc.constantFrom(0, 0.5, 1),
            settings: fc.record(
              {
                minimumAccuracy: fc.integer({ min: 0, max: 100 }),
                minimumIterations: fc.integer({ min: 1, max: 10 }),
                checks: assertions('toolCalledAtLeastOnce', { toolName: 'echo' }),
                judge: fc.record({ enabled: fc.boolean(), threshold: fc.constantFrom(0.2, 0.9) }),
              },
              { requiredKeys: [] },
            ),
          },
          { requiredKeys: [] },
        ),
        async (forms, suite) => {
          const cases = forms.map((form, index) => ({ ...form, id: `case-${index}` }))
          const why = { duplicatePolicy: 'create_anyway', overrideReason: 'The test wants them.' } as const
          const first = await bring(fileOf(cases, suite), { asNew: true, ...why })
          expect(first.outcomes.map(({ kind, message }) => message ?? kind)).toEqual(cases.map(() => 'created'))
          const out = await exported(first.suiteId)
          const read = readSuiteFile(writeSuiteFile(out))
          expect(read.ok && read.value.file).toEqual(out)
          const second = await bring({ ...out, suite: { ...out.suite, name: `Copy ${made}` } }, { asNew: true, ...why })
          expect(content(await exported(second.suiteId))).toEqual(content(out))
          const again = await plan(out)
          expect(isSettled(again.plan, true)).toBe(true)
          // Each plan reads every existing suite.
          for (const { suiteId } of [first, second]) await service.client.suites.delete({ projectId, suiteId })
        },
      ),
      { numRuns: 25 },
    )
  })

  test('of the sandbox is the same text each time, and importing it changes nothing', async () => {
    const { items } = await service.client.suites.list({ projectId })
    const sandbox = items.find(({ name }) => name && !name.startsWith('Suite') && !name.startsWith('Copy'))!
    const once = writeSuiteFile(await exported(sandbox.id))
    expect(writeSuiteFile(await exported(sandbox.id))).toBe(once)
    const read = readSuiteFile(once)
    if (!read.ok) throw new Error('it is no suite file')
    expect(isSettled((await plan(read.value.file)).plan, true)).toBe(true)
  })
})

describe('an import that fails', () => {
  const twins = (): SuiteFile => fileOf([caseOf('a', 'same'), caseOf('b', 'same')])
  const suites = async () => (await service.client.suites.list({ projectId })).items.map(({ id }) => id)

  test('is planned as failing if two cases of the file are duplicates', async () => {
    expect(await readPlan(service.client, projectId, twins(), { duplicates: 'block' })).toMatchObject({
      obstacle: expect.stringMatching(/^The case "Case b" does the same as "Case a"/) as string,
      path: ['cases', 1],
    })
  })

  test('leaves no incomplete suite, unless a person is asked about it', async () => {
    const before = await suites()
    const done = await bring(twins())
    expect(done).toMatchObject({ isNew: true, isUndone: true, outcomes: [{ kind: 'created' }, { kind: 'failed' }] })
    expect(await suites()).toEqual(before)
    const kept = await bring(twins(), { keepsPart: true })
    expect(await suites()).toContain(kept.suiteId)
  })

  test('leaves nothing behind if a request is refused, and changes to an existing suite stay', async () => {
    const before = await suites()
    const refused = fileOf([caseOf('a')], { settings: { matchOptions: { order: 'any' } } })
    await expect(bring(refused)).rejects.toThrow('matchOptions')
    expect(await suites()).toEqual(before)
    const { suiteId } = await bring(fileOf([caseOf('a')]))
    await expect(bring(refused, { into: suiteId })).rejects.toThrow('matchOptions')
    expect(await suites()).toContain(suiteId)
  })
})

describe('importing again', () => {
  test('creates, changes and keeps cases by the ids of the file, and deletes only when told to', async () => {
    const file = fileOf([caseOf('a'), caseOf('b'), caseOf('c')])
    const { suiteId } = await bring(file)
    const before = new Map((await casesIn(suiteId)).map(each => [each.declaredId, each.id]))
    const next = { ...file, cases: [caseOf('a'), { ...caseOf('b'), title: 'Renamed', iterations: 4 }, caseOf('d')] }
    const { plan: planned } = await plan(next)
    expect(planned.suite?.id).toBe(suiteId)
    expect({
      created: planned.created.map(({ id }) => id),
      changed: planned.changed.map(({ id, edit }) => [id, edit]),
      unchanged: planned.unchanged.map(({ id }) => id),
      others: planned.others.map(({ id }) => id),
    }).toEqual({
      created: ['d'],
      changed: [[before.get('b'), { title: 'Renamed', iterations: 4 }]],
      unchanged: [before.get('a')],
      others: [before.get('c')],
    })
    await bring(next)
    expect((await casesIn(suiteId)).map(({ declaredId }) => declaredId).toSorted()).toEqual(['a', 'b', 'c', 'd'])
    expect((await bring(next, { prune: true })).deleted).toBe(1)
    const after = await casesIn(suiteId)
    expect(after.map(({ declaredId }) => declaredId).toSorted()).toEqual(['a', 'b', 'd'])
    expect(after.find(({ declaredId }) => declaredId === 'b')).toMatchObject({ id: before.get('b'), iterations: 4 })
  })

  test('renames an id if the old one is deleted', async () => {
    const file = fileOf([caseOf('old', 'the same')])
    const { suiteId } = await bring(file)
    const { outcomes } = await bring({ ...file, cases: [{ ...caseOf('old', 'the same'), id: 'new' }] }, { prune: true })
    expect(outcomes).toMatchObject([{ kind: 'created' }])
    expect((await casesIn(suiteId)).map(({ declaredId }) => declaredId)).toEqual(['new'])
  })

  test('finds a case without an id by its title', async () => {
    const { id: _id, ...untitled } = caseOf('x')
    const file = fileOf([untitled])
    const { suiteId } = await bring(file)
    expect(isSettled((await plan(file)).plan, true)).toBe(true)
    await bring({ ...file, cases: [{ ...untitled, iterations: 2 }] })
    expect(await casesIn(suiteId)).toMatchObject([{ iterations: 2 }])
  })

  test('continues an aborted import, and removes what it left', async () => {
    const file = fileOf([caseOf('a'), caseOf('b')])
    const { plan: planned, names } = await plan(file)
    const broken = {
      ...service.client,
      cases: { ...service.client.cases, createBatch: () => Promise.reject(new Error('cut')) },
    }
    await expect(sendSync(broken, projectId, planned, names, { prune: false })).rejects.toThrow('cut')
    const half = (await plan(file)).plan
    expect((await casesIn(half.suite!.id)).map(({ title }) => title)).toEqual([SEED_TITLE])
    await bring(file)
    expect((await casesIn(half.suite!.id)).map(({ declaredId }) => declaredId)).toEqual(['a', 'b'])
  })

  test('reports what the contract cannot clear, and does not list it as a change forever', async () => {
    const file = fileOf([caseOf('a')], { temperature: 0.5, settings: { minimumAccuracy: 80 } })
    await bring(file)
    const { temperature: _gone, settings: _also, ...suite } = file.suite
    const { plan: planned } = await plan({ ...file, suite })
    expect(planned.settings?.kept).toEqual(['temperature', 'settings.minimumAccuracy', 'settings.judge.threshold'])
    expect(isSettled(planned, true)).toBe(true)
  })

  test.each([
    ['a server that is none', { servers: ['nowhere'] }, /no server "nowhere"/],
    ['an environment that is none', { environments: ['nowhere'] }, /no environment "nowhere"/],
    ['no server', { servers: [] }, /needs servers/],
  ])('refuses %s before anything is sent', async (_, suite, words) => {
    const file = fileOf([caseOf('a')], suite)
    const found = await readPlan(service.client, projectId, file)
    expect(found).toMatchObject({
      obstacle: expect.stringMatching(words) as string,
      path: expect.any(Array) as string[],
    })
  })

  test('a new suite needs a model only if a case has a prompt but no model', async () => {
    const prompt = { id: 'ask', kind: 'prompt' as const, prompt: 'Say hello.' }
    const prompting = { ...caseOf('a'), steps: [prompt] }
    const file = fileOf([caseOf('b'), prompting], { model: undefined })
    expect(await readPlan(service.client, projectId, file)).toMatchObject({
      obstacle: expect.stringContaining('needs a model') as string,
      path: ['suite', 'name'],
    })
    const named = { ...prompting, models: [{ model: 'own/model' }] }
    for (const cases of [[caseOf('b')], [caseOf('b'), named]]) {
      const { suiteId } = await bring(fileOf(cases, { model: undefined }), { asNew: true })
      const { executionConfig } = await service.client.suites.get({ projectId, suiteId })
      expect(executionConfig?.model).toBe(cases.length > 1 ? 'own/model' : 'none')
    }
  })

  test('asks which suite is meant if several have the name', async () => {
    const file = fileOf([caseOf('a')])
    const first = await bring(file)
    await bring(file, { asNew: true })
    expect(await readPlan(service.client, projectId, file)).toEqual({
      obstacle: expect.stringContaining(first.suiteId) as string,
    })
    expect((await plan(file, { into: first.suiteId })).plan.suite?.id).toBe(first.suiteId)
    expect((await plan({ ...file, suite: { ...file.suite, id: first.suiteId } })).plan.suite?.id).toBe(first.suiteId)
  })
})

describe('the outcomes of a batch', () => {
  test('have each case separately, with the code of the service', async () => {
    const { suiteId } = await bring(fileOf([caseOf('there', 'one')]))
    const forms = [
      caseOf('fine', 'two'),
      { ...caseOf('x', 'three'), iterations: 99 },
      { ...caseOf('x', 'four'), id: 'no id' },
      caseOf('there', 'five'),
      caseOf('same', 'one'),
      { ...caseOf('call', 'six'), steps: [{ id: 'call', kind: 'toolCall' }] },
      caseOf('odd', '\ud800'),
      caseOf('large', 'x'.repeat(300_000)),
    ] as CaseForm[]
    const outcomes = await createCases(service.client, { projectId, suiteId }, forms)
    expect(outcomes.map(({ kind, code }) => code ?? kind)).toEqual([
      'created',
      'INVALID_ITEM',
      'INVALID_CASE_ID',
      'DUPLICATE_CASE_ID',
      'DUPLICATE_CONTENT',
      'INVALID_CASE',
      'UNSTORABLE_ITEM',
      'ITEM_TOO_LARGE',
    ])
    for (const { code } of outcomes) if (code) expect(OUTCOME_WORDS[code]).toBeDefined()
    expect(outcomeCounts(outcomes)).toBe('1 created, 7 failed')
  })

  test('accept a duplicate under another policy with a reason', async () => {
    const { suiteId } = await bring(fileOf([caseOf('there', 'one')]))
    const target = { projectId, suiteId }
    const twin = [caseOf('twin', 'one')]
    expect(await createCases(service.client, target, twin, { duplicatePolicy: 'warn' })).toMatchObject([
      { kind: 'failed', code: 'OVERRIDE_REASON_REQUIRED' },
    ])
    const why = { duplicatePolicy: 'warn', overrideReason: 'On purpose.' } as const
    expect(await createCases(service.client, target, twin, why)).toMatchObject([
      { kind: 'created', code: 'DUPLICATE_CONTENT' },
    ])
  })

  test('report a repeated key, and a key that was used for something else', async () => {
    const { suiteId } = await bring(fileOf([caseOf('there', 'one')]))
    const send = async (form: CaseForm) => {
      const input = { projectId, suiteId, body: { cases: [form] } }
      return outcomesOf([form], await service.client.cases.createBatch(input, { idempotencyKey: `key-${suiteId}` }))
    }
    expect(await send(caseOf('k', 'two'))).toMatchObject([{ kind: 'created' }])
    expect(await send(caseOf('k', 'two'))).toMatchObject([{ kind: 'replayed' }])
    expect(await send(caseOf('l', 'three'))).toMatchObject([{ kind: 'failed', code: 'IDEMPOTENCY_CONFLICT' }])
    expect(OUTCOME_WORDS['IDEMPOTENCY_CONFLICT']).toBeDefined()
  })

  test('cover more cases than one request accepts', async () => {
    const { suiteId } = await bring(fileOf([caseOf('first')]))
    const forms = Array.from({ length: 230 }, (_, at) => caseOf(`many-${at}`))
    const outcomes = await createCases(service.client, { projectId, suiteId }, forms)
    expect(outcomeCounts(outcomes)).toBe('230 created')
    expect(outcomes.map(({ form }) => form.id)).toEqual(forms.map(({ id }) => id))
  })

  test('count a case as failed that the answer does not mention', () => {
    const answer = { created: [], failed: [], duplicatePolicy: { effectivePolicy: 'block' } }
    expect(outcomesOf([caseOf('a')], answer)).toMatchObject([{ kind: 'failed', code: 'NOT_ANSWERED' }])
  })
})
