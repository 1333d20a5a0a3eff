import { expect, onTestFinished, test } from 'vitest'
import { openApp, openService } from '../../../test/harness.tsx'
import { scriptedModel } from '../../../test/service/scripted-model.ts'
import { environmentsKeys } from './bindings.ts'
import { environmentsRoute } from './route.ts'
import { sessionsKeys } from '../sessions/bindings.ts'
import { sessionsRoute } from '../sessions/route.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { chatKeys } from '../../components/conversations/chat-keys.ts'
import { talkKeys } from '../../components/conversations/talk-keys.ts'

test('a chat with an environment shows its calls, continues as a session, and becomes a case', async () => {
  const model = await scriptedModel(({ prompts, results }) => {
    if (prompts.at(-1) === 'Fail') return { status: 401, message: 'no' }
    if (prompts.at(-1) !== 'What is 2 and 3?') return { text: `You said ${prompts.join(', ')}` }
    if (results.length === 0) return { calls: [{ name: 'get-sum', args: { a: 2, b: 3 } }] }
    return { text: 'It is **five**.' }
  })
  const testService = await openService({ models: { ...model.settings, model: 'small' } })
  onTestFinished(() => testService.close())
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const server = (await client.servers.list({ projectId })).items[0]!
  const { id: hostId } = await client.clients.create({ projectId, body: { name: 'Desk', template: 'claude' } })
  await client.hosts.setServers({ projectId, hostId, body: { serverIds: [server.id] } })
  await client.environments.create({ projectId, body: { name: 'Counter', hostId } })
  const app = await openApp({ testService, place: environmentsRoute.to({ projectId }) })
  onTestFinished(app.close)

  await app.see('▌Counter')
  await app.press(environmentsKeys.bindings.talk)
  await app.see('You talk to the model of Counter')
  await app.type('What is 2 and 3?')
  await app.press('enter')
  await app.see(/everything\/get-sum \{"a":2,"b":3\}[^]*It is five\./)
  await app.press(talkKeys.bindings.ask)
  await app.type('Fail')
  await app.press('enter')
  await app.see(/1 earlier question[^]*user[^]*Fail[^]*✗ system/)

  await app.press(chatKeys.bindings.saveCase)
  await app.see('Save as eval case')
  await app.press(formKeys.bindings.send)
  await app.see('Saved What is 2 and 3? in the suite everything suite.')
  const suite = (await client.suites.list({ projectId })).items.find(({ name }) => name === 'everything suite')!
  const [saved] = (await client.cases.list({ projectId, suiteId: suite.id })).items
  expect(saved?.steps).toMatchObject([
    { kind: 'prompt', prompt: 'What is 2 and 3?' },
    { kind: 'assert', assertion: { type: 'toolCalledAtLeastOnce', toolName: 'get-sum' } },
    { kind: 'assert', assertion: { type: 'finalAssistantMessageNonEmpty' } },
  ])

  await app.press(talkKeys.bindings.close)
  const [session] = (await client.sessions.list({ projectId, sourceType: 'direct' })).items
  app.router.go(sessionsRoute.to({ projectId, sessionId: session!.id, pane: 'detail', tab: 'transcript' }))
  await app.see(/▌chat +Counter[^]*get-sum/)
  await app.press(sessionsKeys.bindings.talk)
  await app.see('1 earlier question')
  await app.press(talkKeys.bindings.ask)
  await app.type('Hello')
  await app.press('enter')
  await app.see('You said What is 2 and 3?, Hello')
})
