import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { echoCase, longCase, open, sandbox, temporaryDirectory, untilEnded, type Api } from './harness.ts'
import { startServe } from './start-child.ts'

const { projects, clients, environments, suites, cases, runs, iterations, servers } = contract

const config = { modelId: 'a/b' }
/** Fifty requests to each of the two processes. */
const AT_ONCE = 100

/** One workspace, served by a separate process and open in this one. */
async function twoProcesses(options: { rateLimit?: number; maxRuns?: number } = {}) {
  const dataDir = temporaryDirectory()
  const served = await startServe(dataDir, { rateLimit: 0, ...options })
  const here = await open({ dataDir, maxConcurrentRuns: options.maxRuns ?? 2 })
  const apis = [served.api, here.api] as const
  return {
    dataDir,
    store: here.store,
    apis,
    of: (index: number) => apis[index % apis.length]!,
    ...(await sandbox(here.api)),
  }
}

const many = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

const ok = (answers: readonly Response[]) => answers.filter(answer => answer.ok)
const statuses = (answers: readonly Response[]) => [...new Set(answers.map(({ status }) => status))].toSorted()

function expectSound(path: string) {
  const database = new DatabaseSync(path, { readOnly: true })
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  database.close()
}

test('fifty mixed requests to each of two processes lose nothing and break nothing', async () => {
  const { store, of, projectId, suiteId, serverId } = await twoProcesses()
  const kinds: ((api: Api, index: number) => Promise<Response>)[] = [
    (api, index) => api.send(cases.create, { projectId, suiteId, body: echoCase(`case ${index}`, `text ${index}`) }),
    (api, index) => api.send(clients.create, { projectId, body: { name: `client ${index}`, config } }),
    (api, index) => api.send(projects.create, { body: { name: `project ${index}` } }),
    (api, index) =>
      api.send(servers.callTool, {
        projectId,
        serverId,
        body: { toolName: 'echo', parameters: { message: `${index}` } },
      }),
    api => api.send(suites.get, { projectId, suiteId }),
  ]
  const [casesBefore, clientsBefore] = [store.cases.list(suiteId).length, store.clients.list(projectId).length]
  const answers = await many(AT_ONCE, index =>
    kinds[index % kinds.length]!(of(Math.floor(index / kinds.length)), index),
  )
  expect(statuses(answers)).toEqual([200, 201])
  expect(store.cases.list(suiteId)).toHaveLength(casesBefore + AT_ONCE / kinds.length)
  expect(store.clients.list(projectId)).toHaveLength(clientsBefore + AT_ONCE / kinds.length)
  expect((await of(0).call(projects.list)).items).toHaveLength(1 + AT_ONCE / kinds.length)
  expectSound(store.directory!.database)
})

test('one of many edits with the same expected revision wins, and the others write nothing', async () => {
  const { store, of, projectId } = await twoProcesses()
  const client = await of(0).call(clients.create, { projectId, body: { name: 'contended', config } })
  const target = { projectId, clientId: client.id }
  const renamed = await many(AT_ONCE, index =>
    of(index).send(clients.update, { ...target, body: { expectedName: 'contended', name: `winner ${index}` } }),
  )
  expect(ok(renamed)).toHaveLength(1)
  expect(statuses(renamed)).toEqual([200, 409])
  const [won] = ok(renamed)
  expect(await of(1).call(clients.get, target)).toMatchObject(((await won!.json()) as object) ?? {})

  const environment = await of(0).call(environments.create, {
    projectId,
    body: { name: 'contended', hostId: client.id },
  })
  const place = { projectId, environmentId: environment.id }
  const edited = await many(AT_ONCE, index =>
    of(index).send(environments.update, {
      ...place,
      body: { expectedRevision: environment.revision, description: `by ${index}` },
    }),
  )
  expect(ok(edited)).toHaveLength(1)
  expect(statuses(edited)).toEqual([200, 409])
  const after = await of(1).call(environments.get, place)
  expect(after).toMatchObject({ revision: environment.revision + 1, description: expect.stringMatching(/^by \d+$/) })

  // After a refusal the process reads again and repeats: every edit is applied exactly once.
  const insist = async (index: number): Promise<void> => {
    for (;;) {
      const { revision } = await of(index).call(environments.get, place)
      const answer = await of(index).send(environments.update, {
        ...place,
        body: { expectedRevision: revision, description: `again ${index}` },
      })
      if (answer.ok) return
      expect(answer.status).toBe(409)
    }
  }
  await many(12, insist)
  expect(await of(0).call(environments.get, place)).toMatchObject({ revision: after.revision + 12 })
  expectSound(store.directory!.database)
})

test('no more runs are in flight than allowed, whichever process launches them', async () => {
  const { store, of, projectId, serverId } = await twoProcesses({ maxRuns: 3 })
  const tests = [{ ...longCase('slow', 60), model: 'm', provider: 'm', runs: 1 }]
  const launched = await many(AT_ONCE, index =>
    of(index).send(runs.create, { projectId, body: { suiteName: `Run ${index}`, tests, serverIds: [serverId] } }),
  )
  expect(ok(launched)).toHaveLength(3)
  expect(statuses(launched)).toEqual([202, 429])
  expect(store.runs.inFlight()).toHaveLength(3)
  for (const answer of launched.filter(({ status }) => status === 429))
    expect(await answer.json()).toMatchObject({ details: { reason: 'CONCURRENT_RUN_LIMIT', limit: 3 } })
  // A refused launch leaves no suite behind.
  const { items } = await of(0).call(suites.list, { projectId })
  expect(items.filter(({ name }) => name?.startsWith('Run '))).toHaveLength(3)
  await Promise.all(store.runs.inFlight().map(({ id }, index) => of(index).call(runs.cancel, { projectId, runId: id })))
  expect(store.runs.inFlight()).toEqual([])
  expectSound(store.directory!.database)
})

test('one launch intent makes one run, whichever process repeats it', async () => {
  const { of, projectId, serverId } = await twoProcesses()
  const tests = [{ ...echoCase('echo', 'once'), model: 'm', provider: 'm', runs: 1 }]
  const body = { suiteName: 'Once', tests, serverIds: [serverId] }
  // An idempotency key belongs to the API key that sent it.
  const extra = { headers: { 'idempotency-key': 'one intent' }, key: of(1).key }
  const answers = await many(20, index => of(index).call(runs.create, { projectId, body }, extra))
  expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1)
  expect(answers.filter(({ deduped }) => !deduped)).toHaveLength(1)
  const run = await untilEnded(of(0), projectId, answers[0]!.runId)
  expect(run).toMatchObject({ status: 'completed', result: 'passed' })
})

test('two processes read a run to the same end while they write', async () => {
  const { store, of, projectId, suiteId } = await twoProcesses()
  const { runId } = await of(0).call(runs.create, { projectId, body: { suiteId } })
  const body = { name: 'noise' }
  const noise = many(30, index => of(index).send(projects.create, { body }))
  const [first, second] = await Promise.all([untilEnded(of(0), projectId, runId), untilEnded(of(1), projectId, runId)])
  expect(first).toEqual(second)
  expect(statuses(await noise)).toEqual([201])
  const pages = await many(2, index => of(index).call(iterations.list, { projectId, runId }))
  expect(pages[0]).toEqual(pages[1])
  expectSound(store.directory!.database)
})
