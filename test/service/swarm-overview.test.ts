import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { newId } from '../../src/service/core/ids.ts'
import type { Criterion } from '../../src/service/journey-runs/rows.ts'
import type { Store } from '../../src/service/core/database/store.ts'
import { OVERVIEW_RUNS } from '../../src/service/journey-runs/handlers.ts'
import { otherProject, workspace } from './swarms-workspace.ts'

const { journeyRuns, journeys } = contract

const RUBRIC: Criterion[] = [
  { id: 'calls', label: 'Calls work', kind: 'check', assertion: { type: 'noToolErrors' } },
  { id: 'polite', label: 'Polite', kind: 'judge', question: 'Is it polite?' },
]

type Outcome = { goal: boolean; polite: boolean } | 'ungraded' | 'broken'

/** A run as an engine leaves it, with one session for each outcome. */
function insertRun(store: Store, projectId: string, journeyId: string, outcomes: readonly Outcome[]): string {
  const id = newId('jrn')
  const now = Date.now()
  const target = { targetId: 'env_1', hostId: 'cli_1', hostName: 'Client', modelId: 'a/b', servers: [] }
  const plan = {
    journey: { name: 'As launched', goal: 'g', sessionsPerTarget: outcomes.length, maxTurns: 2 },
    persona: { id: 'per_1', name: 'Ada', role: 'accountant', notes: null },
    targets: [{ ...target, environment: { id: 'env_1', name: 'There', revision: 1 } }],
    rubric: RUBRIC,
  }
  const run = { id, projectId, journeyId, waveId: 'wave', marker: null, error: null, plan }
  const ended = { status: 'completed', createdAt: now, lastHeartbeatAt: now, endedAt: now } as const
  const attempt = { runId: id, targetPosition: 0, status: 'succeeded', errorCode: null, errorMessage: null } as const
  store.write(() => {
    const attempts = outcomes.map((_outcome, position) => ({
      ...attempt,
      position,
      sessionIndex: position,
      startedAt: now,
      endedAt: now,
    }))
    store.journeyRuns.insert({ ...run, ...ended }, attempts)
    for (const [position, outcome] of outcomes.entries()) insertSession(store, { projectId, id, position }, outcome)
  })
  return id
}

function insertSession(
  store: Store,
  { projectId, id: runId, position }: { projectId: string; id: string; position: number },
  outcome: Outcome,
): void {
  const id = newId('ses')
  const row = { id, chatSessionId: `chat_${id}`, projectId, runId, attemptPosition: position }
  store.journeySessions.insert({ ...row, startedAt: Date.now() })
  if (outcome === 'ungraded') return
  store.journeySessions.claimForGrading(id)
  if (outcome === 'broken') {
    store.journeySessions.endGrading(id, { error: 'The grader broke.' })
    return
  }
  const reason = 'because'
  const goal = { score: outcome.goal ? 1 : 0.5, passed: outcome.goal, reason }
  const criteria = { calls: { passed: true, reason }, polite: { passed: outcome.polite, reason } }
  store.journeySessions.endGrading(id, { grades: { goal, criteria } })
}

test('the overview sums up the results of the project’s runs', async () => {
  const { api, store, projectId, persona, journey } = await workspace()
  const nothing = { gradedCount: 0, passedCount: 0, passRate: null, runsWithGrades: 0, trend: [] }
  expect(await api.call(journeyRuns.overview, { projectId })).toEqual({
    runs: [],
    runsConsidered: 0,
    goalCompletion: nothing,
  })
  const { id: personaId } = await persona()
  const made = await journey(personaId)
  const gone = await journey(personaId)
  const rude = { goal: true, polite: false }
  const fine = { goal: true, polite: true }
  const first = insertRun(store, projectId, made.id, [rude, { goal: false, polite: true }, 'broken'])
  const second = insertRun(store, projectId, gone.id, ['ungraded'])
  const third = insertRun(store, projectId, made.id, [rude, fine])
  insertRun(store, await otherProject(api), 'jny_other', [fine])
  await api.call(journeys.archive, { projectId, journeyId: gone.id })

  const overview = await api.call(journeyRuns.overview, { projectId })
  expect(overview).toMatchObject({
    runsConsidered: 3,
    goalCompletion: { gradedCount: 4, passedCount: 3, passRate: 0.75, runsWithGrades: 2 },
  })
  expect(overview.goalCompletion?.trend?.reduce((sum, day) => sum + (day.gradedCount ?? 0), 0)).toBe(4)
  expect(overview.runs).toMatchObject([
    {
      runId: third,
      journeyId: made.id,
      journeyName: 'As launched',
      journeyArchived: false,
      personaName: 'Ada',
      status: 'completed',
      waveId: 'wave',
      summary: { total: 2, succeeded: 2, failed: 0, rateLimited: 0 },
      goalCompletion: { gradedCount: 2, passedCount: 2, avgScore: 1, pendingCount: 0, failedCount: 0 },
      findings: [{ criterionId: 'polite', kind: 'judge', failCount: 1, sessionsGraded: 2, runStreak: 2 }],
      targets: [{ hostName: 'Client', modelId: 'a/b', environmentName: 'There' }],
    },
    { runId: second, journeyArchived: true, goalCompletion: null, findings: [] },
    {
      runId: first,
      goalCompletion: { gradedCount: 2, passedCount: 1, avgScore: 0.75, failedCount: 1 },
      findings: [{ criterionId: 'polite', failCount: 1, failedGradingCount: 1, runStreak: 1 }],
    },
  ])
})

test('the overview scans a limited number of runs, and says how far it got', async () => {
  const { api, store, projectId } = await workspace()
  for (let count = 0; count < OVERVIEW_RUNS + 2; count += 1)
    insertRun(store, projectId, 'jny_old', [{ goal: true, polite: true }])
  const overview = await api.call(journeyRuns.overview, { projectId })
  expect(overview.runsConsidered).toBe(OVERVIEW_RUNS)
  expect(overview.runs).toHaveLength(OVERVIEW_RUNS)
  expect(overview.goalCompletion?.gradedCount).toBe(OVERVIEW_RUNS)
})
