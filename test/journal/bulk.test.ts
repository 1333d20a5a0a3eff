import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { choicesOf } from '../../src/api/client/read-back/open-write.ts'
import { dismiss, sendAgain } from '../../src/api/client/read-back/resolve.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { open, shown } from './faulty-line.ts'
import { createScene, launch } from './scene.ts'

const PROJECTS = ['One', 'Two', 'Three', 'Four']

/** A bulk delete of projects by a process that ends after the given number, and the findings of the next process. */
async function broken(after: number, of = PROJECTS) {
  const opened = await open()
  const { direct, start } = opened
  const ids: string[] = []
  for (const name of of) ids.push((await direct.projects.create({ body: { name } })).id)
  const dying = start()
  const writes = ids.map(projectId => ({ endpoint: contract.projects.delete, input: { projectId } }))
  await dying.journal.plan(writes)
  for (const projectId of ids.slice(0, after)) await dying.client.projects.delete({ projectId })
  dying.kill()
  const next = start()
  const left = async () => (await direct.projects.list()).items.map(({ id }) => id).filter(id => ids.includes(id))
  return { ...opened, ...next, ids, left, options: { journal: next.journal, client: next.client } }
}

test('the rest of a bulk action is reported at each start, and sent once if a person asks for it', async () => {
  const { resolve, seen, journal, options, left, ids } = await broken(1)
  expect(shown(await resolve())).toEqual([
    ['did-not-happen', 'Delete project, 4 at once broke off: 1 of 4 done, 3 never left this machine.'],
  ])
  expect(await resolve()).toMatchObject([{ finding: 'did-not-happen', isOpen: true }])
  expect([seen.filter(each => each.startsWith('DELETE')).length, await left()]).toEqual([1, ids.slice(1)])
  const [entry] = await journal.unresolved()
  expect(await sendAgain(options, entry!)).toMatchObject({
    finding: 'happened',
    isOpen: false,
    sentence: expect.stringMatching(/^Delete project, 4 at once \(.*\): 3 sent now\.$/),
  })
  expect([await left(), await journal.unresolved()]).toEqual([[], []])
})

test('writes that another person or action has made meanwhile are not sent', async () => {
  const { resolve, client, direct, journal, options, seen, ids } = await broken(1)
  await resolve()
  await client.projects.delete({ projectId: ids[1]! })
  await direct.projects.delete({ projectId: ids[2]! })
  const [entry] = await journal.unresolved()
  expect(entry!.bulk).toMatchObject({ of: 4, done: 2, refused: 0, inDoubt: 0 })
  expect(await sendAgain(options, entry!)).toMatchObject({
    sentence: expect.stringMatching(/: 1 sent now, 1 over meanwhile\.$/),
  })
  expect(seen.filter(each => each.startsWith('DELETE'))).toHaveLength(3)
})

test('a rest that takes longer than a claim lasts is sent by one process only', async () => {
  const { start, clock, options, seen, left, journal, resolve } = await broken(1)
  await resolve()
  const [entry] = await journal.unresolved()
  const other = start()
  const looks: unknown[] = []
  const exchange: typeof options.client.exchange = async (...call) => {
    const answer = await options.client.exchange(...call)
    clock.advance(4 * 60_000)
    looks.push((await sendAgain(other, entry!)).finding)
    return answer
  }
  const slow = { ...options, clock, client: { ...options.client, exchange } }
  expect(await sendAgain(slow, entry!)).toMatchObject({ finding: 'happened' })
  expect([looks, await left()]).toEqual([['busy', 'busy', 'busy'], []])
  expect(seen.filter(each => each.startsWith('DELETE'))).toHaveLength(4)
})

test('a process that lost its claim on a rest sends no more of it', async () => {
  const { start, clock, seen } = await open()
  const dying = start()
  const { create } = contract.projects
  await dying.journal.plan(PROJECTS.map(name => ({ endpoint: create, input: { body: { name } } })))
  dying.kill()
  const [one, other] = [start(), start()]
  const [entry] = await one.journal.unresolved()
  const exchange: typeof one.client.exchange = async (...call) => {
    const answer = await one.client.exchange(...call)
    clock.advance(6 * 60_000)
    expect(await sendAgain({ ...other, clock }, entry!)).toMatchObject({ finding: 'happened' })
    return answer
  }
  const slow = { journal: one.journal, clock, client: { ...one.client, exchange } }
  expect(await sendAgain(slow, entry!)).toMatchObject({ finding: 'busy' })
  expect(seen).toHaveLength(4)
})

test('of two equal writes of a bulk action, a record of one leaves the other to be sent', async () => {
  const { start, remove } = createScene()
  onTestFinished(remove)
  const first = start()
  await first.journal.plan([launch(1), { ...launch(1), idempotencyKey: 'second' }, launch(2)])
  ;(await first.journal.begin(launch(1))).settle({ outcome: 'succeeded', result: {} })
  first.kill()
  const [entry] = await start().journal.unresolved()
  expect(entry!.bulk).toMatchObject({ done: 1, rest: [{ idempotencyKey: 'second' }, { idempotencyKey: 'key-2' }] })
})

test.each([
  ['breaks', ['lost', 'lost'], { kind: 'network' }, 2],
  ['is redirected', ['redirected'], { status: 302 }, 1],
] as const)(
  'a connection that %s while the rest is sent leaves the unsent writes in the list',
  async (_, fates, failure, there) => {
    const { resolve, meet, journal, options, left } = await broken(1)
    await resolve()
    const [entry] = await journal.unresolved()
    void meet('answered', ...fates)
    await expect(sendAgain(options, entry!)).rejects.toMatchObject(failure)
    expect(await left()).toHaveLength(there)
    const open = await journal.unresolved()
    expect(open.map(({ bulk }) => bulk)).toMatchObject([{ done: 2, inDoubt: 1, rest: [{}] }, undefined])
  },
)

test('a bulk action that ended, was dismissed or had only one write leaves no entry', async () => {
  const { resolve, journal, options } = await broken(1)
  await resolve()
  const [entry] = await journal.unresolved()
  expect(await dismiss(options, entry!)).toMatchObject({ isOpen: false })
  expect(await journal.unresolved()).toEqual([])
  const single = await broken(0, ['One'])
  expect(await single.resolve()).toEqual([])
  const whole = await broken(4)
  expect(await whole.resolve()).toEqual([])
})

test('a bulk action whose writes have all ended is settled when the journal is next read', async () => {
  const { file, start, remove } = createScene()
  onTestFinished(remove)
  const first = start()
  await first.journal.plan([launch(1), launch(2)])
  for (const number of [1, 2]) (await first.journal.begin(launch(number))).settle({ outcome: 'succeeded', result: {} })
  first.kill()
  expect(await start().journal.unresolved()).toEqual([])
  const reader = new DatabaseSync(file, { readOnly: true })
  expect(reader.prepare('SELECT id FROM entries WHERE open = 1').all()).toEqual([])
  reader.close()
})

test('after a day the rest of a bulk action is reported but no longer sent', async () => {
  const { resolve, clock, journal } = await broken(2)
  clock.advance(25 * 60 * 60_000)
  expect(await resolve()).toMatchObject([{ finding: 'did-not-happen', isOpen: true }])
  const [entry] = await journal.unresolved()
  expect(choicesOf(entry!, clock.now())).toEqual(['dismiss'])
})

test('a journal of the previous version is opened with its open writes', async () => {
  const { file, start, remove } = createScene()
  onTestFinished(remove)
  const first = start()
  await first.journal.begin(launch(1))
  first.kill()
  await first.journal.close()
  const older = new DatabaseSync(file)
  older.exec(`ALTER TABLE entries DROP COLUMN serviceOffset; ALTER TABLE entries DROP COLUMN planned;
    PRAGMA user_version = 2`)
  older.close()
  const { journal } = start()
  expect(await journal.unresolved()).toMatchObject([{ id: 1, operation: 'createEvalRun' }])
  await journal.begin(launch(2))
})
