import { expect, test } from 'vitest'
import { ScenariosStage } from '../../../test/scenarios-stage.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { scenariosKeys } from './bindings.ts'

const keys = scenariosKeys.bindings
const form = formKeys.bindings
const stage = new ScenariosStage()

test('an environment that someone else selected in between is not overwritten', async () => {
  const place = await stage.published('project_members')
  await stage.environment()
  const theirs = await stage.environment()
  const app = await stage.open({ scenarioId: place.scenarioId })
  await app.see(place.name)
  await app.press(keys.rebind)
  await app.see(`Point ${place.name} elsewhere`)
  await app.press(form.down, form.choose, form.choose)
  await app.see('❯ Cancel')
  const { projectId, scenarioId } = place
  const { environmentId } = theirs
  await stage.client.userTesting.rebind({ projectId, scenarioId, body: { environmentId } })
  stage.sent = []
  await stage.agree()
  await stage.seeWords('Not sent: while you decided, it was pointed at another environment')
  expect(stage.sent.filter(path => path.startsWith('POST'))).toEqual([])
  expect(await stage.client.userTesting.get({ projectId, scenarioId })).toMatchObject({ environmentId })
})

test('a scenario that someone else unpublished in between is reported as missing', async () => {
  const { projectId, environmentId, scenarioId, name } = await stage.published('project_members')
  const app = await stage.open({ scenarioId })
  await app.see(name)
  await app.press(keys.rotate)
  await app.see(`Rotate the link of "${name}"?`)
  await stage.client.userTesting.unpublish({ projectId, environmentId })
  await stage.agree()
  await app.see('Not found')
  expect((await stage.client.scenarios.list({ projectId })).items).toEqual([])
})
