import { expect, test } from 'vitest'
import { createScene } from '../../../test/journal/scene.ts'
import { ScenariosStage } from '../../../test/scenarios-stage.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { scenariosKeys } from './bindings.ts'

const form = formKeys.bindings
const stage = new ScenariosStage()

/** Fails a request because the connection breaks before the answer. */
const cutOff = () =>
  Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }))

test('the journal records at once what was read back of a change whose answer was lost', async ending => {
  const scene = createScene()
  ending.onTestFinished(scene.remove)
  const { journal } = scene.start()
  const place = await stage.published('anyone_with_link')
  const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail' }, { journal })
  await app.see(place.name)
  await app.press(scenariosKeys.bindings.mode)
  await app.see('Who may enter')
  await app.press(form.up, form.choose, form.choose)
  await app.see('Tightens access')
  stage.meanwhile = { on: 'PATCH', run: cutOff }
  await stage.agree('end')
  await stage.seeWords('what was read back does not show it')
  // The message about the lost answer is no longer shown beside it.
  expect(stage.words()).not.toContain('it may have happened')
  const open = await journal.unresolved()
  expect(open.map(({ readBack }) => readBack?.finding)).toEqual(['cannot-be-known'])
  await app.press(textOverlayKeys.bindings.close)
  await stage.seeWords('may have happened: the change is not there; the service may still act on it until')
  expect(stage.words()).not.toContain('no answer to it is known')
})
