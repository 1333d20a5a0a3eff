import { contract } from '../../src/api/contract/contract.ts'
import type { JourneyRun } from '../../src/api/contract/journey-runs.ts'
import { RUBRIC } from '../../src/service/journey-runs/rows.ts'
import type { Store } from '../../src/service/core/database/store.ts'
import { open, sandbox, until, type Api } from './harness.ts'
import { adder, KEY } from './model-runs.ts'
import { scriptedModel, type Answer, type Asked } from './scripted-model.ts'

const { clients, environments, personas, journeys, journeyRuns } = contract

/** The prompt of a persona's model. */
export type Scene = { person: { name: string }; goal: string; turnsLeft: number; conversation: { text: string }[] }
type Cast = {
  persona?: (scene: Scene, asked: Asked) => Answer
  assistant?: (asked: Asked) => Answer
  grader?: (asked: Asked) => Answer
}

export const json = (value: unknown): Answer => ({ text: JSON.stringify(value) })

/** A persona that asks for a sum, and is done when it gets it. */
export const wantsSum = ({ conversation, goal }: Scene): Answer =>
  json(conversation.length === 0 ? { done: false, message: goal } : { done: true, message: '' })

/** Grades everything as passed except the named criteria. */
export function graded(score: number, failed: string[] = []): Answer {
  const judged = RUBRIC.filter(({ kind }) => kind === 'judge')
  const answers = judged.map(({ id }) => [id, { passed: !failed.includes(id), reason: `seen in ${id}` }])
  return json({ goal: { score, reason: 'as the transcript says' }, criteria: Object.fromEntries(answers) })
}

/** One endpoint that plays the persona, the assistant and the grader, which it distinguishes by their instructions. */
export function cast({ persona = wantsSum, assistant = adder, grader = () => graded(1) }: Cast) {
  return (asked: Asked): Answer => {
    if (asked.system.startsWith('You play a person')) return persona(JSON.parse(asked.prompts[0] ?? '') as Scene, asked)
    return asked.system.startsWith('You grade a conversation') ? grader(asked) : assistant(asked)
  }
}

/** An environment whose client has the reference server. */
export async function environment(api: Api, name: string, config: object = {}) {
  const { projectId, serverId } = await sandbox(api)
  const client = await api.call(clients.create, {
    projectId,
    body: { name: `${name} client`, config: { modelId: `${name}-model`, serverIds: [serverId], ...config } },
  })
  const row = await api.call(environments.create, { projectId, body: { name, hostId: client.id } })
  return { id: row.id, hostId: client.id }
}

/** A journey of the persona Ada. */
export async function journey(api: Api, fields: object): Promise<{ projectId: string; journeyId: string }> {
  const { projectId } = await sandbox(api)
  const ada = { name: 'Ada', role: 'bookkeeper', notes: 'Wants short answers.' }
  const persona = await api.call(personas.create, { projectId, body: ada })
  const body = {
    name: 'Sums',
    goal: 'Add 2 and 3',
    personaId: persona.id,
    sessionsPerTarget: 1,
    maxTurns: 5,
    ...fields,
  }
  const { id } = await api.call(journeys.create, { projectId, body })
  return { projectId, journeyId: id }
}

export function untilOver(api: Api, projectId: string, runId: string): Promise<JourneyRun> {
  return until(
    () => api.call(journeyRuns.get, { projectId, runId }),
    ({ status }) => status !== 'running',
  )
}

/** Launches a journey and waits for its end. */
export async function runJourney(
  api: Api,
  place: { projectId: string; journeyId: string },
  body?: object,
): Promise<JourneyRun> {
  const { id } = await api.call(journeyRuns.launch, { ...place, ...(body && { body }) })
  return untilOver(api, place.projectId, id)
}

/** A workspace with a model that plays every part. */
export async function stage(roles: Parameters<typeof cast>[0] = {}) {
  const model = await scriptedModel(cast(roles))
  const service = await open({ models: { ...model.settings, apiKey: KEY, model: 'player' } })
  return { ...service, model }
}

/** A journey in one environment, or in the given ones. */
export async function plainJourney(api: Api, fields: object = {}, names = ['one']) {
  const targets = []
  for (const name of names) targets.push(await environment(api, name))
  const environmentIds = targets.map(({ id }) => id)
  return { ...(await journey(api, { environmentIds, ...fields })), targets, environmentIds }
}

export const organizationOf = (store: Store, projectId: string) => store.projects.get(projectId)!.organizationId

export function set(store: Store, projectId: string, name: string, value: string) {
  store.write(() => store.organizationSettings.set(organizationOf(store, projectId), name, value))
}
