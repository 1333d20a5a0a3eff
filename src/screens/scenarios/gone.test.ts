import { expect, test } from 'vitest'
import { ScenariosStage } from '../../../test/scenarios-stage.ts'
import { confirmKeys, openingKeys } from '../../components/component-keys.ts'
import { scenariosKeys } from './bindings.ts'

const keys = scenariosKeys.bindings
const stage = new ScenariosStage()

test('the detail of a deleted scenario says that it is gone, and its keys do not act on another scenario', async () => {
  const other = await stage.published('invited_only')
  const place = await stage.published('anyone_with_link')
  const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail' })
  await app.see(`▌${place.name} ─`)
  const { projectId, environmentId } = place
  await stage.client.userTesting.unpublish({ projectId, environmentId })
  stage.sent = []
  await app.press('r')
  await stage.seeWords('What is open here is not in the list')
  for (const key of [keys.rotate, keys.remove, keys.unpublish]) {
    await app.press(key)
    await app.see('What is open here is not in the list')
    expect(app.frame()).not.toContain('❯ Cancel')
  }
  expect(stage.sent.filter(path => !path.startsWith('GET'))).toEqual([])
  await app.press(keys.back)
  await app.see(`▌${other.name}`)
})

test('keys typed while a dialog loads reach nothing below it, and Esc cancels it', async () => {
  const place = await stage.published('anyone_with_link')
  const other = await stage.published('invited_only')
  const app = await stage.open({ scenarioId: place.scenarioId })
  await app.see(`▌${place.name}`)
  const reading = Promise.withResolvers<void>()
  stage.meanwhile = {
    on: `GET /api/v1/projects/${place.projectId}/user-testing/scenarios/${place.scenarioId}/metrics`,
    run: () => reading.promise,
  }
  await app.press(keys.rotate)
  await app.see(`Reading how ${place.name} stands now`)
  await app.press('j', 'k', 'j', keys.unpublish)
  expect(app.frame()).toContain(`▌${place.name}`)
  expect(app.frame()).not.toContain(`▌${other.name}`)
  reading.resolve()
  await app.see(`Rotate the link of "${place.name}"?`)
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.cancel)

  const again = Promise.withResolvers<void>()
  stage.meanwhile = {
    on: `GET /api/v1/projects/${place.projectId}/user-testing/scenarios/${place.scenarioId}/metrics`,
    run: () => again.promise,
  }
  await app.see(frame => !frame.includes('Rotate the link of'))
  await app.press(keys.rotate)
  await app.see(`Reading how ${place.name} stands now`)
  await app.press(openingKeys.bindings.cancel)
  await app.see(frame => !frame.includes('stands now'))
  again.resolve()
  await app.press(keys.showSecrets)
  expect(app.frame()).not.toContain('Rotate the link of')
})
