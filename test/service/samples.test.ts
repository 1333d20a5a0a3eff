import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { insertNextSamples, insertSamples, removeSamples } from '../../src/service/samples/insert-samples.ts'
import { NIGHTS } from '../../src/service/samples/recorded.ts'
import { gradeOf } from '../../src/service/runs/settlement.ts'
import type { FindingScope, InsightsRow } from '../../src/service/findings/rows.ts'
import { SAMPLE_STEPS } from '../../src/service/samples/rows.ts'
import { open, sandbox, temporaryDirectory, until, type Api } from './harness.ts'
import { serveHere } from './serve-here.ts'

/** Just after midnight, so that yesterday was a minute ago. */
const NOW = Date.UTC(2026, 10, 21, 0, 1)
const DAY_MS = 24 * 60 * 60 * 1000
const STATUSES = ['new', 'recurring', 'regressed', 'resolved']
const CHILD = fileURLToPath(new URL('./samples-child.ts', import.meta.url))

/** A workspace with samples. */
async function sampled() {
  const dataDir = temporaryDirectory()
  const service = await open({ dataDir, now: () => NOW })
  expect(insertSamples(service.store, NOW)).toBe(true)
  const { projectId, serverId } = await sandbox(service.api)
  const idsOf = (kind: string) =>
    service.store.samples.list().flatMap(sample => (sample.kind === kind ? sample.id : []))
  const [suiteId = '', scenarioId = ''] = [...idsOf('suite'), ...idsOf('scenario')]
  return { ...service, dataDir, projectId, serverId, suiteId, scenarioId, idsOf }
}

/** Every row of every table. */
function dump(dataDir: string): Record<string, unknown[]> {
  const database = new DatabaseSync(join(dataDir, 'mcpdeck.sqlite'), { readOnly: true })
  try {
    const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).all()
    return Object.fromEntries(
      tables.map(({ name }) => [
        String(name),
        database
          .prepare(`SELECT * FROM "${String(name)}"`)
          .all()
          .map(row => JSON.stringify(row))
          .toSorted(),
      ]),
    )
  } finally {
    database.close()
  }
}

function pendingInsights(scope: FindingScope, waveId: string): InsightsRow {
  const nothing = { document: undefined, generatedAt: null, errorCode: null, errorMessage: null }
  const state = { status: 'pending', retryable: true, updatedAt: NOW } as const
  return { id: `ins_${waveId}`, ...scope, waveId, ...nothing, ...state }
}

async function runsOf(api: Api, projectId: string, suiteId: string) {
  return (await api.call(contract.runs.list, { projectId, suiteId, limit: 50 })).items
}

describe('samples', () => {
  test('have findings of every status, one of them dismissed', async () => {
    const { api, projectId, scenarioId } = await sampled()
    const ofSwarm = await api.call(contract.journeyFindings.list, { projectId })
    expect([...new Set(ofSwarm.items.map(({ status }) => status))].toSorted()).toEqual(STATUSES)
    const dismissed = ofSwarm.items.filter(({ dismissedAt }) => dismissedAt != null)
    expect(dismissed).toMatchObject([{ status: 'regressed', occurrenceCount: 4, dimension: 'rubric' }])
    const refused = ofSwarm.items.find(({ dimension }) => dimension === 'tool-errors')
    expect(refused).toMatchObject({ status: 'recurring', occurrenceCount: 2, lastSeenAt: expect.any(Number) })
    expect(refused?.lastSeenAt).toBeLessThan(NOW)
    const ofScenario = await api.call(contract.userTestingFindings.list, { projectId, scenarioId })
    const statuses = new Map(ofScenario.items.map(item => [item['dimension'], item['status']]))
    expect(Object.fromEntries(statuses)).toEqual({
      answer_failed: 'resolved',
      abandonment: 'recurring',
      negative_feedback: 'regressed',
      tool_error: 'recurring',
      repeated_question: 'new',
    })
  })

  test('have runs over weeks, judged and graded like real ones', async () => {
    const { api, store, projectId, suiteId } = await sampled()
    const runs = await runsOf(api, projectId, suiteId)
    expect(runs).toHaveLength(NIGHTS.length)
    for (const { id } of runs) {
      const run = store.runs.get(projectId, id)!
      const { status, result, summary, decisionSummary } = gradeOf(store, run, 'ended')
      // Compared as JSON, because the decision is stored as JSON.
      expect(JSON.parse(JSON.stringify({ status, result, summary, decisionSummary }))).toEqual({
        status: run.status,
        result: run.result,
        summary: run.summary,
        decisionSummary: run.decisionSummary,
      })
      expect(run.completedAt).toBeGreaterThan(run.createdAt)
      expect(run.completedAt).toBeLessThan(NOW)
    }
    const classes = new Set(runs.map(({ status, result }) => `${status}/${result}`))
    expect([...classes].toSorted()).toEqual(['completed/failed', 'completed/null', 'completed/passed', 'failed/null'])
    expect(NOW - Number(runs.at(-1)?.createdAt)).toBeGreaterThan(20 * DAY_MS)
    const { items } = await api.call(contract.suites.list, { projectId })
    expect(items.map(({ name }) => name)).toEqual(['Reference server smoke', 'Sample: nightly on the reference server'])
    expect(items[1]?.passRateTrend?.length).toBeGreaterThan(5)
    expect(items[1]?.totals).toMatchObject({ runs: NIGHTS.length })
  })

  test('show a flaky case, a changed schema and answers that become slower', async () => {
    const { api, store, projectId, suiteId } = await sampled()
    const runs = (await runsOf(api, projectId, suiteId)).toReversed()
    const trials = runs.map(({ id }) => store.trials.listWithOutcomes(id))
    const of = (title: string) => trials.map(all => all.filter(trial => trial.title === title))
    const flaky = of('Total of an order').filter(all => new Set(all.map(({ class: it }) => it)).size === 2)
    expect(flaky.length).toBeGreaterThan(2)
    // The report does not say that these failed: the calls were compared here.
    expect(flaky[0]?.[0]).toMatchObject({ class: 'failed', error: expect.stringContaining('get-sum') })
    const city = of('Weather of a city with its state').map(([trial]) => trial?.class)
    expect(city.slice(-6)).toEqual(Array(6).fill('failed'))
    expect(city.slice(0, -6)).not.toContain('failed')
    const took = of('Weather of a known city').map(([trial]) => trial?.durationMs ?? 0)
    expect(took.slice(-7)).toEqual(took.slice(-7).toSorted((a, b) => a - b))
    expect(took.at(-1)).toBeGreaterThan(2 * took[0]!)
    const [last] = runs.toReversed()
    const failed = trials.at(-1)?.find(trial => trial.class === 'failed')
    const trace = await api.call(contract.iterations.trace, { projectId, runId: last?.id, iterationId: failed?.id })
    expect(JSON.stringify(trace)).toContain('Invalid option')
  })

  test('have waves with scorecards, and visitors with figures and signals', async () => {
    const { api, projectId, scenarioId, idsOf } = await sampled()
    const overview = await api.call(contract.journeyRuns.overview, { projectId })
    expect(overview.runs?.length).toBe(14)
    expect(new Set(overview.runs?.map(({ waveId }) => waveId)).size).toBe(5)
    expect(new Set(overview.runs?.map(({ status }) => status))).toEqual(new Set(['completed', 'partial']))
    const [journeyId] = idsOf('journey')
    const { items } = await api.call(contract.journeyRuns.list, { projectId, journeyId })
    const card = await api.call(contract.journeyRuns.scorecard, { projectId, runId: items[0]!.id })
    expect(card).toMatchObject({ sessionsTotal: 2, sessionsGraded: 2 })
    for (const { passCount, failCount } of card.criteria as { passCount: number; failCount: number }[])
      expect(passCount + failCount).toBe(2)
    const metrics = await api.call(contract.userTestingInsights.metrics, { projectId, scenarioId })
    expect(metrics).toMatchObject({ sessions: 12, failedAnswers: 1, feedback: { sessions: 5 } })
    const signals = await api.call(contract.userTestingInsights.signals, { projectId, scenarioId })
    expect(signals).toMatchObject({ sessionCount: 3 })
    const feed = await api.call(contract.sessions.list, { projectId, limit: 100 })
    expect(new Set(feed.items.map(({ sourceType }) => sourceType))).toEqual(new Set(['eval', 'swarm', 'scenario']))
  })

  test('have servers graded for each publisher, with reports marked as samples', async () => {
    const { api, projectId, idsOf } = await sampled()
    const { items } = await api.call(contract.readiness.list, { projectId })
    expect(items.map(({ id }) => id).toSorted()).toEqual(idsOf('readinessRun').toSorted())
    expect(new Set(items.map(({ readinessKind }) => readinessKind))).toEqual(new Set(['claude', 'openai']))
    for (const { id: runId, serverUrl, overallStatus, lanes } of items) {
      expect({ serverUrl, overallStatus }).toEqual({
        serverUrl: 'https://sample.mcpdeck.example/mcp',
        overallStatus: 'not-ready',
      })
      expect(new Set(lanes?.map(({ status }) => status))).toContain('incomplete')
      const report = await api.call(contract.readiness.report, { projectId, runId })
      expect(report).toMatchObject({ server: { name: 'Sample: weather desk', toolCount: 2 } })
    }
  })

  test('are all named as samples', async () => {
    const { api, store, projectId } = await sampled()
    const samples = store.samples.list()
    expect(samples).toHaveLength(12)
    for (const { name } of samples) expect(name).toMatch(/^Sample: /)
    const lists = [
      contract.personas.list,
      contract.journeys.list,
      contract.swarms.list,
      contract.clients.list,
      contract.environments.list,
      contract.scenarios.list,
    ]
    for (const list of lists) {
      const { items } = (await api.call(list, { projectId })) as { items: { id: string }[] }
      expect(items.length).toBeGreaterThan(0)
      for (const { id } of items) expect(samples.map(sample => sample.id)).toContain(id)
    }
  })
})

describe('removing samples', () => {
  test('leaves exactly what was there before', async () => {
    const dataDir = temporaryDirectory()
    const { store } = await open({ dataDir })
    const before = dump(dataDir)
    insertSamples(store, NOW)
    expect(dump(dataDir)).not.toEqual(before)
    expect(insertSamples(store, NOW)).toBe(false)
    const { removed, kept } = removeSamples(store)
    expect({ removed: removed.length, kept }).toEqual({ removed: 12, kept: [] })
    expect(dump(dataDir)).toEqual(before)
    expect(removeSamples(store)).toEqual({ removed: [], kept: [] })
    expect(insertSamples(store, NOW)).toBe(true)
  })

  test('removes what was added to them, and keeps records of the person with everything they refer to', async () => {
    const { api, store, projectId, suiteId, idsOf } = await sampled()
    const results = [{ caseTitle: 'Mine', passed: true }]
    const report = { suiteId, results }
    const added = await api.call(contract.evalIngest.report, { projectId, body: report })
    const own = await api.call(contract.evalIngest.report, { projectId, body: { suiteName: 'Mine', results } })
    const [personaId] = idsOf('persona')
    const [environmentId] = idsOf('environment')
    const [clientId] = idsOf('client')
    const body = {
      name: 'Mine',
      goal: 'Stay',
      personaId,
      environmentIds: [environmentId],
      sessionsPerTarget: 1,
      maxTurns: 1,
    }
    const journey = await api.call(contract.journeys.create, { projectId, body })
    const swarm = { projectId, scope: 'swarm' }
    const waveIds = (await api.call(contract.journeyRuns.overview, { projectId })).runs!.map(run => run.waveId!)
    const [lastWave = ''] = waveIds
    for (const waveId of [lastWave, 'wav_own']) store.insights.put(pendingInsights(swarm, waveId))
    const { removed, kept } = removeSamples(store)
    expect(store.insights.get(swarm, lastWave)).toBeUndefined()
    expect(store.insights.get(swarm, 'wav_own')).toMatchObject({ status: 'pending' })
    expect(kept.map(({ id }) => id).toSorted()).toEqual([personaId, environmentId, clientId].toSorted())
    expect(removed).toHaveLength(9)
    expect(store.samples.list()).toEqual([])
    expect(store.runs.get(projectId, String(added.runId))).toBeUndefined()
    expect(store.runs.get(projectId, String(own.runId))).toMatchObject({ result: 'passed' })
    expect(await api.call(contract.journeys.get, { projectId, journeyId: journey.id })).toEqual(journey)
    const environment = await api.call(contract.environments.resolve, { projectId, environmentId })
    expect(environment).toMatchObject({ hostId: clientId })
    // Kept samples keep their names, and the next samples get others.
    expect(insertSamples(store, NOW)).toBe(true)
    expect(store.samples.list().find(({ kind }) => kind === 'client')?.name).toBe('Sample: assistant (2)')
  })

  test('and adding them are safe across processes', async () => {
    const dataDir = temporaryDirectory()
    const { store } = await open({ dataDir })
    const before = dump(dataDir)
    const run = async (mode: string) =>
      JSON.parse((await promisify(execFile)(process.execPath, [CHILD, mode, dataDir])).stdout) as object
    const added = await Promise.all([run('add'), run('add')])
    expect(added.map(({ added: it }: { added?: boolean }) => it).toSorted()).toEqual([false, true])
    expect(store.samples.list()).toHaveLength(12)
    const mixed = await Promise.all([run('remove'), run('remove')])
    expect(mixed.map(({ removed }: { removed?: number }) => removed ?? 0).toSorted()).toEqual([0, 12])
    expect(dump(dataDir)).toEqual(before)
  }, 60_000)
})

describe('a new workspace', () => {
  test('gets samples by itself once, if asked to', async () => {
    const dataDir = temporaryDirectory()
    const first = await open({ dataDir, samples: true })
    await until(
      () => first.store.samples.due(),
      due => due.length === 0,
    )
    expect(first.store.samples.list()).toHaveLength(12)
    removeSamples(first.store)
    await first.close()
    const second = await open({ dataDir, samples: true })
    expect(second.store.samples.due()).toEqual([])
    expect(second.store.samples.list()).toEqual([])
  })

  test('gets the remaining samples from the next process if the first one ends in between', async () => {
    const dataDir = temporaryDirectory()
    const first = await open({ dataDir, samples: true })
    expect(insertNextSamples(first.store, NOW)).toBe(true)
    await first.close()
    const second = await open({ dataDir })
    await until(
      () => second.store.samples.due(),
      due => due.length === 0,
    )
    expect(second.store.samples.list()).toHaveLength(12)
  })

  test('gets no samples unless asked to, and none if the reference server is missing', async () => {
    const failures: unknown[] = []
    const service = await open({ log: entry => void failures.push(entry) })
    onTestFinished(() => expect(failures.filter(entry => (entry as { kind: string }).kind === 'failure')).toEqual([]))
    const { projectId, serverId } = await sandbox(service.api)
    expect(service.store.samples.due()).toEqual([])
    await service.api.call(contract.servers.delete, { projectId, serverId })
    expect(() => insertSamples(service.store, NOW)).toThrow('was deleted')
    service.store.samples.setDue(SAMPLE_STEPS)
    expect(() => insertNextSamples(service.store, NOW)).toThrow('was deleted')
    expect(service.store.samples.due()).toEqual([])
  })

  test('is served with samples by `serve --sample`', async () => {
    const { api } = await serveHere({ sample: true })
    const { projectId } = await sandbox(api)
    const { items } = await api.call(contract.scenarios.list, { projectId })
    expect(items).toMatchObject([{ name: 'Sample: weather desk' }])
  })
})
