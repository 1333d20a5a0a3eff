import { contract } from '../../src/api/contract/contract.ts'
import type { EvalRun } from '../../src/api/contract/runs.ts'
import type { ServiceOptions } from '../../src/service/workspace/service.ts'
import type { ModelSettings } from '../../src/service/models/endpoint.ts'
import { echoCase, open, sandbox, until, untilEnded, type Api } from './harness.ts'
import { scriptedModel, type Answer, type Asked } from './scripted-model.ts'

const { runs, suites } = contract

/** An answer of a model that is one JSON document. */
export const json = (value: unknown): Answer => ({ text: JSON.stringify(value) })

/** A case that echoes a message and has an expected output. */
export const goalCase = (title: string, message: string, more: object = {}) => ({
  ...echoCase(title, message),
  expectedOutput: `The answer tells ${title}.`,
  ...more,
})

type Known = { models?: ModelSettings | undefined; dataDir?: string; log?: ServiceOptions['log'] }

/** A finished run of these cases on the reference server. */
export async function finishedRun(tests: object[], settings: object | undefined, options: Known = {}) {
  const service = await open(options)
  const { api } = service
  const { projectId, serverId } = await sandbox(api)
  const created = { name: 'Goals', model: 'suite/model', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body: created })
  if (settings) await api.call(suites.update, { projectId, suiteId, body: { settings } })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  const run = await untilEnded(api, projectId, runId)
  return { ...service, projectId, serverId, suiteId, runId, run, place: { projectId, runId } }
}

export const untilRun = (api: Api, place: object, wanted: (run: EvalRun) => boolean) =>
  until(() => api.call(runs.get, { ...place }), wanted)

/** Waits for the grades until they are no longer pending. */
export async function untilJudged(api: Api, place: object) {
  const run = await untilRun(api, place, ({ judges }) => judges?.goalCompletion?.status !== 'pending')
  return run.judges?.goalCompletion
}

type Shown = { failure: number; title: string; observed: string; evidence: { excerpt: string }[] }
/** The failures in a request to the model. */
export const shownTo = ({ prompts }: Asked) => (JSON.parse(prompts[0]!) as { failures: Shown[] }).failures

/** Gives advice on every failure in the request, by its number. */
export const adviser = (asked: Asked): Answer =>
  json({
    summary: 'It went wrong.',
    advice: shownTo(asked).map(({ failure }) => ({
      failure,
      rootCause: `cause ${failure}`,
      recommendation: `do ${failure}`,
      acceptanceCriteria: ['it passes'],
      confidence: 'high',
    })),
  })

/** A model that gives advice. */
export async function advisingModel(script: (asked: Asked) => Answer = adviser) {
  const { settings, asked } = await scriptedModel(script)
  return { models: { ...settings, model: 'adviser' }, asked }
}
