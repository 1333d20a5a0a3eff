import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { ApiError } from '../../src/api/client/errors/api-error.ts'
import { choicesOf } from '../../src/api/client/read-back/open-write.ts'
import { dismiss, listUnresolved, sendAgain } from '../../src/api/client/read-back/resolve.ts'
import { type Fate, NOT_AT_ALL, NOT_YET, open, shown, TOO_LATE } from './faulty-line.ts'

describe('a client with a journal', () => {
  test('leaves no entry for reads, and no open entry after an answer', async () => {
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

  test('counts a redirect as unknown, since it says nothing about the redirected request', async () => {
    const { start, meet, projectId, serverId, direct } = await open()
    const { client, journal, resolve } = start()
    void meet('redirected')
    await expect(client.servers.delete({ projectId, serverId })).rejects.toMatchObject({ status: 302, sent: true })
    expect((await direct.servers.list({ projectId })).items).toEqual([])
    expect(await journal.unresolved()).toMatchObject([{ operation: 'deleteProjectServer' }])
    expect(shown(await resolve())).toEqual([['happened', 'Delete project server happened: it is gone.']])
  })

  test('a write that the person repeated is not sent again', async () => {
    const { start, meet, projectId, suiteId, seen, direct } = await open()
    const { client, resolve } = start()
    void meet('lost', 'lost')
    const launch = (idempotencyKey: string) => client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey })
    await expect(launch('first')).rejects.toBeInstanceOf(ApiError)
    await launch('second')
    expect(shown(await resolve())).toEqual([NOT_YET])
    expect(seen).toHaveLength(3)
    expect((await direct.runs.list({ projectId, suiteId })).items).toHaveLength(1)
    expect(await resolve()).toEqual([])
  })

  test('a lost launch waits for a person, who sends it once or dismisses it', async () => {
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
    expect(shown(told)).toEqual([NOT_YET, NOT_YET])
    expect(await direct.runs.list({ projectId, suiteId })).toMatchObject({ items: [] })
    expect(seen).toHaveLength(4)
    const [first, second] = await journal.unresolved()
    const { name } = await direct.suites.get({ projectId, suiteId })
    expect(first!.readBack).toMatchObject({ finding: 'cannot-be-known', isEarly: true, target: name })
    expect(await sendAgain({ journal, client }, first!)).toMatchObject({ finding: 'happened', isOpen: false })
    expect(await dismiss({ journal }, second!)).toMatchObject({ finding: 'cannot-be-known', isOpen: false })
    expect((await direct.runs.list({ projectId, suiteId })).items).toHaveLength(1)
    expect(await journal.unresolved()).toEqual([])
    expect(await sendAgain({ journal, client }, first!)).toMatchObject({ finding: 'busy' })
    expect(seen).toHaveLength(5)
  })

  test('a run that starts 40 s after the first check is not launched twice', async () => {
    const { start, meet, projectId, suiteId, clock, direct } = await open()
    const { client, resolve, sendAll } = start()
    void meet('lost', 'lost')
    const launch = { projectId, body: { suiteId } }
    await expect(client.runs.create(launch, { idempotencyKey: 'k' })).rejects.toBeInstanceOf(ApiError)
    expect(shown(await resolve())).toEqual([NOT_YET])
    clock.advance(40_000)
    const { runId } = await direct.runs.create(launch, { idempotencyKey: 'k' })
    const [told] = shown(await resolve())
    expect(told![1]).toMatch(/may have happened: run #1 began then/)
    expect(shown(await sendAll())).toEqual([['happened', expect.stringContaining(`happened: ${runId}`)]])
    expect((await direct.runs.list({ projectId, suiteId })).items).toHaveLength(1)
    expect(await resolve()).toEqual([])
  })

  test('a refused repeat proves nothing about the first request', async () => {
    const { start, meet, projectId, suiteId } = await open()
    const { client, journal, resolve, sendAll } = start()
    void meet('answer-lost', 'lost')
    const lost = client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey: 'k' })
    await expect(lost).rejects.toBeInstanceOf(ApiError)
    await resolve()
    void meet('conflict')
    const refused = /may have happened: the service refuses it \(CONFLICT\) when it is repeated, and run #1 began then/
    expect(shown(await sendAll())).toEqual([['cannot-be-known', expect.stringMatching(refused)]])
    expect(await journal.unresolved()).toEqual([])
  })

  test('a write whose repeat is refused waits for a person if its outcome stays unknown', async () => {
    const { start, meet, projectId, suiteId } = await open()
    const { client, resolve, journal } = start()
    void meet('lost', 'lost')
    const lost = client.suites.attachEnvironment({ projectId, suiteId, body: { environmentId: 'e' } })
    await expect(lost).rejects.toBeInstanceOf(ApiError)
    void meet('conflict')
    const [told] = await resolve()
    expect(told).toMatchObject({ finding: 'cannot-be-known', isOpen: true })
    expect(told!.sentence).toContain('refuses it (CONFLICT) when it is repeated')
    expect(await journal.unresolved()).toHaveLength(1)
  })

  test('a launch of a suite with too many later runs to read stays unknown', async () => {
    const { start, meet, projectId, suiteId, direct, clock } = await open({
      wrap: fetch => async request => {
        const answer = await fetch(request)
        if (request.method !== 'GET' || !new URL(request.url).pathname.endsWith('/runs')) return answer
        const [run] = [JSON.parse(answer.body as string)].flatMap(body => body.items ?? body) as { id: string }[]
        return Response.json({ items: Array.from({ length: 100 }, (_, index) => ({ ...run, id: `run_${index}` })) })
      },
    })
    await direct.runs.create({ projectId, body: { suiteId, notes: 'theirs' } })
    const { client, resolve } = start()
    void meet('lost', 'lost')
    const lost = client.runs.create({ projectId, body: { suiteId, notes: 'mine' } }, { idempotencyKey: 'k' })
    await expect(lost).rejects.toBeInstanceOf(ApiError)
    clock.advance(TOO_LATE)
    const most = 'Create eval run may have happened: only the latest 100 runs of the suite can be read.'
    expect(shown(await resolve())).toEqual([['cannot-be-known', most]])
  })

  test('a launch without a run counts as not done once the service can no longer carry it out', async () => {
    const { start, meet, projectId, suiteId, clock } = await open()
    const { client, resolve, sendAll } = start()
    void meet('lost', 'lost')
    const lost = client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey: 'k' })
    await expect(lost).rejects.toBeInstanceOf(ApiError)
    clock.advance(9 * 60_000)
    expect(shown(await resolve())).toEqual([NOT_YET])
    void meet('lost', 'lost')
    await expect(sendAll()).rejects.toBeInstanceOf(ApiError)
    clock.advance(9 * 60_000)
    expect(shown(await resolve())).toEqual([NOT_YET])
    clock.advance(2 * 60_000)
    expect(shown(await resolve())).toEqual([NOT_AT_ALL])
  })

  test('a write is not sent again if another person has made it since', async () => {
    const { start, meet, projectId, serverId, direct, seen, clock } = await open()
    const { client, journal, resolve } = start()
    void meet('lost')
    await expect(client.servers.delete({ projectId, serverId })).rejects.toMatchObject({ sent: true })
    const early = await resolve()
    expect(early).toMatchObject([{ finding: 'cannot-be-known', isOpen: true, isEarly: true }])
    expect(choicesOf((await journal.unresolved())[0]!, clock.now())).toEqual(['send', 'dismiss'])
    clock.advance(TOO_LATE)
    expect(await resolve()).toMatchObject([{ finding: 'did-not-happen', isOpen: true }])
    await direct.servers.delete({ projectId, serverId })
    const [entry] = await journal.unresolved()
    expect(shown([await sendAgain({ journal, client }, entry!)])).toEqual([
      ['happened', 'Delete project server happened: it is gone.'],
    ])
    expect(seen).toHaveLength(1)
  })

  test('a launch of the day before yesterday does not start by itself', async () => {
    const { start, meet, projectId, suiteId, clock, seen } = await open()
    const { client, resolve } = start()
    void meet('lost', 'lost')
    const body = { suiteId, notes: 'n' }
    await expect(client.runs.create({ projectId, body }, { idempotencyKey: 'k' })).rejects.toBeInstanceOf(ApiError)
    clock.advance(25 * 60 * 60_000)
    expect(shown(await resolve())).toEqual([NOT_AT_ALL])
    expect(seen).toHaveLength(2)
  })

  test('a launch with secrets cannot be sent again and is read back', async () => {
    const { start, meet, projectId, suiteId, seen } = await open()
    const { client, journal, resolve } = start()
    const body = { suiteId, modelApiKeys: { openai: 'hush' } }
    void meet('answer-lost', 'lost')
    await expect(client.runs.create({ projectId, body }, { idempotencyKey: 'k' })).rejects.toBeInstanceOf(ApiError)
    const [told] = await resolve()
    expect(told).toMatchObject({ finding: 'cannot-be-known', isOpen: true })
    expect(told!.sentence).toMatch(
      /may have happened: run #1 began then and is \w+; the service does not say who launched it\.$/,
    )
    const [entry] = await journal.unresolved()
    expect(choicesOf(entry!, entry!.intendedAt)).toEqual(['dismiss'])
    expect(seen).toHaveLength(2)
  })

  test('an earlier run of someone else is not mistaken for ours', async () => {
    const { start, meet, projectId, suiteId, direct, clock } = await open()
    await direct.runs.create({ projectId, body: { suiteId } })
    clock.advance(60 * 60_000)
    const { client, resolve } = start()
    const body = { suiteId, modelApiKeys: { openai: 'hush' } }
    void meet('lost', 'lost')
    const launch = client.runs.create({ projectId, body }, { idempotencyKey: 'k' })
    await expect(launch).rejects.toBeInstanceOf(ApiError)
    expect(shown(await resolve())).toEqual([NOT_YET])
  })

  test('a run that a colleague launched is not mistaken for a launch that never arrived', async () => {
    const { start, meet, projectId, suiteId, direct } = await open()
    const { client, journal, resolve, sendAll } = start()
    void meet('lost', 'lost')
    const launch = client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey: 'k' })
    await expect(launch).rejects.toBeInstanceOf(ApiError)
    const theirs = await direct.runs.create({ projectId, body: { suiteId } })
    expect(await resolve()).toMatchObject([
      {
        finding: 'cannot-be-known',
        isOpen: true,
        sentence: expect.stringMatching(/may have happened: run #1 .*; the service does not say who launched it\.$/),
      },
    ])
    // The key proves it: a run launched under this key would be a separate one, which the next check does not request.
    expect(await sendAll()).toMatchObject([{ finding: 'happened' }])
    const { items } = await direct.runs.list({ projectId, suiteId })
    expect(items).toHaveLength(2)
    expect((await journal.knownRunIds()).has(theirs.runId)).toBe(false)
    expect(await journal.unresolved()).toEqual([])
  })

  test('a run with other notes than the sent ones is someone else’s', async () => {
    const { start, meet, projectId, suiteId, direct } = await open()
    const { client, resolve } = start()
    void meet('lost', 'lost')
    const body = { suiteId, notes: 'mine' }
    await expect(client.runs.create({ projectId, body }, { idempotencyKey: 'k' })).rejects.toBeInstanceOf(ApiError)
    await direct.runs.create({ projectId, body: { suiteId, notes: 'theirs' } })
    expect(shown(await resolve())).toEqual([NOT_YET])
  })

  test('several runs of that time leave it open which one was launched', async () => {
    const { start, meet, projectId, suiteId, direct } = await open()
    await direct.runs.create({ projectId, body: { suiteId } })
    const { client, resolve } = start()
    const body = { suiteId, modelApiKeys: { openai: 'hush' } }
    void meet('answer-lost', 'lost')
    const launch = client.runs.create({ projectId, body }, { idempotencyKey: 'k' })
    await expect(launch).rejects.toBeInstanceOf(ApiError)
    expect(shown(await resolve())).toEqual([
      [
        'cannot-be-known',
        'Create eval run may have happened: 2 runs of the suite began then; the service does not say who launched them.',
      ],
    ])
  })

  test('a refused repeat does not count as repeated', async () => {
    const { start, meet, projectId, suiteId, direct } = await open()
    const { client, resolve } = start()
    const launch = (idempotencyKey: string) => client.runs.create({ projectId, body: { suiteId } }, { idempotencyKey })
    void meet('lost', 'lost', 'throttled', 'throttled')
    await expect(launch('first')).rejects.toMatchObject({ kind: 'network' })
    await expect(launch('second')).rejects.toMatchObject({ status: 429 })
    expect(await resolve()).toMatchObject([{ isOpen: true, isEarly: true }])
    expect((await direct.runs.list({ projectId, suiteId })).items).toHaveLength(0)
  })

  test('a read-only start reports open writes and changes nothing', async () => {
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

test('whatever fails or crashes, each confirmed launch happens once or is reported', async () => {
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
        // A call that hangs on the connection ends with its process.
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
      expect([...firstTold, ...told].filter(({ isOpen }) => !isOpen)).toEqual([])
      const runsOf = async (each: string) => (await direct.runs.list({ projectId, suiteId: each })).items.length
      for (const { entry, finding, isEarly = false } of told)
        expect([finding, await runsOf(entry.idempotencyKey!)]).toEqual(
          isEarly ? ['cannot-be-known', 0] : finding === 'cannot-be-known' ? [finding, 1] : ['did-not-happen', 0],
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
