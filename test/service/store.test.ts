import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { createService } from '../../src/service/workspace/service.ts'
import { newId } from '../../src/service/core/ids.ts'
import { openStore } from '../../src/service/workspace/store.ts'
import { createApi, echoCase, open, sandbox, temporaryDirectory, untilEnded } from './harness.ts'

const { runs, iterations, projects, servers } = contract
const modeOf = (path: string) => statSync(path).mode & 0o777

test('only the owner can use the data directory', async () => {
  const { store } = await open()
  const { path, database, sealingKey, localKey } = store.directory!
  expect(modeOf(path)).toBe(0o700)
  for (const file of [database, `${database}-wal`, `${database}-shm`, sealingKey, localKey])
    expect({ file, mode: modeOf(file) }).toEqual({ file, mode: 0o600 })
})

test('an unusable path for the data directory is refused at once with a sentence', () => {
  const folder = temporaryDirectory()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const opened = (dataDir: string) => () => openStore({ dataDir })
  expect(opened(file)).toThrow(`${file}: not a directory`)
  expect(opened(join(file, 'below'))).toThrow('ENOTDIR')
  expect(opened(join(folder, 'no\0text'))).toThrow('without null bytes')
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  expect(opened(join(folder, 'link'))).toThrow('link: not a directory')
  const deep = openStore({ dataDir: join(folder, 'a', 'b\n', 'c') })
  deep.close()
  expect(modeOf(join(folder, 'a'))).toBe(0o700)
})

test('a directory that others use is refused, and keeps its permissions', () => {
  const folder = temporaryDirectory()
  const shared = join(folder, 'shared')
  mkdirSync(shared, { mode: 0o755 })
  chmodSync(shared, 0o755)
  writeFileSync(join(shared, 'of-someone.txt'), '')
  expect(() => openStore({ dataDir: shared })).toThrow('shared holds other files, which others may read')
  expect(modeOf(shared)).toBe(0o755)
  unlinkSync(join(shared, 'of-someone.txt'))
  openStore({ dataDir: shared }).close()
  expect(modeOf(shared)).toBe(0o700)
  chmodSync(shared, 0o755)
  openStore({ dataDir: shared }).close()
  expect(modeOf(shared)).toBe(0o700)
})

test.runIf(process.platform === 'linux')('if the system cannot create directories the store fails at once', () => {
  expect(() => openStore({ dataDir: '/proc/mcpdeck/data' })).toThrow('/proc/mcpdeck: no directory can be made there')
})

test('a second start finds everything unchanged', async () => {
  const dataDir = temporaryDirectory()
  const first = await createService({ dataDir })
  const known = await sandbox(createApi(first.fetch, first.localKey))
  await first.close()
  const second = await open({ dataDir })
  expect(second.localKey).toBe(first.localKey)
  expect(await sandbox(second.api)).toEqual(known)
  expect((await second.api.call(projects.list)).items).toHaveLength(1)
})

test('a start without anything to change writes nothing, and does not wait for other writers', async () => {
  const dataDir = temporaryDirectory()
  const first = await createService({ dataDir })
  const file = first.store.directory!.database
  await first.close()
  const before = readFileSync(file)
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const second = await createService({ dataDir })
  expect((await createApi(second.fetch, second.localKey).call(projects.list)).items).toHaveLength(1)
  expect(statSync(`${file}-wal`).size).toBe(0)
  await second.close()
  other.exec('ROLLBACK')
  expect(readFileSync(file)).toEqual(before)
})

test('a lost local key is replaced, a new database keeps it, and a wrong sealing key is reported', async () => {
  const dataDir = temporaryDirectory()
  const first = await createService({ dataDir })
  await first.close()
  unlinkSync(join(dataDir, 'local.key'))
  const second = await createService({ dataDir })
  expect(second.localKey).not.toBe(first.localKey)
  await second.close()
  unlinkSync(join(dataDir, 'mcpdeck.sqlite'))
  const third = await createService({ dataDir })
  expect(third.localKey).toBe(second.localKey)
  await third.close()
  const sealingKey = readFileSync(join(dataDir, 'secret.key'))
  writeFileSync(join(dataDir, 'secret.key'), Buffer.alloc(32))
  await expect(createService({ dataDir })).rejects.toThrow(/secret\.key .* not the key of this workspace/)
  writeFileSync(join(dataDir, 'secret.key'), sealingKey)
  await (await createService({ dataDir })).close()
})

test('the reference server is found again after it moved', async () => {
  const dataDir = temporaryDirectory()
  const first = await open({ dataDir })
  const { projectId, serverId } = await sandbox(first.api)
  const server = first.store.servers.get(projectId, serverId)!
  const moved = { command: process.execPath, args: ['/gone/dist/index.js', 'stdio'] }
  first.store.write(() => first.store.servers.update({ ...server, secrets: moved }))
  const second = await open({ dataDir })
  expect(await second.api.call(servers.validate, { projectId, serverId })).toMatchObject({ success: true })
  expect(second.store.servers.get(projectId, serverId)?.secrets).toEqual(server.secrets)
})

test('a workspace in memory leaves nothing behind', async () => {
  const service = await createService({ memory: true })
  onTestFinished(() => service.close())
  expect(service.store.directory).toBeUndefined()
  const api = createApi(service.fetch, service.localKey)
  expect((await api.call(projects.list)).items).toMatchObject([{ name: 'Sandbox' }])
})

describe('a cursor', () => {
  test('that is changed, foreign or made up is refused', async () => {
    const { api } = await open({ maxConcurrentRuns: 5 })
    const { projectId, serverId } = await sandbox(api)
    const tests = [{ ...echoCase('a', 'a'), runs: 3, model: 'm', provider: 'm' }]
    const launch = () => api.call(runs.create, { projectId, body: { suiteName: 's', tests, serverIds: [serverId] } })
    const [one, two] = [await launch(), await launch()]
    await Promise.all([one, two].map(({ runId }) => untilEnded(api, projectId, runId)))
    const list = { projectId, runId: one.runId, limit: 1 }
    const { nextCursor } = await api.call(iterations.list, list)
    const cursor = nextCursor ?? ''
    expect((await api.call(iterations.list, { ...list, cursor })).items).toHaveLength(1)
    const refuse = (forged: string, runId = one.runId) =>
      api.refused(iterations.list, { projectId, runId, cursor: forged })
    const wanted = { status: 400, code: 'VALIDATION_ERROR', details: { field: 'cursor' } }
    expect(await refuse(cursor, two.runId)).toMatchObject(wanted)
    for (const forged of [
      '1',
      `${cursor}A`,
      ` ${cursor}`,
      `${cursor}=`,
      cursor.slice(1),
      Buffer.alloc(17).toString('base64url'),
    ])
      expect(await refuse(forged)).toMatchObject(wanted)
  })

  test('with any single character changed is refused', () => {
    const store = openStore({ memory: true })
    onTestFinished(() => store.close())
    const position = fc.nat()
    const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
    fc.assert(
      fc.property(position, fc.nat(), letter, (at, place, replacement) => {
        const cursor = store.cursors.write('list', at)
        expect(store.cursors.read('list', cursor)).toBe(at)
        const index = place % cursor.length
        if (cursor[index] === replacement) return
        const forged = cursor.slice(0, index) + replacement + cursor.slice(index + 1)
        expect(() => store.cursors.read('list', forged)).toThrow('cursor')
      }),
    )
  })
})

test('ids sort in the order in which they were created', () => {
  const ids = Array.from({ length: 5000 }, () => newId('run'))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids[0]).toMatch(/^run_[0-9a-z]{26}$/)
})

test('a failed write leaves nothing behind, even if another write joined its transaction', () => {
  const store = openStore({ memory: true })
  onTestFinished(() => store.close())
  const fail = () =>
    store.write(() => {
      store.write(() => store.organizations.insert('one'))
      throw new Error('no')
    })
  expect(fail).toThrow('no')
  const kept = store.write(() => store.organizations.insert('two'))
  expect(store.organizations.get(kept.id)?.name).toBe('two')
})
