import type { ServiceOptions } from '../../src/service/workspace/service.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { open, sandbox, untilEnded, type Api } from './harness.ts'
import type { Answer, Asked } from './scripted-model.ts'

const { runs, iterations } = contract

export const KEY = 'sk-scripted-0123456789-secret'
/** The wait that the endpoint asks for, so that no test waits for the library's seconds. */
export const soon = { 'retry-after-ms': '1' }

export const prompt = (text: string, id = text) => ({ id, kind: 'prompt', prompt: text })
export const assert = (assertion: { type: string } & Record<string, unknown>) => ({
  id: JSON.stringify(assertion),
  kind: 'assert',
  assertion,
})
export const sum = { name: 'get-sum', args: { a: 2, b: 3 } }

/** A model that adds when asked to, and repeats the result of the tool. */
export const adder = ({ results }: Asked): Answer =>
  results.length === 0 ? { calls: [sum] } : { text: `It says: ${results.join(' | ')}` }

export type Case = { title: string; steps: object[]; isNegativeTest?: boolean; advancedConfig?: object }

/** Launches a run of these cases on the reference server. */
export async function launch(api: Api, cases: Case[], fields: object = {}) {
  const { projectId, serverId } = await sandbox(api)
  const tests = cases.map(entry => ({ runs: 1, model: 'small', provider: 'scripted', ...entry }))
  const body = { suiteName: 'Prompts', serverIds: [serverId], tests, ...fields }
  const { runId } = await api.call(runs.create, { projectId, body })
  return { projectId, runId }
}

/** Runs cases to their end. */
export async function runCases(options: Partial<ServiceOptions>, cases: Case[], fields: object = {}) {
  const { api } = await open(options)
  const { projectId, runId } = await launch(api, cases, fields)
  const run = await untilEnded(api, projectId, runId)
  const { items } = await api.call(iterations.list, { projectId, runId })
  return { run, items, api, projectId, runId }
}
