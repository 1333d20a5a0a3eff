import { describe, expect, test } from 'vitest'
import { ScenariosStage } from '../../../test/scenarios-stage.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { tabsKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { makeKey } from '../../service/core/access.ts'
import { scenariosKeys, visitsKeys } from './bindings.ts'

const keys = scenariosKeys.bindings
const form = formKeys.bindings
const close = textOverlayKeys.bindings.close
const SMALL = { width: 80, height: 24 }
const stage = new ScenariosStage()

describe('the screen of scenarios', () => {
  test('marks scenarios open to strangers not only by color, and shows unknown values as unknown', async () => {
    const open = await stage.published('anyone_with_link')
    const closed = await stage.published('invited_only')
    await open.door.enter()
    const app = await stage.open({}, { size: SMALL })
    await app.see(new RegExp(`${open.name} +! ANYONE +${open.name} +1 `))
    expect(app.row(`${closed.name} `)).toMatch(/invited +Desk \d+ +0 +—/)
    expect(app.frame()).not.toContain(open.link)
  })

  test('says how to begin if nothing is published', async () => {
    await stage.open({}, { size: SMALL })
    await stage.seeWords('Nothing is published in this project.')
    expect(stage.words()).toContain('Press n to publish an environment for visitors')
  })
})

describe('publishing a scenario', () => {
  test('asks for environment and mode, says who may enter, hides the link, and verifies the version', async () => {
    const { name, environmentId } = await stage.environment()
    const app = await stage.open()
    await app.see('Nothing is published')
    await app.press(keys.publish)
    await app.see('Publish an environment')
    await app.press(form.choose, form.down, form.down, form.choose, form.choose)
    await app.see(`Publish "${name}"?`)
    expect(stage.words()).toContain(
      'May enter: members of the project, invited people and strangers who have the link.',
    )
    await stage.agree('open')
    await app.see('✓ Answered: accessVersion is 1.')
    await app.press(close)
    await app.see('Open to')
    const { items } = await stage.client.scenarios.list({ projectId: stage.projectId })
    const scenarioId = items[0]!.id
    expect(app.router.current().params).toMatchObject({ scenarioId, pane: 'detail' })
    expect(stage.notes.of(scenarioId)).toMatchObject({ environmentId, version: { value: 1, by: 'publish' } })
    await app.see('********')
    await stage.seeWords('Nothing answers at http://127.0.0.1:4747')
    expect(stage.words()).toContain('Start it with `mcpdeck serve`')
    expect(app.frame()).not.toContain('/visit/')
    await app.press(keys.showSecrets)
    await app.see('/visit/')
    await app.press(keys.copyLink)
    await stage.seeWords('Anyone who has it can enter, without signing in.')
    expect(app.copied.at(-1)).toContain('http://127.0.0.1:4747/visit/')
    await app.press(keys.checkLink)
    await stage.seeWords('but nothing serves it')
    stage.isServed = true
    await app.press(keys.checkLink)
    await stage.seeWords('visitors can reach it')
  })

  test('starts on Cancel, and sends nothing if it is cancelled', async () => {
    await stage.environment()
    stage.sent = []
    const app = await stage.open()
    await app.see('Nothing is published')
    await app.press(keys.publish)
    await app.see('Publish an environment')
    await app.press(form.choose, form.choose, form.choose)
    await app.see('❯ Cancel')
    await app.press('enter')
    await app.see('Nothing is published')
    expect(stage.sent.filter(path => path.startsWith('POST'))).toEqual([])
  })
})

describe('restricted actions of a scenario', () => {
  test.each([
    { enabled: false, mode: 'off', enforced: false },
    { enabled: false, mode: 'dark', enforced: false },
  ])('are all available while the flag is disabled and not enforced: %j', async flag => {
    stage.flag = flag
    const place = await stage.published('anyone_with_link')
    const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail', tab: 'sessions' })
    await app.see('No visitor has opened a session yet.')
    expect(stage.words()).not.toContain('switched off')
  })

  test('say that the feature is off, request nothing that needs it, and unpublishing still works', async () => {
    const place = await stage.published('anyone_with_link')
    stage.gate('off')
    stage.sent = []
    const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail', tab: 'sessions' })
    await app.see('Here it is switched on by: mcpdeck serve gate user-testing')
    await app.see('Switched off for this organization: User testing.')
    await app.press(tabsKeys.bindings.next)
    await app.press(keys.mode)
    await stage.seeWords('Waiting does not change that')
    expect(stage.sent.filter(path => path.includes('/user-testing/'))).toEqual([])
    await app.press(keys.unpublish)
    await app.see(`Which environment is "${place.name}"?`)
    await app.press(form.choose, form.choose)
    await app.see(`Take "${place.name}" offline?`)
    await stage.agree('unpublish')
    await app.see('✓ Read back: it is not listed.')
    expect((await stage.client.scenarios.list({ projectId: stage.projectId })).items).toEqual([])
  })

  test('say why to a member, before anything is sent', async () => {
    const place = await stage.published('project_members')
    const { key } = makeKey(stage.store, 'a member', { role: 'member' })
    const app = await stage.open({ scenarioId: place.scenarioId }, { key })
    await app.see(place.name)
    stage.sent = []
    for (const [binding, role] of [
      [keys.mode, 'editor'],
      [keys.publish, 'admin'],
      [keys.unpublish, 'admin'],
      [keys.rotate, 'editor'],
      [keys.limits, 'admin'],
    ] as const) {
      await app.press(binding)
      await stage.seeWords(`This needs the role ${role} in the project; yours is member.`)
    }
    expect(stage.sent.filter(path => !path.startsWith('GET'))).toEqual([])
  })
})

describe('the sessions of visitors', () => {
  test('show the visitor and the messages', async () => {
    const place = await stage.published('anyone_with_link')
    const session = await place.door.enter()
    await session.say('What is the sum?')
    await session.rate({ rating: 4, comment: 'Nice' })
    const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail', tab: 'sessions' })
    await app.resize({ width: 120, height: 40 })
    await app.see(/ 48h ago ·+▇ now/)
    await app.see('1 session in 48 h, at most 1 an hour, 1 in the chosen hour')
    await app.hover('▇ ')
    await app.see('1 session in 48 h, at most 1 an hour, 1 in the hour under the mouse')
    await app.see(/someone +guest/)
    await app.press(visitsKeys.bindings.read)
    await app.see('What is the sum?')
    expect(stage.words()).toContain('Feedback 4 of 5: Nice')
    expect(app.router.current().params.sessionId).toBeDefined()
    await app.press(keys.back)
    await app.see(/someone +guest/)
    await app.press(tabsKeys.bindings.next)
    await app.see('Live sessions')
    await app.press(tabsKeys.bindings.next)
    await app.see('These numbers cover all sessions.')
    await app.press(tabsKeys.bindings.next)
    await app.see('Ids and other fields')
    await app.press(tabsKeys.bindings.next)
    await app.see(/finding/i)
  })

  test('are replaced by a message if there were none', async () => {
    const place = await stage.published('anyone_with_link')
    const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail', tab: 'metrics' })
    await app.see('No visitor has opened a session yet.')
  })

  test('have no link in their raw record', async () => {
    const place = await stage.published('anyone_with_link')
    const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail' })
    await app.see(place.name)
    await app.press(appKeys.bindings.raw)
    await app.see(`"${place.scenarioId}"`)
    expect(app.frame()).not.toContain('/visit/')
  })
})
