import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { ProjectRole } from '../../src/api/contract/endpoint.ts'
import { agentTools } from '../../src/service/agent/operations.ts'
import { makeKey } from '../../src/service/core/access.ts'
import type { ModelKind } from '../../src/service/models/settings.ts'
import { echoCase, open, sandbox } from './harness.ts'
import { KEY } from './model-runs.ts'
import { scriptedModel, TOKENS, type Answer, type Asked } from './scripted-model.ts'

const { agent, agentTurns, agentProposals, suites, runs } = contract

type Call = { name: string; args: unknown }
const calling = (name: string, args: unknown = {}): Call => ({ name, args })

/** A workspace whose model answers each request with the next of these, and with a text when they are over. */
async function stage(steps: ((asked: Asked) => Answer)[], kind: ModelKind = 'openai-compatible') {
  let at = 0
  const model = await scriptedModel(asked => steps[at++]?.(asked) ?? { text: 'Done.' }, kind)
  const service = await open({ models: { ...model.settings, apiKey: KEY, model: 'small' } })
  const place = await sandbox(service.api)
  const { projectId } = place
  const body = (text: string, more: object = {}) => ({
    projectId,
    body: { messages: [{ role: 'user', content: text }], conversationId: 'here', ...more },
  })
  return {
    ...service,
    ...place,
    model,
    body,
    ask: (text: string, more: object = {}) => service.api.call(agent.turn, body(text, more)),
    refused: (text: string, more: object = {}) => service.api.refused(agent.turn, body(text, more)),
  }
}

const does =
  (...calls: Call[]) =>
  (): Answer => ({ calls })
const newSuite = (serverId: string, name = 'Smoke') =>
  calling('createEvalSuite', {
    body: { name, model: 'none', serverIds: [serverId], tests: [echoCase('says yes', 'yes')] },
  })

test.each<ModelKind>(['openai-compatible', 'anthropic'])(
  'a turn reads, adds a suite and proposes its run over an endpoint that is %s',
  async kind => {
    const steps: ((asked: Asked) => Answer)[] = [
      does(calling('listProjectServers')),
      () => ({ calls: [newSuite(serverId)] }),
      ({ results }) => {
        const { suiteId } = JSON.parse(results.at(-1)!) as { suiteId: string }
        return { calls: [calling('createEvalRun', { body: { suiteId } })] }
      },
    ]
    const { api, projectId, serverId, ask, model } = await stage(steps, kind)
    const turn = await ask('Write a suite and run it')
    expect(turn).toMatchObject({
      reply: 'Done.',
      toolCalls: [{ operation: 'listProjectServers' }, { operation: 'createEvalSuite' }],
      createdResources: [{ type: 'eval_suite', name: 'Smoke' }],
      proposedActions: [{ operation: 'createEvalRun', kind: 'start', confirmSeverity: 'spend' }],
      usage: { inputTokens: 4 * TOKENS.input, outputTokens: 4 * TOKENS.output },
    })
    const [{ id: suiteId, url } = { id: '' }] = turn.createdResources!
    expect(url).toContain(`/api/v1/projects/${projectId}/eval-suites/${suiteId}`)
    expect(await api.call(runs.list, { projectId, suiteId })).toEqual({ items: [] })
    expect(model.asked[0]?.tools.length).toBeLessThanOrEqual(128)

    const [{ actionId } = { actionId: '' }] = turn.proposedActions!
    const proposal = await api.call(agentProposals.get, { projectId, actionId })
    expect(proposal).toMatchObject({ operation: 'createEvalRun', input: { projectId, body: { suiteId } } })
    await api.call(runs.create, proposal.input)
    expect(await api.call(agentProposals.discard, { projectId, actionId })).toEqual({ discarded: true })
    expect(await api.refused(agentProposals.get, { projectId, actionId })).toMatchObject({ status: 404 })
    const [kept] = (await api.call(agentTurns.list, { projectId })).items
    expect(kept).toMatchObject({
      status: 'answered',
      question: 'Write a suite and run it',
      calls: [{ outcome: 'done' }, { outcome: 'done' }, { operation: 'createEvalRun', outcome: 'proposed' }],
    })
  },
)

test('whatever is no read and no addition is only proposed, and not offered without a conversation', async () => {
  for (const { endpoint, tier } of agentTools().values())
    if (endpoint.risk !== 'read' && endpoint.risk !== 'write') expect([endpoint.operation, tier]).toContain('proposed')
  const { api, projectId, model, serverId, suiteId } = await stage([
    () => ({ calls: [calling('updateEvalSuite', { suiteId, body: { name: 'Mine' } }), newSuite(serverId)] }),
  ])
  const messages = [{ role: 'user', content: 'Rename it' }]
  const turn = await api.call(agent.turn, { projectId, body: { messages } })
  expect(turn).toMatchObject({ toolCalls: [{ operation: 'createEvalSuite' }], proposedActions: [] })
  const offered = new Set(model.asked[0]?.tools.map(({ name }) => name))
  expect([...agentTools()].filter(([name]) => offered.has(name)).map(([, { tier }]) => tier)).not.toContain('proposed')
  expect((await api.call(suites.get, { projectId, suiteId })).name).not.toBe('Mine')
})

test('a proposal is checked as the request itself would be, with the caller’s own role', async () => {
  const { api, store, projectId, serverId, suiteId, body } = await stage([
    does(calling('createEvalRun', { body: { suite: 'x' } }), calling('deleteProjectServer', { serverId: 'srv_no' })),
    () => ({ calls: [calling('deleteProjectServer', { serverId }), calling('deleteEvalSuite', { suiteId })] }),
  ])
  const keyOf = (role: ProjectRole) => makeKey(store, role, { role }).key
  expect(await api.refused(agent.turn, body('Hi'), { key: keyOf('guest') })).toMatchObject({ status: 403 })
  const turn = await api.call(agent.turn, body('Delete it'), { key: keyOf('member') })
  expect(turn.proposedActions?.map(({ operation }) => operation)).toEqual(['deleteEvalSuite'])
  const [kept] = (await api.call(agentTurns.list, { projectId })).items
  expect(kept?.calls.map(({ outcome, message }) => [outcome, message?.split(':')[0]])).toEqual([
    ['refused', 'VALIDATION_ERROR'],
    ['refused', 'FORBIDDEN'],
    ['refused', 'FORBIDDEN'],
    ['proposed', undefined],
  ])
})
