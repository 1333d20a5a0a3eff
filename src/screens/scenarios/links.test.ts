import { expect, test } from 'vitest'
import { ScenariosStage } from '../../../test/scenarios-stage.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { scenariosKeys } from './bindings.ts'

const keys = scenariosKeys.bindings
const form = formKeys.bindings
const close = textOverlayKeys.bindings.close
const stage = new ScenariosStage()

test('a link that someone else may have rotated is forgotten, and is never copied as the current one', async () => {
  const place = await stage.published('anyone_with_link')
  const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail' })
  await app.see(place.name)
  await app.press(keys.rotate)
  await stage.seeWords('No session ends')
  await stage.agree()
  await stage.seeWords('What is known now')
  await app.press(close)
  await stage.seeWords('The link is available in this session only')
  await app.press(keys.copyLink)
  await app.see('Share link copied.')
  expect(app.copied).toHaveLength(1)

  const { projectId, scenarioId } = place
  await stage.client.userTesting.rotateLink({ projectId, scenarioId })
  await app.press('r')
  await stage.seeWords(
    'may no longer work: the scenario was changed by others. Press X to rotate it and get a new one.',
  )
  await app.press(keys.copyLink)
  await app.see('The known link may no longer work')
  expect(app.copied).toHaveLength(1)
})

test('a link stays known through changes made here', async () => {
  const place = await stage.published('anyone_with_link')
  const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail' })
  await app.see(place.name)
  await app.press(keys.rotate)
  await stage.seeWords('No session ends')
  await stage.agree()
  await stage.seeWords('What is known now')
  await app.press(close)
  await app.press(keys.mode)
  await app.see('Who may enter')
  await app.press(form.up, form.choose, form.choose)
  await stage.agree('end')
  await stage.seeWords('Answered: it is for invited people.')
  await app.press(close)
  await stage.seeWords('Open to invited people')
  await stage.seeWords('The link is available in this session only')
})
