import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../../test/harness.tsx'
import { echoCase, until } from '../../../../test/service/harness.ts'
import { scriptedModel, type Answer, type Asked, type ScriptedModel } from '../../../../test/service/scripted-model.ts'
import { serversRoute } from '../../../screens/servers/route.ts'
import { agentKeys, appKeys } from '../app-keys.ts'

const keys = appKeys.bindings
const { open, other, close } = agentKeys.bindings
let script: (asked: Asked) => Answer
let model: ScriptedModel
let testService: TestService
let projectId: string
let serverId: string
let app: TestApp

/** The server of the Sandbox, over a service whose model follows the script. */
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

test('a question about what is chosen is answered, and what it proposes is sent only once it is agreed to', async () => {
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
  await app.see('What changed on this server since last week?')
  await app.press('enter')
  await app.see('The suite Smoke is there.')
  expect(model.asked[0]?.prompts.at(-1)).toContain(`server ${serverId}`)
  const suite = await smoke()
  const runs = async () => (await client.runs.list({ projectId, suiteId: suite.id })).items
  await app.see(/proposed .*\n.*created .*Smoke/)

  await app.press(other, open)
  await app.see('Proposed by the agent')
  await app.see('createEvalRun spends credits')
  // Enter alone declines.
  await app.press('enter')
  await app.see(frame => !frame.includes('Proposed by the agent'))
  expect(await runs()).toEqual([])
  await app.press(open)
  await app.see('Proposed by the agent')
  await app.press('down', 'enter')
  await app.see('approved')
  expect(await runs()).toHaveLength(1)
  await app.press(open)
  await app.see('This was approved already.')

  await app.press('down', open)
  await until(
    () => app.router.current().params['suiteId'],
    id => id === suite.id,
  )
  await app.press(keys.agentTurns)
  await app.see(/answered +What changed on this server/)
  await app.press('enter')
  await app.see('The suite Smoke is there.')
  await app.press(close)
})

test('a turn is cancelled at once and never repeated', async () => {
  script = () => 'silence'
  await app.press(keys.agent)
  await app.see('What changed on this server')
  await app.press('enter')
  await app.see('The agent works…')
  await until(
    () => model.waiting,
    waiting => waiting > 0,
  )
  await app.press(keys.stop)
  await app.see('The turn was cancelled')
  expect(model.asked).toHaveLength(1)
})

test('a turn whose model fails says so and shows what it had created by then', async () => {
  const body = { name: 'Left', model: 'none', serverIds: [serverId], tests: [echoCase('says yes', 'yes')] }
  script = ({ results }) =>
    results.length === 0 ? { calls: [{ name: 'createEvalSuite', args: { body } }] } : { status: 401, message: 'no' }
  await app.press(keys.agent)
  await app.see('What changed on this server')
  await app.press('enter')
  await app.see(/created .*Left/)
  expect((await testService.client.agentTurns.list({ projectId })).items[0]).toMatchObject({ status: 'failed' })
})
