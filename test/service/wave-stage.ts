import { contract } from '../../src/api/contract/contract.ts'
import type { Store } from '../../src/service/core/database/store.ts'
import { advice, isForAdvice, isForDiscovery, type Adviser } from './graded-waves.ts'
import { open, temporaryDirectory, until, type Api } from './harness.ts'
import { cast, environment, graded, journey, json, runJourney } from './journey-cast.ts'
import { adder, KEY } from './model-runs.ts'
import { scriptedModel, type Answer } from './scripted-model.ts'

const { journeyFindings, waveInsights } = contract

/** A workspace whose model plays every part, including graders and advisors. */
export async function stage({
  score = 0.1,
  adviser = advice,
  discoverer = (): Answer => json({ observations: [] }),
  dataDir = temporaryDirectory(),
  assistant = adder,
}: { score?: number; adviser?: Adviser; discoverer?: Adviser; dataDir?: string; assistant?: Adviser } = {}) {
  const play = cast({ assistant, grader: () => graded(score) })
  const answer = { adviser }
  const model = await scriptedModel(asked => {
    if (isForDiscovery(asked)) return discoverer(asked)
    return isForAdvice(asked) ? answer.adviser(asked) : play(asked)
  })
  const models = { ...model.settings, apiKey: KEY, model: 'player' }
  const service = await open({ dataDir, models })
  return { ...service, model, models, answer, dataDir }
}

/** A journey whose goal every session misses, run once in the wave. */
export async function failedWave(api: Api, fields: object = {}, waveId = 'w1') {
  const first = await environment(api, 'first')
  const second = await environment(api, 'second')
  const place = await journey(api, { environmentIds: [first.id, second.id], sessionsPerTarget: 3, ...fields })
  const run = await runJourney(api, place, { waveId })
  return { ...place, runId: run.id, wave: { projectId: place.projectId, waveId }, first, second }
}

type Wave = { projectId: string; waveId: string }

export const findingsOf = async (api: Api, { projectId }: Wave) =>
  (await api.call(journeyFindings.list, { projectId })).items

export const untilGenerated = (api: Api, wave: Wave) =>
  until(
    () => api.call(waveInsights.get, wave),
    ({ status }) => status !== 'pending',
  )

export const untilAsked = (model: { waiting: number }, count = 1) =>
  until(
    () => model.waiting,
    waiting => waiting === count,
  )

export const slices = (store: Store) =>
  store.quotaUses.since(store.settings.get('localOrganizationId')!, 'insights', 0).count
