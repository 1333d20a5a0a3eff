import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { recordGradedWave } from '../../src/service/findings/records.ts'
import { makeKey } from '../../src/service/core/access.ts'
import { record, set, sighting, SWARM } from './graded-waves.ts'
import { open, sandbox, temporaryDirectory, type Api } from './harness.ts'
import { cast, environment, graded, journey, runJourney } from './journey-cast.ts'
import { KEY } from './model-runs.ts'
import { scriptedModel } from './scripted-model.ts'

const { journeyFindings } = contract

const listed = async (api: Api, projectId: string) => (await api.call(journeyFindings.list, { projectId })).items

/** Id of the only finding. */
async function onlyId(api: Api, projectId: string): Promise<string> {
  const items = await listed(api, projectId)
  expect(items).toHaveLength(1)
  return items[0]!.id
}

test('findings of real waves go from new over recurring and resolved to regressed and back', async () => {
  let score = 0.1
  const model = await scriptedModel(cast({ grader: () => graded(score) }))
  const { api, settle } = await open({ models: { ...model.settings, apiKey: KEY, model: 'player' } })
  const { id } = await environment(api, 'one')
  const place = await journey(api, { environmentIds: [id] })
  const { projectId } = place
  const seen: unknown[] = []
  for (const [waveId, next] of [
    ['w1', 0.1],
    ['w2', 0.2],
    ['w3', 1],
    ['w4', 0.3],
    ['w5', 0],
  ] as const) {
    score = next
    await runJourney(api, place, { waveId })
    await settle()
    const items = await listed(api, projectId)
    expect(items).toHaveLength(1)
    seen.push([items[0]!.status, items[0]!.occurrenceCount, items[0]!.lastSeenWaveId])
  }
  expect(seen).toEqual([
    ['new', 1, 'w1'],
    ['recurring', 2, 'w2'],
    ['resolved', 2, 'w2'],
    ['regressed', 3, 'w4'],
    ['recurring', 4, 'w5'],
  ])
  const [finding] = await listed(api, projectId)
  expect(finding).toEqual({
    id: expect.stringMatching(/^fnd_/),
    fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
    dimension: 'goal',
    subject: { kind: 'journey', id: place.journeyId, label: 'Sums' },
    status: 'recurring',
    occurrenceCount: 4,
    lastSeenWaveId: 'w5',
    firstSeenAt: expect.any(Number),
    lastSeenAt: expect.any(Number),
    resolvedAt: null,
    dismissedAt: null,
    updatedAt: expect.any(Number),
  })
  expect(finding!.lastSeenAt).toBeGreaterThan(Number(finding!.firstSeenAt))
})

test('several runs of one wave are one occurrence', async () => {
  const model = await scriptedModel(cast({ grader: () => graded(0) }))
  const { api, settle } = await open({ models: { ...model.settings, apiKey: KEY, model: 'player' } })
  const { id } = await environment(api, 'one')
  const place = await journey(api, { environmentIds: [id] })
  for (const waveId of ['w1', 'w1', 'w2', 'w2']) await runJourney(api, place, { waveId })
  await settle()
  expect(await listed(api, place.projectId)).toMatchObject([{ status: 'recurring', occurrenceCount: 2 }])
})

describe('recording the findings of a wave', () => {
  test('puts an older wave that arrives late at its place in time', async () => {
    const { api, store } = await open()
    const { projectId } = await sandbox(api)
    record(store, { projectId, waveId: 'first', at: 100 }, [sighting('a')])
    record(store, { projectId, waveId: 'third', at: 300 }, [])
    expect(await listed(api, projectId)).toMatchObject([{ status: 'resolved', resolvedAt: 300 }])
    record(store, { projectId, waveId: 'second', at: 200 }, [sighting('a', { title: 'Old name' })])
    expect(await listed(api, projectId)).toMatchObject([
      { status: 'resolved', resolvedAt: 300, occurrenceCount: 2, lastSeenAt: 200, lastSeenWaveId: 'second' },
    ])
    record(store, { projectId, waveId: 'zeroth', at: 50 }, [
      sighting('a', { subject: { kind: 'journey', id: 'id-a' } }),
    ])
    expect(await listed(api, projectId)).toMatchObject([
      {
        status: 'resolved',
        occurrenceCount: 3,
        firstSeenAt: 50,
        lastSeenWaveId: 'second',
        // A late sighting does not restore an old name.
        subject: { label: 'a' },
      },
    ])
  })

  test('says nothing about a subject that the wave did not check', async () => {
    const { api, store } = await open()
    const { projectId } = await sandbox(api)
    record(store, { projectId, waveId: 'w1', at: 1 }, [sighting('a'), sighting('b', { dimension: 'rubric' })])
    store.write(() =>
      recordGradedWave(store, {
        projectId,
        source: SWARM,
        waveId: 'w2',
        at: 2,
        covers: ({ dimension, subjectId }) => dimension === 'goal' && subjectId === 'id-a',
        sightings: [],
      }),
    )
    const status = Object.fromEntries(
      (await listed(api, projectId)).map(({ fingerprint, status: is }) => [fingerprint, is]),
    )
    expect(status).toEqual({ a: 'resolved', b: 'new' })
  })

  test('names findings as last seen, and cleans and shortens text of strangers', async () => {
    const { api, store } = await open()
    const { projectId } = await sandbox(api)
    record(store, { projectId, waveId: 'w1', at: 1 }, [sighting('a')])
    const hostile = `\u001b[2J\u202eapi_key=sk-abcdefghijklmnopqrstuv ${'x'.repeat(5000)}`
    const evidence = [{ kind: 'tool_error', excerpt: hostile, toolName: 'a\u0007b', sessionId: 'ses_1' }]
    record(store, { projectId, waveId: 'w2', at: 2 }, [
      sighting('a', { title: hostile, subject: { kind: 'journey', id: 'id-a', label: 'Re\u001b[31mnamed' } }),
      sighting('a', { title: hostile, subject: { kind: 'journey', id: 'id-a', label: 'Re\u001b[31mnamed' }, evidence }),
    ])
    const [finding] = await listed(api, projectId)
    expect(finding).toMatchObject({ occurrenceCount: 2, subject: { label: 'Re [31mnamed' } })
    const scope = { projectId, scope: 'swarm' }
    const { id, title } = store.findings.find(scope, 'a')!
    const kept = store.findings.evidence(id, 'w2')
    expect(kept).toHaveLength(1)
    for (const text of [title, kept[0]!.excerpt!, kept[0]!.toolName!]) {
      expect(text.length).toBeLessThanOrEqual(300)
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]|sk-abc/u)
    }
    record(store, { projectId, waveId: 'w2', at: 2 }, [sighting('a', { evidence })])
    expect(store.findings.evidence(id, 'w2')).toEqual(kept)
  })
})

test('pages of findings do not shift while findings arrive, and a foreign cursor is refused', async () => {
  const { api, store } = await open()
  const { projectId } = await sandbox(api)
  const names = Array.from({ length: 120 }, (_, index) => `f${index}`)
  record(
    store,
    { projectId, waveId: 'w1', at: 1 },
    names.map(name => sighting(name)),
  )
  const first = await api.call(journeyFindings.list, { projectId })
  expect(first.items).toHaveLength(50)
  record(store, { projectId, waveId: 'w2', at: 2 }, [sighting('late')])
  const shown = first.items.map(({ fingerprint }) => fingerprint)
  let cursor = first.nextCursor
  while (cursor) {
    const page = await api.call(journeyFindings.list, { projectId, cursor })
    shown.push(...page.items.map(({ fingerprint }) => fingerprint))
    cursor = page.nextCursor
  }
  expect(shown).toEqual(names.toReversed())
  const other = await api.refused(journeyFindings.list, { projectId, cursor: `${first.nextCursor}x` })
  expect(other).toMatchObject({ status: 400, details: { field: 'cursor' } })
})

describe('dismissing a finding', () => {
  test('can be repeated and undone, and lasts while the status changes', async () => {
    const { api, store } = await open()
    const { projectId } = await sandbox(api)
    record(store, { projectId, waveId: 'w1', at: 1 }, [sighting('a')])
    const findingId = await onlyId(api, projectId)
    const place = { projectId, findingId }
    const dismissed = await api.call(journeyFindings.dismiss, place)
    expect(dismissed).toEqual({ id: findingId, projectId, dismissed: true })
    const [before] = await listed(api, projectId)
    expect(before).toMatchObject({ status: 'new', dismissedAt: expect.any(Number) })
    expect(await api.call(journeyFindings.dismiss, place)).toEqual(dismissed)
    expect(await listed(api, projectId)).toEqual([before])
    record(store, { projectId, waveId: 'w2', at: 2 }, [sighting('a')])
    expect(await listed(api, projectId)).toMatchObject([{ status: 'recurring', dismissedAt: before!.dismissedAt }])
    for (let turn = 0; turn < 2; turn++)
      expect(await api.call(journeyFindings.undismiss, place)).toEqual({ ...dismissed, dismissed: false })
    expect(await listed(api, projectId)).toMatchObject([{ status: 'recurring', dismissedAt: null }])
  })

  test('is refused for foreign and unknown findings, and for guests', async () => {
    const { api, store } = await open()
    const { projectId } = await sandbox(api)
    const other = await api.call(contract.projects.create, { body: { name: 'Other' } })
    record(store, { projectId: other.id, waveId: 'w1', at: 1 }, [sighting('a')])
    const source = { kind: 'user-testing', scenarioId: 'scn_x' } as const
    record(store, { projectId, source, waveId: 'w1', at: 1 }, [sighting('s')])
    const [foreign] = await listed(api, other.id)
    const ofScenario = store.findings.list({ projectId, scope: 'scn_x' })[0]!
    for (const findingId of [foreign!.id, ofScenario.id, 'fnd_none'])
      for (const endpoint of [journeyFindings.dismiss, journeyFindings.undismiss])
        expect(await api.refused(endpoint, { projectId, findingId })).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await listed(api, projectId)).toEqual([])
    const guest = makeKey(store, 'guest', { role: 'guest' }).key
    const refused = await api.refused(journeyFindings.list, { projectId }, { key: guest })
    expect(refused).toMatchObject({ status: 403 })
  })

  test('the gate empties the list of findings and refuses writes', async () => {
    const { api, store } = await open()
    const { projectId } = await sandbox(api)
    record(store, { projectId, waveId: 'w1', at: 1 }, [sighting('a')])
    const findingId = await onlyId(api, projectId)
    set(store, 'gate.swarms', 'off')
    expect(await listed(api, projectId)).toEqual([])
    for (const endpoint of [journeyFindings.dismiss, journeyFindings.undismiss])
      expect(await api.refused(endpoint, { projectId, findingId })).toMatchObject({ status: 403 })
    set(store, 'gate.swarms', 'on')
    expect(await listed(api, projectId)).toMatchObject([{ id: findingId, dismissedAt: null }])
  })
})

describe('several processes can', () => {
  test('dismiss and show the same finding', async () => {
    const dataDir = temporaryDirectory()
    const { api, store } = await open({ dataDir })
    const { api: second } = await open({ dataDir })
    const { projectId } = await sandbox(api)
    record(store, { projectId, waveId: 'w1', at: 1 }, [sighting('a')])
    const findingId = await onlyId(api, projectId)
    const place = { projectId, findingId }
    const both = [api, second, api, second].map(one => one.call(journeyFindings.dismiss, place))
    expect((await Promise.all(both)).map(({ dismissed }) => dismissed)).toEqual([true, true, true, true])
    const [row] = await listed(second, projectId)
    expect(row).toMatchObject({ dismissedAt: expect.any(Number), status: 'new' })
    await second.call(journeyFindings.undismiss, place)
    expect(await listed(api, projectId)).toMatchObject([{ dismissedAt: null }])
  })

  test('record findings while someone dismisses them, and nothing of either is lost', async () => {
    const dataDir = temporaryDirectory()
    const { api, store } = await open({ dataDir })
    const { projectId } = await sandbox(api)
    record(store, { projectId, waveId: 'w0', at: 1000 }, [sighting('shared')])
    const findingId = await onlyId(api, projectId)
    const waves = 150
    const script = fileURLToPath(new URL('./findings-child.ts', import.meta.url))
    const child = spawn(process.execPath, [script, dataDir, projectId, String(waves)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('ready')
    const counts: number[] = []
    let dismissed = false
    for (let turn = 0; child.exitCode === null || turn % 2 === 0; turn++) {
      dismissed = turn % 2 === 0
      const endpoint = dismissed ? journeyFindings.dismiss : journeyFindings.undismiss
      await api.call(endpoint, { projectId, findingId })
      const [row] = await listed(api, projectId)
      expect(row!.dismissedAt === null).toBe(!dismissed)
      counts.push(Number(row!.occurrenceCount))
      // The child's exit is an event, which needs a separate turn of the event loop.
      await new Promise(setImmediate)
    }
    expect(await exited).toEqual([0, null])
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(await listed(api, projectId)).toMatchObject([
      {
        status: 'recurring',
        occurrenceCount: waves + 1,
        lastSeenWaveId: `child-${waves}`,
        dismissedAt: dismissed ? expect.any(Number) : null,
      },
    ])
  })
})
