import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { ApiError } from '../../src/api/client/errors/api-error.ts'
import { dismiss, listUnresolved, sendAgain } from '../../src/api/client/journal/resolve.ts'
import { type Fate, open, shown } from './faulty-line.ts'

describe('a client with a journal', () => {
  test('leaves no entry for reads, and none open after an answer', async () => {
    const { start, projectId, direct } = await open()
    const { client, journal, kill } = start()
    await client.projects.list()
    const made = await client.projects.create({ body: { name: 'Made' } })
    await expect(client.projects.update({ projectId: 'nobody', body: { name: 'x' } })).rejects.toMatchObject({
      status: 404,
    })
    expect((await direct.projects.list()).items.map(({ id }) => id)).toContain(made.id)
    expect(projectId).not.toBe(made.id)
    kill()
    expect(await start().journal.unresolved()).toEqual([])
    expect(await journal.unresolved()).toEqual([])
  })

  test('counts a refusal after a lost answer as unknown', async () => {
    const { start, meet, projectId, suiteId } = await open()
    const { client, journal } = start()
    void meet('answer-lost', 'throttled')
    const call = client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey: 'k' })
    await expect(call).rejects.toMatchObject({ status: 429, sent: true })
    expect(await journal.unresolved()).toMatchObject([{ operation: 'createEvalRun', idempotencyKey: 'k' }])
  })

  test('a write that the person made again is not sent again', async () => {
    const { start, meet, projectId, suiteId, seen, direct } = await open()
    const { client, resolve } = start()
    void meet('lost', 'lost')
    const launch = (idempotencyKey: string) => client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey })
    await expect(launch('first')).rejects.toBeInstanceOf(ApiError)
    await launch('second')
    expect(shown(await resolve())).toEqual([
      ['did-not-happen', 'Create eval run did not happen: no run of the suite began then.'],
    ])
    expect(seen).toHaveLength(3)
    expect((await direct.runs.list({ projectId, suiteId })).items).toHaveLength(1)
    expect(await resolve()).toEqual([])
  })

  test('a launch that was lost waits for a person, who sends it once or dismisses it', async () => {
    const { start, meet, projectId, suiteId, seen, direct } = await open()
    const lost = start()
    void meet('lost', 'lost', 'lost', 'lost')
    for (const idempotencyKey of ['first', 'second']) {
      const body = { suiteId, notes: idempotencyKey }
      await expect(lost.client.runs.create({ projectId, body }, { idempotencyKey })).rejects.toMatchObject({
        kind: 'network',
      })
    }
    lost.kill()
    const { resolve, journal, client } = start()
    const told = await resolve()
    expect(shown(told)).toEqual(
      Array.from({ length: 2 }, () => [
        'did-not-happen',
        'Create eval run did not happen: no run of the suite began then.',
      ]),
    )
    expect(await direct.runs.list({ projectId, suiteId })).toMatchObject({ items: [] })
    expect(seen).toHaveLength(4)
    const [first, second] = await journal.unresolved()
    const { name } = await direct.suites.get({ projectId, suiteId })
    expect(first!.readBack).toMatchObject({ finding: 'did-not-happen', target: name })
    expect(await sendAgain({ journal, client }, first!)).toMatchObject({ finding: 'happened', isOpen: false })
    expect(await dismiss({ journal }, second!)).toMatchObject({ finding: 'did-not-happen', isOpen: false })
    expect((await direct.runs.list({ projectId, suiteId })).items).toHaveLength(1)
    expect(await journal.unresolved()).toEqual([])
    expect(await sendAgain({ journal, client }, first!)).toMatchObject({ finding: 'busy' })
    expect(seen).toHaveLength(5)
  })

  test('what somebody else has done by now is not sent again', async () => {
    const { start, meet, projectId, serverId, direct, seen } = await open()
    const { client, journal, resolve } = start()
    void meet('lost')
    await expect(client.servers.delete({ projectId, serverId })).rejects.toMatchObject({ sent: true })
    expect(await resolve()).toMatchObject([{ finding: 'did-not-happen', isOpen: true }])
    await direct.servers.delete({ projectId, serverId })
    const [entry] = await journal.unresolved()
    expect(shown([await sendAgain({ journal, client }, entry!)])).toEqual([
      ['happened', 'Delete project server happened: it is gone.'],
    ])
    expect(seen).toHaveLength(1)
  })

  test('a launch of the day before yesterday does not begin by itself', async () => {
    const { start, meet, projectId, suiteId, clock, seen } = await open()
    const { client, resolve } = start()
    void meet('lost', 'lost')
    const body = { suiteId, notes: 'n' }
    await expect(client.runs.create({ projectId, body }, { idempotencyKey: 'k' })).rejects.toBeInstanceOf(ApiError)
    clock.advance(25 * 60 * 60_000)
    expect(shown(await resolve())).toEqual([
      ['did-not-happen', 'Create eval run did not happen: no run of the suite began then.'],
    ])
    expect(seen).toHaveLength(2)
  })

  test('a launch with secrets cannot be sent again and is read back', async () => {
    const { start, meet, projectId, suiteId, seen } = await open()
    const { client, resolve } = start()
    const body = { suiteId, modelApiKeys: { openai: 'hush' } }
    void meet('answer-lost', 'lost')
    await expect(client.runs.create({ projectId, body }, { idempotencyKey: 'k' })).rejects.toBeInstanceOf(ApiError)
    const [told] = await resolve()
    expect(told).toMatchObject({ finding: 'happened' })
    expect(told!.sentence).toMatch(/happened: run #1 began then and is \w+\.$/)
    expect(seen).toHaveLength(2)
  })

  test('an earlier run of somebody else is not taken for ours', async () => {
    const { start, meet, projectId, suiteId, direct, clock } = await open()
    await direct.runs.create({ projectId, body: { suiteId } })
    clock.advance(60 * 60_000)
    const { client, resolve } = start()
    const body = { suiteId, modelApiKeys: { openai: 'hush' } }
    void meet('lost', 'lost')
    const launch = client.runs.create({ projectId, body }, { idempotencyKey: 'k' })
    await expect(launch).rejects.toBeInstanceOf(ApiError)
    expect(shown(await resolve())).toEqual([
      ['did-not-happen', 'Create eval run did not happen: no run of the suite began then.'],
    ])
  })

  test('several runs of that time leave it open which one it was', async () => {
    const { start, meet, projectId, suiteId, direct } = await open()
    await direct.runs.create({ projectId, body: { suiteId } })
    const { client, resolve } = start()
    const body = { suiteId, modelApiKeys: { openai: 'hush' } }
    void meet('answer-lost', 'lost')
    const launch = client.runs.create({ projectId, body }, { idempotencyKey: 'k' })
    await expect(launch).rejects.toBeInstanceOf(ApiError)
    expect(shown(await resolve())).toEqual([
      ['cannot-be-known', 'Create eval run may have happened: 2 runs of the suite began then.'],
    ])
  })

  test('a repeat that was refused does not count as made again', async () => {
    const { start, meet, projectId, suiteId, direct } = await open()
    const { client, resolve } = start()
    const launch = (idempotencyKey: string) => client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey })
    void meet('lost', 'lost', 'throttled', 'throttled')
    await expect(launch('first')).rejects.toMatchObject({ kind: 'network' })
    await expect(launch('second')).rejects.toMatchObject({ status: 429 })
    expect(await resolve()).toMatchObject([{ finding: 'did-not-happen', isOpen: true }])
    expect((await direct.runs.list({ projectId, suiteId })).items).toHaveLength(0)
  })

  test('read-only says what is open and touches nothing', async () => {
    const { start, meet, projectId, suiteId } = await open()
    const writer = start()
    void meet('lost', 'lost')
    await expect(
      writer.client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey: 'k' }),
    ).rejects.toBeInstanceOf(ApiError)
    const { journal } = start(true)
    const said = [['unresolved', 'Create eval run is unresolved; a start without read-only settles it.']]
    expect(shown(await listUnresolved(journal))).toEqual(said)
    expect(shown(await listUnresolved(journal))).toEqual(said)
  })
})

const step = { id: 's', kind: 'toolCall', serverName: 'everything', toolName: 'echo', arguments: { message: 'm' } }
const test1 = { title: 'one', steps: [step] }

const fate = fc.constantFrom<Fate>('answered', 'lost', 'answer-lost', 'hangs', 'answer-hangs', 'throttled')

test('whatever the line does and whoever crashes, each confirmed launch happens once or is told', async () => {
  const { start, meet, projectId, serverId, direct } = await open()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fate, fate), { maxLength: 4 }), fate, async (launches, interruption) => {
      const suites: string[] = []
      const refused = new Set<string>()
      for (const fates of launches) {
        const body = { name: 'any', serverIds: [serverId], model: 'm', tests: [test1] }
        const { suiteId } = await direct.suites.create({ projectId, body: body as never })
        suites.push(suiteId)
        const { client, kill, journal } = start()
        const hung = meet(...fates)
        const done = client.runs
          .create({ projectId, body: { suiteId } }, { idempotencyKey: suiteId })
          .catch(async () => {
            if ((await journal.unresolved()).every(({ idempotencyKey }) => idempotencyKey !== suiteId))
              refused.add(suiteId)
          })
        // A call that hangs on the line ends with its process.
        await Promise.race([done, hung])
        kill()
      }
      const interrupted = meet(interruption).then(() => [])
      const first = start()
      const firstTold = await Promise.race([first.resolve(), interrupted])
      first.kill()
      void meet()
      const last = start()
      const told = await last.resolve()
      for (const { finding, isOpen } of [...firstTold, ...told]) expect(isOpen).toBe(finding !== 'happened')
      const runsOf = async (each: string) => (await direct.runs.list({ projectId, suiteId: each })).items.length
      for (const { entry, finding } of told)
        expect([finding, await runsOf(entry.idempotencyKey!)]).toEqual(
          finding === 'happened' ? ['happened', 1] : ['did-not-happen', 0],
        )
      await last.sendAll()
      expect(await start().resolve()).toEqual([])
      for (const suiteId of suites) {
        const { items } = await direct.runs.list({ projectId, suiteId })
        expect([items.length, refused.has(suiteId)]).toEqual(refused.has(suiteId) ? [0, true] : [1, false])
      }
    }),
    { numRuns: 25 },
  )
})
