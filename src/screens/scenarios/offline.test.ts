import { expect, test } from 'vitest'
import { isAlive, ScenariosStage } from '../../../test/scenarios-stage.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { scenariosKeys } from './bindings.ts'

const keys = scenariosKeys.bindings
const form = formKeys.bindings
const stage = new ScenariosStage()

test.each([
  ['with its answer', false],
  ['without a body', true],
])('a leaked link can be handled by going offline, %s, and nobody is told to share a link', async (_, bodiless) => {
  stage.isBodiless = bodiless
  const place = await stage.published('anyone_with_link')
  const session = await place.door.enter()
  const app = await stage.open({ scenarioId: place.scenarioId })
  await app.see(place.name)
  await app.press(keys.leaked)
  await app.see('1 of 4')
  await app.type(place.link)
  await app.press(form.choose, form.choose)
  await stage.agree()
  await app.see('take it offline')
  await app.press(form.down, form.down, form.down, form.down, form.choose, form.choose)
  await app.see(`Which environment is "${place.name}"?`)
  await app.press(form.choose, form.choose)
  await app.see(`Take "${place.name}" offline?`)
  // The previous rotation was made by the person.
  expect(stage.words()).not.toContain('Changed since it was shown')
  await stage.agree('unpublish')
  await app.see('4 of 4')
  expect(stage.words()).toContain('opens nothing now.')
  expect(stage.words()).toContain('It is offline, its new link included')
  expect(stage.words()).not.toContain('Send the new link')
  expect(await isAlive(session)).toBe(false)
})

test('a scenario that a service unpublishes without a body is offline, and is forgotten', async () => {
  stage.isBodiless = true
  const place = await stage.published('anyone_with_link')
  const app = await stage.open({ scenarioId: place.scenarioId })
  await app.see(place.name)
  stage.notes.note(place.scenarioId, { kind: 'environment', environmentId: place.environmentId })
  await app.press(keys.unpublish)
  await app.see(`Take "${place.name}" offline?`)
  await stage.agree('unpublish')
  await app.see('✓ Answered: it is offline.')
  expect(stage.notes.of(place.scenarioId)).toBeUndefined()
})
