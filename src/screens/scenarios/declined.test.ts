import { expect, test } from 'vitest'
import { ScenariosStage } from '../../../test/scenarios-stage.ts'
import { confirmKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { scenariosKeys } from './bindings.ts'

const keys = scenariosKeys.bindings
const form = formKeys.bindings
const decline = confirmKeys.bindings.choose
const stage = new ScenariosStage()

test('a declined invitation can be sent again from the form, with its address filled in', async () => {
  const place = await stage.published('invited_only')
  const app = await stage.open({ scenarioId: place.scenarioId, tab: 'access', pane: 'detail' })
  await app.see('No members were invited or removed from this machine.')
  await app.press(keys.invite)
  await app.see('e-mail address')
  await app.type('ada@example.org')
  await app.press(form.send)
  await app.see('Invite ada@example.org to')
  await app.press(decline)
  await app.see(frame => frame.includes('Invite someone to') && frame.includes('ada@example.org'))
  await app.press(form.send)
  await app.see('Invite ada@example.org to')
  await stage.agree()
  await stage.seeWords('Members cannot be listed')
  expect(stage.notes.of(place.scenarioId)?.members).toMatchObject([{ member: 'ada@example.org' }])
})

test('declined guest limits reopen the form as it was filled in', async () => {
  const place = await stage.published('anyone_with_link')
  const app = await stage.open({ scenarioId: place.scenarioId })
  await app.see(place.name)
  await app.press(keys.limits)
  await stage.seeWords('what you send replaces all of them')
  await app.press(' ')
  await app.press(form.next)
  await app.press('backspace')
  await app.type('42')
  await app.press(form.send)
  await stage.seeWords('answers for guests: yes, credits a day: 42')
  await app.press(decline)
  await app.see(frame => frame.includes('Guest limits of') && frame.includes('42'))
  await app.press(form.send)
  await stage.seeWords('answers for guests: yes, credits a day: 42')
  await stage.agree()
  await stage.seeWords('they cannot be read again later')
  expect(stage.store.scenarios.getEver(place.scenarioId)?.guestExecution).toMatchObject({
    enabled: true,
    dailyCreditCap: 42,
  })
})

test('a declined mode reopens the form with what was selected', async () => {
  const place = await stage.published('anyone_with_link')
  const app = await stage.open({ scenarioId: place.scenarioId })
  await app.see(place.name)
  await app.press(keys.mode)
  await app.see(`Who may enter ${place.name}`)
  await app.press(form.up, form.send)
  await app.see(`Open "${place.name}" to invited people?`)
  await app.press('escape')
  await app.see(`Who may enter ${place.name}`)
  await app.press(form.send)
  await app.see(`Open "${place.name}" to invited people?`)
})
