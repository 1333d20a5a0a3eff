import { describe, expect, onTestFinished, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { contract, API_PREFIX } from '../../src/api/contract/contract.ts'
import { openWriteOf, stateOf } from '../../src/api/client/read-back/open-write.ts'
import { resolveJournal, sendAgain } from '../../src/api/client/read-back/resolve.ts'
import { goAfterEarlier } from '../../src/cli/journal/earlier-writes.ts'
import { nowRoute } from '../../src/screens/now/route.ts'
import { openApp } from '../harness.tsx'
import { PATIENCE } from '../patience.ts'
import { VirtualClock } from '../client/virtual-clock.ts'
import { open } from './faulty-line.ts'
import { createScene, launch } from './scene.ts'

describe('a write in doubt that another process reads back', () => {
  test('stays in the list of open writes, marked, until its outcome is found', async () => {
    const scene = createScene()
    onTestFinished(scene.remove)
    const writer = scene.start()
    await writer.journal.begin(launch(1))
    writer.kill()
    const [one, two] = [scene.start(), scene.start()]
    const [entry] = await one.journal.unresolved()
    expect(entry!.isClaimed).toBe(false)
    const claim = await one.journal.claim(entry!)
    for (const { journal } of [one, two]) {
      const [claimed, ...others] = await journal.unresolved()
      expect([claimed!.isClaimed, others]).toEqual([true, []])
      expect(stateOf(claimed!)).toBe('is being read back')
      expect(openWriteOf(claimed!, scene.clock.now())).toMatchObject({ beingReadBack: true, choices: [] })
    }
    claim!.conclude('happened')
    expect(await two.journal.unresolved()).toEqual([])
  })

  test('blocks another launch of its suite, but --new sends one', async () => {
    const { start, meet, projectId, suiteId } = await open()
    const writer = start()
    void meet('answer-lost', 'answer-lost')
    const input = { projectId, body: { suiteId } }
    await expect(writer.client.runs.create(input, { idempotencyKey: 'k' })).rejects.toMatchObject({ kind: 'network' })
    writer.kill()
    const [reader, next] = [start(), start()]
    const claim = await reader.journal.claim((await reader.journal.unresolved())[0]!)
    const said: string[] = []
    const go = (isNew: boolean) => {
      const opened = { journal: next.journal, workspace: { client: next.client } as never }
      const options = { quiet: false, say: (sentence: string) => void said.push(sentence), new: isNew }
      return goAfterEarlier(opened, { endpoint: contract.runs.create, input }, options)
    }
    const why = /is being settled now\. Nothing was sent: try again after that, or add --new to send another one\./
    await expect(go(false)).rejects.toMatchObject({ code: 'earlier-write', message: expect.stringMatching(why) })
    const going = await go(true)
    if (going.retry) throw new Error('an earlier write was taken')
    await going.supersede()
    // The process that reads it back records its end.
    expect(await next.journal.unresolved()).toMatchObject([{ isClaimed: true }])
    expect(
      await sendAgain({ journal: next.journal, client: next.client }, (await next.journal.unresolved())[0]!),
    ).toMatchObject({ finding: 'busy' })
    claim!.release()
    // Only one run matches, so that it blocks nobody once it is read back.
    expect(await go(false)).toMatchObject({ retry: undefined })
    expect(said.at(-1)).toContain('may have happened: run #1 began then')
  })

  test('is shown in Now as being read back', async () => {
    const { start, testService, meet, projectId, suiteId } = await open()
    const writer = start()
    void meet('answer-lost', 'answer-lost')
    const input = { projectId, body: { suiteId } }
    await expect(writer.client.runs.create(input, { idempotencyKey: 'k' })).rejects.toMatchObject({ kind: 'network' })
    writer.kill()
    const [reader, looking] = [start(), start()]
    await reader.journal.claim((await reader.journal.unresolved())[0]!)
    const access = { journal: looking.journal }
    const app = await openApp({ testService, place: nowRoute.to(), access, size: { width: 160, height: 40 } })
    onTestFinished(() => app.close())
    await app.see(/high +✗ in doubt +Create eval run .*is being read back/)
  })
})

test('reading a write back precedes the reads of a screen', async () => {
  const { start, fetch, service, meet, projectId, suiteId } = await open()
  const writer = start()
  void meet('answer-lost', 'answer-lost')
  const input = { projectId, body: { suiteId } }
  await expect(writer.client.runs.create(input, { idempotencyKey: 'k' })).rejects.toMatchObject({ kind: 'network' })
  writer.kill()
  const { journal } = start()
  const clock = new VirtualClock()
  const paths: string[] = []
  const client = createClient({
    fetch: async request => {
      paths.push(new URL(request.url).pathname.split('/').at(-1)!)
      return await fetch(request)
    },
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: service.localKey,
    budget: createBudget({ capacity: 1, clock }),
    journal,
  })
  const shown = Array.from({ length: 20 }, () => client.servers.list({ projectId }, { priority: 'visible' }))
  const ended = Promise.all([resolveJournal({ journal, client }), ...shown])
  await expect
    .poll(async () => {
      await clock.advance(1_000)
      return paths
    }, PATIENCE)
    .toHaveLength(22)
  await ended
  // One of these reads was sent before the others had to wait.
  expect(paths.slice(0, 3)).toEqual(['servers', suiteId, 'runs'])
})
