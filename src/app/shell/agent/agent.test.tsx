import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../../test/harness.tsx'
import { echoCase, until } from '../../../../test/service/harness.ts'
import { scriptedModel, type Answer, type Asked, type ScriptedModel } from '../../../../test/service/scripted-model.ts'
import { confirmKeys } from '../../../components/component-keys.ts'
import { talkKeys, talkQuestionKeys } from '../../../components/conversations/talk-keys.ts'
import { serversRoute } from '../../../screens/servers/route.ts'
import { appKeys } from '../../../components/everywhere-keys.ts'
import { agentRowsKeys } from '../app-keys.ts'

const keys = appKeys.bindings
const { next, ask, stop, close } = talkKeys.bindings
const { open, dismiss } = agentRowsKeys.bindings
let script: (asked: Asked) => Answer
let model: ScriptedModel
let testService: TestService
let projectId: string
let serverId: string
let app: TestApp

/** Opens the server of the sandbox project, over a service whose model follows the script. */
beforeEach(async () => {
  model = await scriptedModel(asked => script(asked))
  testService = await openService({ models: { ...model.settings, model: 'small' } })
  projectId = (await testService.client.projects.list()).items[0]!.id
  serverId = (await testService.client.servers.list({ projectId })).items[0]!.id
  app = await openApp({ testService, place: serversRoute.to({ projectId, serverId }), size: { width: 80, height: 24 } })
  await app.see('▌everything')
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

const isPlace = (name: string, id: string) =>
  until(
    () => app.router.current().params[name],
    now => now === id,
  )

test('a question about the selected item is answered, and a proposal is sent only after approval', async () => {
  const { client } = testService
  const body = { name: 'Smoke', model: 'none', serverIds: [serverId], tests: [echoCase('says yes', 'yes')] }
  script = ({ results }) => {
    if (results.length === 0) return { calls: [{ name: 'createEvalSuite', args: { body } }] }
    if (results.length > 1) return { text: 'The suite **Smoke** is there.' }
    const { suiteId } = JSON.parse(results[0]!) as { suiteId: string }
    return { calls: [{ name: 'createEvalRun', args: { body: { suiteId } } }] }
  }
  const smoke = async () => (await client.suites.list({ projectId })).items.find(({ name }) => name === 'Smoke')!
  await app.press(keys.agent)
  await app.see(/> *type, or ↓ for one of these *\S*\n.* What changed on this server since last week\?/)
  // A suggested question is not sent by itself.
  await app.press('enter')
  await app.see('Nothing is written yet.')
  expect(app.frame()).not.toContain('No model is configured')
  await app.press('down')
  await app.see('> What changed on this server since last week?')
  await app.press('enter')
  await app.see('The suite Smoke is there.')
  expect(model.asked[0]?.prompts.at(-1)).toContain(`server ${serverId}`)
  const suite = await smoke()
  const runs = async () => (await client.runs.list({ projectId, suiteId: suite.id })).items
  await app.see(/proposed .*\n.*created .*Smoke/)

  await app.press(next, open)
  await app.see('Proposed by the agent')
  await app.see('createEvalRun spends credits')
  await app.see(`${suite.id} is Smoke.`)
  // Enter alone declines.
  await app.press('enter')
  await app.see(frame => !frame.includes('Proposed by the agent'))
  expect(await runs()).toEqual([])
  await app.press(open)
  await app.see('Proposed by the agent')
  await app.press('down', 'enter')
  await app.see('approved')
  const [run] = await runs()
  await app.press(dismiss)
  await app.see('This was approved already.')
  await app.press(open)
  await isPlace('runId', run!.id)

  await app.press(keys.agentTurns)
  await app.see(/answered +What changed on this server/)
  await app.press('enter')
  await app.see('The suite Smoke is there.')
  await app.press(next)
  await app.see(/▌approved .*\n.*created .*Smoke/)
  await app.press('down', open)
  await isPlace('suiteId', suite.id)
  // The list that opened it is closed too.
  await app.see(frame => !frame.includes('Questions to the agent'))
})

test('a question is chosen, edited and followed by others, which include the earlier messages', async () => {
  const { client } = testService
  const suites = async () => (await client.suites.list({ projectId })).items
  const [suite] = await suites()
  script = ({ prompts, results }) => {
    if (prompts.length === 1) return { text: 'Because of **time**.' }
    if (results.length === 0) return { calls: [{ name: 'deleteEvalSuite', args: { suiteId: suite!.id } }] }
    return { text: 'It could go.' }
  }
  await app.press(keys.actions)
  await app.see('What can be done here')
  await app.type('agent calls fail')
  await app.press('enter')
  await app.see('> Why do calls of this server fail?')
  await app.press(talkQuestionKeys.bindings.next)
  await app.see('> What changed on this server')
  await app.press(talkQuestionKeys.bindings.previous)
  await app.press('end')
  await app.type(' Briefly.')
  await app.see('> Why do calls of this server fail? Briefly.')
  await app.press('enter')
  await app.see('Because of time.')
  await app.see(/10 tokens in, 5 out; today 10 tokens in, 5 out, in 1 turn/)

  await app.press(ask)
  await app.see(frame => /> *type/.test(frame) && !frame.includes('for one of these'))
  // Earlier questions return, not the suggested ones.
  await app.press(talkQuestionKeys.bindings.next)
  await app.see('> Why do calls of this server fail? Briefly.')
  await app.press(talkQuestionKeys.bindings.next)
  await app.type('And now?')
  await app.press('enter')
  await app.see('It could go.')
  await app.see('1 earlier question')
  await app.see(/20 tokens in, 10 out; today 30 tokens in, 15 out, in 2 turns/)
  const [first, last] = [model.asked[0]!, model.asked.at(-1)!]
  expect(first.prompts).toEqual([expect.stringContaining('Why do calls of this server fail? Briefly.\n\n(Chosen')])
  expect(last.prompts).toEqual([first.prompts[0], 'And now?'])
  expect(last.turns.slice(0, 3)).toEqual(['prompt', 'model', 'prompt'])

  await app.press(next)
  await app.see(/▌proposed /)
  await app.press(dismiss)
  await app.see('Dismissed, nothing was sent')
  await app.press(close)
  expect(await suites()).toContainEqual(expect.objectContaining({ id: suite!.id }))
  await app.press(keys.agentTurns)
  await app.see(/answered +And now\?[^]*answered +Why do calls/)
  await app.press('enter')
  await app.see('1 earlier question')
  await app.press(next)
  await app.see(/▌dismissed /)
  await app.press(open)
  await app.see('This was dismissed already.')
})

test('a decision about an earlier proposal stays when a turn ends that ran meanwhile', async () => {
  const [suite] = (await testService.client.suites.list({ projectId })).items
  script = ({ prompts, results }) => {
    if (prompts.length > 1) return 'silence'
    if (results.length === 0) return { calls: [{ name: 'deleteEvalSuite', args: { suiteId: suite!.id } }] }
    return { text: 'It could go.' }
  }
  await app.press(keys.agent)
  await app.see('type, or ↓')
  await app.type('Can it go?')
  await app.press('enter')
  await app.see('It could go.')
  await app.press(ask)
  await app.type('And now?')
  await app.press('enter')
  await app.see('Working…')
  await app.press(next)
  await app.see(/▌proposed /)
  await app.press(dismiss)
  await app.see('Dismissed, nothing was sent')
  await app.see(/▌dismissed /)
  await app.press(next, stop)
  await app.see(/system[^]*The turn was cancelled/)
  expect(app.frame()).toContain('dismissed ')
  expect(app.frame()).not.toContain('proposed ')
})

test('an approved action counts as done even if its decision cannot be stored', async () => {
  const { client } = testService
  const body = { name: 'Smoke', model: 'none', serverIds: [serverId], tests: [echoCase('says yes', 'yes')] }
  script = ({ results }) => {
    if (results.length === 0) return { calls: [{ name: 'createEvalSuite', args: { body } }] }
    if (results.length > 1) return { text: 'The suite is there.' }
    const { suiteId } = JSON.parse(results[0]!) as { suiteId: string }
    return { calls: [{ name: 'createEvalRun', args: { body: { suiteId } } }] }
  }
  const { call } = client
  vi.spyOn(client, 'call').mockImplementation((endpoint, ...rest) =>
    endpoint.operation === 'discardAgentProposal'
      ? Promise.reject(new Error('The line is down.'))
      : call(endpoint, ...rest),
  )
  await app.press(keys.agent)
  await app.see('type, or ↓')
  await app.type('Does it work?')
  await app.press('enter')
  await app.see(/proposed .*\n.*created .*Smoke/)
  await app.press(next, open)
  await app.see('Proposed by the agent')
  await app.press('down', 'enter')
  await app.see('Done: createEvalRun. The decision was not stored: ')
  await app.see('▌approved ')
})

test('a turn left running is found again, cancelled at once and never repeated', async () => {
  script = () => 'silence'
  await app.press(keys.agent)
  await app.see('type, or ↓')
  await app.press('down')
  await app.see('> What changed on this server')
  await app.press('enter')
  await app.see('Working…')
  await until(
    () => model.waiting,
    waiting => waiting > 0,
  )
  await app.press(close)
  await app.see('Still working')
  await app.press(confirmKeys.bindings.choose)
  await app.see(frame => !frame.includes('> '))
  await app.press(keys.agentTurns)
  await app.see(/running +What changed on this server/)
  await app.press('enter')
  await app.see(/Working… \d/)
  await app.press(stop)
  await app.see(/system[^]*The turn was cancelled/)
  await app.press(close)
  expect(model.asked).toHaveLength(1)
})

test('a turn whose model fails is marked as failed and shows what it had created', async () => {
  const body = { name: 'Left', model: 'none', serverIds: [serverId], tests: [echoCase('says yes', 'yes')] }
  script = ({ results }) =>
    results.length === 0 ? { calls: [{ name: 'createEvalSuite', args: { body } }] } : { status: 401, message: 'no' }
  await app.press(keys.agent)
  await app.see('type, or ↓')
  await app.press('down')
  await app.see('> What changed on this server')
  await app.press('enter')
  await app.see(/created .*Left/)
  expect((await testService.client.agentTurns.list({ projectId })).items[0]).toMatchObject({ status: 'failed' })
})

test('questions to a hosted service are listed for the session, and its proposals are decided there', async () => {
  await app.close()
  const place = serversRoute.to({ projectId, serverId })
  app = await openApp({ testService, place, hosted: { openBrowser: async () => undefined } })
  const [suite] = (await testService.client.suites.list({ projectId })).items
  script = ({ results }) =>
    results.length === 0
      ? { calls: [{ name: 'deleteEvalSuite', args: { suiteId: suite!.id } }] }
      : { text: 'It waits.' }
  await app.see('▌everything')
  await app.press(keys.agent)
  await app.see('This spends credits.')
  await app.press('down')
  await app.see('> What changed on this server')
  await app.press('enter')
  await app.see('It waits.')
  await app.press(next, open)
  await app.see('decide about it there')
  await app.press(close)
  await app.press(keys.agentTurns)
  await app.see(/agent in this session[^]*answered +What changed on this server/)
  await app.press('enter')
  await app.see('It waits.')
})

test('without a model the assistant says so before typing, with what to configure', async () => {
  await app.close()
  const bare = await openService()
  onTestFinished(() => bare.close())
  const [project] = (await bare.client.projects.list()).items
  app = await openApp({ testService: bare, place: serversRoute.to({ projectId: project!.id }) })
  await app.see('▌everything')
  await app.press(keys.agent)
  await app.see(/! No model is configured: set MCPDECK_MODEL_BASE_URL[^]*type, or ↓/)
})
