import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { describeError } from '../../src/api/client/errors/error-text.ts'
import { openJournal } from '../../src/api/client/journal/journal.ts'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { bytesOf, createScene, launch, SECRET } from './scene.ts'

const { servers } = contract
function scene() {
  const created = createScene()
  onTestFinished(created.remove)
  return created
}

describe('the journal', () => {
  test('belongs only to its owner and is created by the first write', async () => {
    const { file, start } = scene()
    const { journal } = start()
    expect(await journal.unresolved()).toEqual([])
    expect(existsSync(file)).toBe(false)
    await journal.begin(launch(1))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
  })

  test('records the time of day, even after the machine slept', async () => {
    const { file } = scene()
    const journal = openJournal({ file, profile: 'one' })
    onTestFinished(() => void vi.useRealTimers())
    const morning = Date.UTC(2100, 0, 2, 7)
    vi.useFakeTimers({ toFake: ['Date'], now: morning })
    const intent = await journal.begin(launch(1))
    intent.settle({ outcome: 'unknown', code: 'reset' })
    expect(await journal.unresolved()).toMatchObject([{ intendedAt: morning, lastSeenAt: morning }])
    await journal.close()
  })

  test('of a newer version is refused with its name and left unchanged, and nothing is sent', async () => {
    const { file, start } = scene()
    const { journal } = start()
    await journal.begin(launch(1))
    await journal.close()
    const later = new DatabaseSync(file)
    later.exec('PRAGMA user_version = 99')
    later.close()
    const before = readFileSync(file)
    const next = start().journal
    const why = `${file} was written by a newer version of mcpdeck`
    await expect(next.begin(launch(2))).rejects.toThrow(`(${why}), so nothing was sent.`)
    const told = describeError(await next.unresolved().catch((error: unknown) => error))
    expect([told.sentence, told.next]).toEqual([`${why}.`, 'Install that version again.'])
    expect(readFileSync(file)).toEqual(before)
  })

  test('tells the entry of a dead process from that of a living one', async () => {
    const { start } = scene()
    const [first, second] = [start(), start()]
    const intent = await first.journal.begin(launch(1))
    intent.sent()
    expect(await second.journal.unresolved()).toEqual([])
    first.kill()
    expect(await second.journal.unresolved()).toMatchObject([
      {
        id: 1,
        operation: 'createEvalRun',
        input: { projectId: 'p', body: { suiteId: 'suite-1' } },
        complete: false,
        idempotencyKey: 'key-1',
        sent: true,
        intendedAt: expect.any(Number),
        lastSeenAt: expect.any(Number),
      },
    ])
  })

  test('reports an unknown outcome at once, and keeps profiles separate', async () => {
    const { start } = scene()
    const { journal } = start()
    ;(await journal.begin(launch(1))).settle({ outcome: 'unknown', code: 'reset' })
    ;(await journal.begin(launch(2))).settle({ outcome: 'refused', code: 'CONFLICT' })
    expect((await start().journal.unresolved()).map(({ id }) => id)).toEqual([1])
    expect(await start('another').journal.unresolved()).toEqual([])
    const ended = { operation: 'createEvalRun', intendedAt: expect.any(Number), finding: null, result: {} }
    expect(await journal.since(0)).toEqual([
      { ...ended, place: [['projectId', 'p']], outcome: 'unknown', code: 'reset' },
      { ...ended, place: [['projectId', 'p']], outcome: 'refused', code: 'CONFLICT' },
    ])
    const later = Date.now() + 60_000
    expect(await journal.since(later)).toEqual([])
    expect(await start('another').journal.since(0)).toEqual([])
  })

  test('stores what the person was told with the last successful write of its kind', async () => {
    const { start } = scene()
    const { journal } = start()
    ;(await journal.begin(launch(1))).settle({ outcome: 'succeeded', result: { runId: 'one' } })
    ;(await journal.begin(launch(2))).settle({ outcome: 'succeeded', result: { runId: 'two' } })
    ;(await journal.begin(launch(3))).settle({ outcome: 'refused', code: 'CONFLICT' })
    await journal.tell(['createEvalRun', 'cancelEvalRun'], 0, 'Launched Nightly.')
    await journal.tell(['createEvalRun'], Date.now() + 60_000, 'Too late.')
    expect((await journal.since(0)).map(({ result }) => result)).toEqual([
      { runId: 'one' },
      { runId: 'two', words: 'Launched Nightly.' },
      {},
    ])
  })

  test('when closed during a write, records an available answer, or that the outcome is unknown', async () => {
    const { start } = scene()
    const [ending, other] = [start(), start()]
    const answered = await ending.journal.begin(launch(1))
    const open = await ending.journal.begin(launch(2))
    answered.sent()
    open.sent()
    const closed = ending.journal.close()
    setImmediate(() => setImmediate(() => answered.settle({ outcome: 'succeeded', result: { runId: 'r' } })))
    await closed
    // The process is still running.
    expect(await other.journal.unresolved()).toMatchObject([{ id: 2, sent: true }])
    expect([...(await other.journal.knownRunIds())]).toEqual(['r'])
  })

  test('a claim expires, or ends with its process', async () => {
    const { start, clock } = scene()
    const writer = start()
    await writer.journal.begin(launch(1))
    writer.kill()
    const [one, two] = [start(), start()]
    const [entry] = await one.journal.unresolved()
    const claim = await one.journal.claim(entry!)
    expect(await two.journal.claim(entry!)).toBeUndefined()
    clock.advance(5 * 60_000 + 1)
    const later = await two.journal.claim(entry!)
    expect(later).toBeDefined()
    expect(claim!.conclude('happened')).toBe(false)
    two.kill()
    const last = await one.journal.claim(entry!)
    expect(last!.conclude('cannot-be-known')).toBe(true)
    expect(await one.journal.unresolved()).toEqual([])
  })

  test('settled entries are removed after a week or two thousand writes, open ones stay', async () => {
    const { start, clock, file } = scene()
    const { journal, kill } = start()
    await journal.begin(launch(0))
    ;(await journal.begin(launch(1))).settle({ outcome: 'succeeded', result: {} })
    const { DatabaseSync } = await import('node:sqlite')
    const reader = new DatabaseSync(file)
    const ids = () =>
      reader
        .prepare('SELECT id FROM entries ORDER BY id')
        .all()
        .map(row => row['id'])
    reader.exec(`UPDATE sqlite_sequence SET seq = 2000 WHERE name = 'entries'`)
    ;(await journal.begin(launch(2))).settle({ outcome: 'succeeded', result: {} })
    expect(ids()).toEqual([1, 2, 2_001])
    await journal.begin(launch(3))
    expect(ids()).toEqual([1, 2_001, 2_002])
    clock.advance(7 * 24 * 60 * 60_000 + 1)
    kill()
    expect(await start().journal.unresolved()).toHaveLength(2)
    expect(ids()).toEqual([1, 2_002])
    reader.close()
  })

  test.each([
    ['a file in the way of its directory', (file: string) => writeFileSync(dirname(file), '')],
    [
      'a file that is no database',
      (file: string) => {
        mkdirSync(dirname(file))
        writeFileSync(file, 'x'.repeat(5_000))
      },
    ],
  ])('with %s refuses the write', async (_name, spoil) => {
    const { file, start } = scene()
    spoil(file)
    await expect(start().journal.begin(launch(1))).rejects.toMatchObject({
      kind: 'refused',
      code: 'journal',
      sent: false,
      message: expect.stringContaining(`The journal of writes ${file} cannot be written`),
    })
  })
})

describe('the secrets of a write', () => {
  test.each(allEndpoints().flatMap(endpoint => (endpoint.secrets ?? []).map(path => [endpoint.operation, path])))(
    'are declared for %s at %s, a place that its input has',
    (operation, path) => {
      const endpoint = allEndpoints().find(other => other.operation === operation)!
      const [root, ...names] = path.split('.')
      expect(root).toBe('body')
      let schema = z.toJSONSchema(endpoint.body!, { io: 'input', unrepresentable: 'any' })
      for (const name of names) {
        expect(schema.properties).toHaveProperty(name)
        schema = schema.properties![name] as typeof schema
      }
    },
  )

  test('never reach the disk', async () => {
    const { file, start } = scene()
    const { journal } = start()
    const body = {
      name: 'a server',
      enabled: true,
      transportType: 'stdio',
      args: [SECRET],
      env: { TOKEN: SECRET },
      headers: { authorization: SECRET },
      clientSecret: SECRET,
    }
    const tokens = {
      serverUrl: 'https://a.test',
      tokens: { access_token: SECRET },
      clientInformation: { clientId: 'c', clientSecret: SECRET },
    }
    const place = { projectId: 'p', serverId: 's' }
    const none = { idempotencyKey: undefined }
    await journal.begin({ endpoint: servers.create, input: { projectId: 'p', body }, ...none })
    await journal.begin({ endpoint: servers.update, input: { ...place, body }, ...none })
    await journal.begin({ endpoint: servers.importTokens, input: { ...place, body: tokens }, ...none })
    await journal.begin(launch(1))
    expect(bytesOf(file)).toContain('a server')
    expect(bytesOf(file)).not.toContain(SECRET)
  })

  test('are removed with the input when the outcome is known', async () => {
    const { file, start } = scene()
    const intent = await start().journal.begin(launch(1))
    expect(bytesOf(file)).toContain('suite-1')
    intent.settle({ outcome: 'succeeded', result: { runId: 'run-1' } })
    expect(bytesOf(file)).not.toContain('suite-1')
  })
})
