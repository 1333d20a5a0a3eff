import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { StorageError } from '../../src/api/contract/error.ts'
import { initial } from '../../src/service/core/database/migrations/0001-to-0014.ts'
import { SCHEMA } from '../../src/service/core/database/migrations/migrations.ts'
import { openStore } from '../../src/service/workspace/store.ts'
import { open, temporaryDirectory } from './harness.ts'
import { OLDER, putOlderWorkspace } from './older-workspace.ts'

const { projects, runs, iterations, servers, clients, environments } = contract
const COPY = `mcpdeck.schema-${OLDER}.sqlite`

function olderWorkspace(): { dataDir: string; file: string } {
  const dataDir = temporaryDirectory()
  return { dataDir, file: putOlderWorkspace(dataDir) }
}

function schemaIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  database.close()
  return version
}

function refusal(dataDir: string): StorageError {
  try {
    openStore({ dataDir }).close()
  } catch (error) {
    if (error instanceof StorageError) return error
    throw error
  }
  throw new Error('It was opened.')
}

test('an older workspace is upgraded with all its data and a copy from before, and that is reported once', async () => {
  const { dataDir, file } = olderWorkspace()
  const { api, store } = await open({ dataDir })
  const [project] = (await api.call(projects.list)).items
  expect(project).toMatchObject({ name: 'Kept' })
  const projectId = project!.id
  const [run] = (await api.call(runs.list, { projectId, suiteId: store.suites.list(projectId)[0]!.id })).items
  expect(run).toMatchObject({ status: 'completed', result: 'failed' })
  const trials = await api.call(iterations.list, { projectId, runId: run!.id })
  expect(trials.items.map(({ title, result }) => [title, result])).toEqual([
    ['Says yes', 'passed'],
    ['Says no', 'failed'],
  ])
  const [server] = (await api.call(servers.list, { projectId })).items
  expect(store.servers.get(projectId, server!.id)?.secrets).toMatchObject({ env: { TOKEN: 'sealed before' } })
  const copy = join(dataDir, COPY)
  expect([statSync(copy).mode & 0o777, schemaIn(copy), schemaIn(file)]).toEqual([0o600, OLDER, SCHEMA])
  expect(readdirSync(dataDir).filter(name => name.endsWith('.part'))).toEqual([])
  expect([store.takeNotice(), store.takeNotice()]).toEqual([
    `The workspace was upgraded. A backup of the old one is in ${copy}.`,
    undefined,
  ])
})

test('the steps in the refusal of an older version restore its workspace, which can be upgraded again', async () => {
  const { dataDir, file } = olderWorkspace()
  openStore({ dataDir }).close()
  // From here on this program plays the older one, and a newer program has left its file and copy.
  const newer = new DatabaseSync(file)
  newer.exec(`PRAGMA user_version = ${SCHEMA + 1}`)
  newer.close()
  const before = readFileSync(file)
  const { message, next } = refusal(dataDir)
  expect(message).toContain(`newer version of mcpdeck (schema ${SCHEMA + 1}, known ${SCHEMA})`)
  expect(next).toContain(`rename ${COPY} to mcpdeck.sqlite`)
  expect(readFileSync(file)).toEqual(before)
  renameSync(file, join(dataDir, 'newer.sqlite'))
  for (const part of ['-wal', '-shm'])
    if (existsSync(file + part)) renameSync(file + part, join(dataDir, `newer${part}`))
  renameSync(join(dataDir, COPY), file)
  const { api } = await open({ dataDir })
  expect((await api.call(projects.list)).items).toMatchObject([{ name: 'Kept' }])
  expect(schemaIn(join(dataDir, COPY))).toBe(OLDER)
})

test('a newer workspace without a copy is refused with a different remedy', () => {
  const dataDir = temporaryDirectory()
  openStore({ dataDir }).close()
  const newer = new DatabaseSync(join(dataDir, 'mcpdeck.sqlite'))
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  expect(refusal(dataDir).next).toBe('Install that version again, or name another directory with --data-dir.')
})

test('a workspace is not upgraded if no copy of it can be kept', () => {
  const { dataDir, file } = olderWorkspace()
  mkdirSync(join(dataDir, `${COPY}.part`))
  expect(() => openStore({ dataDir })).toThrow('EISDIR')
  expect(schemaIn(file)).toBe(OLDER)
})

test('a workspace that another process reads is upgraded, and an incomplete copy is copied again', () => {
  const { dataDir } = olderWorkspace()
  const part = join(dataDir, `${COPY}.part`)
  writeFileSync(part, 'left by a process that was killed')
  const other = new DatabaseSync(join(dataDir, 'mcpdeck.sqlite'), { timeout: 0 })
  onTestFinished(() => other.close())
  other.exec('BEGIN')
  expect(other.prepare('SELECT count(*) AS n FROM project').get()).toEqual({ n: 1 })
  openStore({ dataDir }).close()
  other.exec('COMMIT')
  expect([existsSync(part), schemaIn(join(dataDir, COPY))]).toEqual([false, OLDER])
})

test('a new or current workspace is not backed up', () => {
  const dataDir = temporaryDirectory()
  closeSync(openSync(join(dataDir, 'mcpdeck.sqlite'), 'a'))
  for (let start = 0; start < 2; start += 1) {
    const store = openStore({ dataDir })
    expect(store.takeNotice()).toBeUndefined()
    store.close()
  }
  expect(readdirSync(dataDir).filter(name => name.startsWith('mcpdeck.schema'))).toEqual([])
})

test('a workspace of the first schema is upgraded and keeps its data', async () => {
  const dataDir = temporaryDirectory()
  const database = new DatabaseSync(join(dataDir, 'mcpdeck.sqlite'))
  database.exec(`${initial}; PRAGMA user_version = 1;
    INSERT INTO organization VALUES ('org_1', 'Local workspace', 1);
    INSERT INTO account VALUES ('acc_1', 'Local account', 1, 1);
    INSERT INTO setting VALUES ('localOrganizationId', 'org_1'), ('localAccountId', 'acc_1');
    INSERT INTO project VALUES ('prj_1', 'org_1', 'Older', NULL, NULL, 'private', 1, 1);`)
  database.close()
  const { api } = await open({ dataDir })
  expect((await api.call(projects.list)).items).toMatchObject([{ id: 'prj_1', name: 'Older' }])
  const body = { name: 'Client', template: 'claude' }
  const { id } = await api.call(clients.create, { projectId: 'prj_1', body })
  const stack = { name: 'Nightly', hostId: id }
  expect(await api.call(environments.create, { projectId: 'prj_1', body: stack })).toMatchObject({ revision: 1 })
})
