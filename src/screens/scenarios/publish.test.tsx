import { afterEach, expect, test } from 'vitest'
import { openApp, type TestApp } from '../../../test/harness.tsx'
import { confirmKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { scenariosKeys } from './bindings.ts'
import { scenariosRoute } from './route.ts'

let app: TestApp
afterEach(() => app.close())

test('if there is no environment to publish, one is created with its client and published', async () => {
  let projectId = ''
  app = await openApp({
    place: async client => {
      projectId = (await client.projects.create({ body: { name: 'Empty' } })).id
      return scenariosRoute.to({ projectId })
    },
  })
  await app.see('No scenario')
  await app.press(scenariosKeys.bindings.publish)
  await app.see('This project has no environment yet.')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('New environment')
  await app.type('Door')
  await app.press('tab', 'tab')
  await app.see('New client…')
  await app.press(formKeys.bindings.send)
  await app.see('Template')
  await app.type('Chat')
  await app.press(formKeys.bindings.send)
  await app.see(/Client +Chat/)
  await app.press(formKeys.bindings.send)
  await app.see('Publish an environment')
  await app.press(formKeys.bindings.send)
  await app.see('Publish "Door"?')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('Published Door.')
  const [environment] = (await app.client.environments.list({ projectId })).items
  expect(environment).toMatchObject({ name: 'Door' })
})
