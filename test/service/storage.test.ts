import { closeSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { allEndpoints, API_PREFIX, contract } from '../../src/api/contract/contract.ts'
import { StorageError } from '../../src/api/contract/error.ts'
import { pathParameters } from '../../src/api/contract/endpoint.ts'
import { describeError } from '../../src/api/client/errors/error-text.ts'
import { createService } from '../../src/service/workspace/service.ts'
import { followRun } from '../../src/cli/follow/follow-run.ts'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { openStore } from '../../src/service/workspace/store.ts'
import { createApi, longCase, sandbox, temporaryDirectory } from './harness.ts'

const { projects, suites } = contract

/** The error that SQLite gives for a database that may not grow, which is the same for a full disk. */
function fullDisk(): unknown {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE t (v BLOB); PRAGMA max_page_count = 2')
  try {
    database.exec('INSERT INTO t VALUES (zeroblob(100000))')
  } catch (error) {
    return error
  } finally {
    database.close()
  }
  throw new Error('The database grew.')
}

async function served() {
  const service = await createService({
    dataDir: temporaryDirectory(),
    rateLimit: { perMinute: 100_000, burst: 10_000 },
  })
  onTestFinished(service.close)
  const { store } = service
  const write = store.write
  const fill = () => {
    const error = fullDisk()
    // Like SQLite: everything is undone, and the statement that wrote reports the error.
    store.write = () => {
      throw error
    }
  }
  return { service, store, fill, empty: () => (store.write = write), api: createApi(service.fetch, service.localKey) }
}

test('reads are answered while nothing can be written, and a failed write says what to do', async () => {
  const { api, fill, empty } = await served()
  const { projectId, suiteId } = await sandbox(api)
  onTestFinished(() => void empty())
  fill()
  const ids: Record<string, string> = { projectId, suiteId }
  for (const endpoint of allEndpoints().filter(({ method }) => method === 'GET')) {
    const named = Object.fromEntries(pathParameters(endpoint.path).map(name => [name, ids[name] ?? 'x']))
    const { operation } = endpoint
    const { status } = await api.send(endpoint, named)
    expect({ operation, failed: status >= 500 }).toEqual({ operation, failed: false })
  }
  expect((await api.call(suites.list, { projectId })).items).not.toEqual([])
  expect(await api.refused(projects.create, { body: { name: 'new' } })).toMatchObject({
    status: 500,
    code: 'INTERNAL_ERROR',
    message: expect.stringMatching(/disk .* is full.*Free space/),
  })
  empty()
  expect(await api.call(projects.create, { body: { name: 'new' } })).toMatchObject({ name: 'new' })
})

test('the process that executes a run stops following it if its end cannot be stored', async () => {
  const { service, api, fill, empty } = await served()
  onTestFinished(() => void empty())
  const { projectId, serverId } = await sandbox(api)
  const tests = [{ ...longCase('long', 1), runs: 1, model: 'm', provider: 'm' }]
  const body = { suiteName: 'Long', tests, serverIds: [serverId] }
  const { runId } = await api.call(contract.runs.create, { projectId, body })
  fill()
  const baseUrl = `http://local.test${API_PREFIX}`
  const budget = createBudget({ unlimited: true })
  const client = createClient({ fetch: service.answer, baseUrl, key: service.localKey, budget })
  const { signal } = new AbortController()
  const executed = service.settle().then(() => true)
  const options = { interrupt: signal, timeout: signal, onEvent: () => undefined, executed }
  const followed = await followRun(client, { projectId, runId }, options)
  expect(followed).toMatchObject({ kind: 'refused', error: { code: 'unrecorded-run' }, run: { status: 'running' } })
})

const BREAKAGES: Record<string, [title: RegExp, (dataDir: string) => void]> = {
  'a file that is no database': [
    /damaged/,
    dataDir => writeFileSync(join(dataDir, 'mcpdeck.sqlite'), 'x'.repeat(10_000)),
  ],
  'pages that were overwritten': [
    /damaged/,
    dataDir => {
      const file = openSync(join(dataDir, 'mcpdeck.sqlite'), 'r+')
      writeSync(file, Buffer.alloc(400_000, 0x5a), 0, 400_000, 4096)
      closeSync(file)
    },
  ],
  'a missing key file': [/secret\.key is missing/, dataDir => rmSync(join(dataDir, 'secret.key'))],
  'a cut key file': [/not the key/, dataDir => truncateSync(join(dataDir, 'secret.key'), 7)],
}

test.each(Object.entries(BREAKAGES))('%s is reported with its own message', (_what, [sentence, damage]) => {
  const dataDir = temporaryDirectory()
  openStore({ dataDir }).close()
  damage(dataDir)
  let thrown: unknown
  try {
    openStore({ dataDir }).close()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(StorageError)
  const told = describeError(thrown)
  expect(told.title).toBe('Workspace not usable')
  expect(told.sentence).toMatch(sentence)
  expect(told.next).not.toBe('')
})
