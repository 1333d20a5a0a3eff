import { describe, expect, test } from 'vitest'
import { isAlive, ScenariosStage } from '../../../test/scenarios-stage.ts'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'
import { caps } from '../../../test/service/visits.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { confirmKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { scenariosKeys } from './bindings.ts'

const keys = scenariosKeys.bindings
const form = formKeys.bindings
const answer = confirmKeys.bindings
const close = textOverlayKeys.bindings.close
const SMALL = { width: 80, height: 24 }
const stage = new ScenariosStage()

/** Fails a request because the connection breaks before the answer. */
const cutOff = () =>
  Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }))

describe('changing the mode of a scenario', () => {
  test('to a stricter one says what ends, ends it, and says that the answer does not return the version', async () => {
    const place = await stage.published('anyone_with_link')
    const session = await place.door.enter()
    const app = await stage.open({ scenarioId: place.scenarioId }, { size: SMALL })
    await app.see(place.name)
    await app.press(keys.mode)
    await app.see(`Who may enter ${place.name}`)
    await app.press(form.up, form.choose, form.choose)
    await app.see(`Open "${place.name}" to invited people?`)
    const asked = stage.words()
    expect(asked).toContain('Tightens access: anyone with the link > invited people.')
    expect(asked).toContain('Lose access at once: members of the project and strangers who have the link.')
    expect(asked).toContain('All live sessions (1 now) end at once')
    expect(asked).toContain('accessVersion moves on; the answer does not return it.')
    expect(await isAlive(session)).toBe(true)
    await app.type('End it')
    await app.press('enter')
    await app.see('Type “end” to go on; you typed “End it”.')
    await app.type('!')
    await app.see(frame => !frame.includes('continues;'))
    for (const _ of 'End it!') await app.press('backspace')
    await app.press('enter')
    await app.see('Type “end” to go on; nothing was typed.')
    expect(await isAlive(session)).toBe(true)
    await stage.agree('end')
    await app.see('What is known now')
    const told = stage.words()
    expect(told).toContain('✓ Answered: it is for invited people.')
    expect(told).toContain('○ The answer does not return accessVersion')
    expect(told).toContain('✓ Read back: 0 live sessions.')
    expect(await isAlive(session)).toBe(false)
    expect(stage.notes.of(place.scenarioId)?.moved?.by).toBe('mode')
  })

  test('to a more open one ends nothing', async () => {
    const place = await stage.published('invited_only')
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(place.name)
    await app.press(keys.mode)
    await app.see('open to')
    await app.press(form.down, form.choose, form.choose)
    await stage.seeWords('Loosens access: invited people > anyone with the link.')
    expect(stage.words()).toContain('No session ends: anyone who is in (0 now) stays in.')
    await stage.agree('open')
    await app.see('✓ Answered: it is for anyone with the link.')
  })

  test('by someone else is reported before the question; if it happens during it, nothing is sent', async () => {
    const place = await stage.published('invited_only')
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(/invited/)
    await place.update('anyone_with_link')
    await app.press(keys.mode)
    await app.see('Who may enter')
    await app.press(form.up, form.choose, form.choose)
    await stage.seeWords('Changed since it was shown here')
    expect(stage.words()).toContain('Tightens access: anyone with the link > members of the project.')
    await app.type('end')
    await app.press('enter')
    await app.see('❯ Cancel')
    await place.update('invited_only')
    stage.sent = []
    await app.press(answer.next, answer.choose)
    await stage.seeWords('Not sent: while you decided, its mode became invited people.')
    // The question is asked again, about the current state.
    await stage.seeWords('Tightens access: invited people > members of the project.')
    expect(stage.sent.filter(path => path.startsWith('PATCH'))).toEqual([])
    await stage.agree('end')
    await stage.seeWords('✓ Answered: it is for members of the project.')
  })

  test.each([
    ['rotate', 'POST', undefined],
    ['limits', 'PUT', 'send'],
  ] as const)('%s stops if someone else changed the scenario', async (id, method, first) => {
    const place = await stage.published('anyone_with_link')
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(place.name)
    await app.press(keys[id])
    if (first) {
      await app.see('Guest limits of')
      await app.press(form[first])
    }
    await app.see('❯ Cancel')
    const { projectId, scenarioId } = place
    await stage.client.userTesting.rotateLink({ projectId, scenarioId })
    stage.sent = []
    await stage.agree()
    await stage.seeWords('Not sent: while you decided, someone changed something else of it')
    expect(stage.sent.filter(path => path.startsWith(method))).toEqual([])
    await stage.agree()
    await app.see('What is known now')
    expect(stage.sent.filter(path => path.startsWith(method))).toHaveLength(1)
  })

  test('a change between the last check and the answer is reported as it was read back', async () => {
    const place = await stage.published('project_members')
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(place.name)
    await app.press(keys.mode)
    await app.see('Who may enter')
    await app.press(form.down, form.choose, form.choose)
    await app.see('Tightens access')
    const { scenarioId } = place
    stage.meanwhile = {
      on: `PATCH `,
      run: async () => {
        stage.meanwhile = {
          on: `GET ${API_PREFIX}/projects/${stage.projectId}/scenarios/${scenarioId}`,
          run: () => place.update('anyone_with_link'),
        }
      },
    }
    await stage.agree('end')
    await stage.seeWords('✗ Read back: it is for anyone with the link')
  })
})

describe('the members of a scenario', () => {
  test('are invited and removed by address, and only invitations made here are known', async () => {
    const place = await stage.published('invited_only')
    const app = await stage.open({ scenarioId: place.scenarioId, tab: 'access', pane: 'detail' })
    await app.see('No members were invited or removed from this machine.')
    await app.press(keys.invite)
    await app.see('e-mail address')
    await app.type('ada')
    await app.press(form.choose, form.choose)
    await app.see('This is not an e-mail address.')
    await app.type('@example.org')
    await app.press(form.choose, form.choose)
    await app.see('Invite ada@example.org to')
    expect(stage.words()).toContain('No e-mail is sent: pass the invitation on yourself.')
    await stage.agree()
    await stage.seeWords('Members cannot be listed')
    await app.press(close)
    await app.see(/\+ ada@example.org +invited just now/)
    await app.press(keys.copyInvitation)
    const code = app.copied.at(-1)!
    expect(app.frame()).not.toContain(code)
    const session = await place.door.enter({ invitation: code })
    // With the scenario itself selected, the key would remove someone who is not visible.
    await app.press(keys.back)
    await app.press(keys.remove)
    await app.see('This removes a member, in the tab Access of the open scenario.')
    expect(app.frame()).not.toContain('invited from here')
    expect(app.frame()).not.toContain('D remove member')
    await app.press(keys.open)
    await app.press(keys.remove)
    await app.see('invited from here')
    await app.press(form.choose, form.choose, form.choose)
    await stage.seeWords('Loses access at once: ada@example.org.')
    expect(stage.words()).not.toContain('without an invitation')
    await stage.agree('remove')
    await app.see('✓ Answered: ada@example.org was removed.')
    expect(await isAlive(session)).toBe(false)
    await app.press(close)
    await app.see(/- ada@example.org +removed just now/)
  })
})

describe('the link of a scenario', () => {
  test('is rotated without evicting anyone, as the notice says', async () => {
    const place = await stage.published('anyone_with_link')
    const session = await place.door.enter()
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(place.name)
    await app.press(keys.rotate)
    await stage.seeWords('No session ends')
    await stage.agree()
    await stage.seeWords('○ No session was ended')
    expect(await isAlive(session)).toBe(true)
    expect((await place.door.describe()).status).toBe(404)
  })

  test('that leaked is rotated, the person decides who stays, and the end of the old link is verified', async () => {
    const place = await stage.published('anyone_with_link')
    const session = await place.door.enter()
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(place.name)
    await app.press(keys.leaked)
    await app.see('1 of 4')
    await app.type(place.link)
    expect(app.frame()).not.toContain(place.link.slice(-12))
    await app.press(form.choose, form.choose)
    await stage.agree()
    await app.see('3 of 4')
    expect(await isAlive(session)).toBe(true)
    await app.press(form.down, form.down, form.choose, form.choose)
    await app.see('to invited people?')
    await stage.agree('end')
    await app.see('4 of 4')
    expect(stage.words()).toContain(`✓ Verified: it opened ${place.name} before, and opens nothing now.`)
    expect(stage.words()).toContain('✓ Answered: it is for invited people.')
    expect(stage.words()).toContain('Send the new link to those who may enter')
    expect(await isAlive(session)).toBe(false)
  })

  test('that leaked but is unknown is not reported as verified, and people with access are named', async () => {
    const place = await stage.published('anyone_with_link')
    await place.door.enter()
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(place.name)
    await app.press(keys.leaked)
    await app.see('1 of 4')
    await app.press(form.choose, form.choose)
    await stage.agree()
    await app.see('3 of 4')
    await app.press(form.choose, form.choose)
    await app.see('4 of 4')
    expect(stage.words()).toContain('Not verified: the leaked link was not given.')
    expect(stage.words()).toContain('They were left in')
  })
})

describe('the link of a remote scenario', () => {
  test('that leaked is rotated, and the test that only a visitor can make is described', async () => {
    const place = await stage.published('anyone_with_link')
    const app = await stage.open({ scenarioId: place.scenarioId }, { hasDoor: false })
    await app.see(place.name)
    await app.press(keys.checkLink)
    await stage.seeWords('Only visitors can try the link of a service.')
    await app.press(keys.leaked)
    await stage.seeWords('Step 1 of 3')
    await stage.agree()
    await app.see('2 of 3')
    await app.press(form.choose, form.choose)
    await app.see('3 of 3')
    expect(stage.words()).toContain('Open the old link in a private browser window')
  })

  test('is not opened after a lost answer, which is reported as a possible change', async () => {
    const place = await stage.published('anyone_with_link')
    const app = await stage.open({ scenarioId: place.scenarioId }, { size: SMALL })
    await app.see(place.name)
    stage.notes.note(place.scenarioId, { kind: 'version', value: 1, by: 'publish' })
    await app.press(keys.mode)
    await app.see('Who may enter')
    await app.press(form.up, form.choose, form.choose)
    await app.see('Tightens access')
    stage.meanwhile = { on: 'PATCH', run: cutOff }
    await stage.agree('end')
    await stage.seeWords('what was read back does not show it')
    // The notice has both of its rows, above the keys.
    await app.see('! The answer was lost, and what was read back does not show it')
    expect(app.frame().trimEnd()).toMatch(/undone since\. *\n.*close[^\n]*$/)
    expect(stage.words()).toContain('✗ Read back: it is for anyone with the link')
    expect(stage.notes.of(place.scenarioId)?.moved?.by).toBe('a change whose answer was lost')
    expect(stage.sent.filter(path => path.includes('/visit/'))).toEqual([])
  })

  test('that may have changed with a lost answer is no longer shown, and rotating again is advised', async () => {
    const place = await stage.published('anyone_with_link')
    secretsOf(stage.client).keepLink(place.scenarioId, place.link, undefined)
    const app = await stage.open({ scenarioId: place.scenarioId, pane: 'detail' })
    await stage.seeWords('The link is available in this session only')
    await app.press(keys.rotate)
    await stage.seeWords('No session ends')
    stage.meanwhile = { on: 'POST', run: cutOff }
    await stage.agree()
    await stage.seeWords('The current link cannot be read. Rotate again')
    await app.press(close)
    await stage.seeWords('shown once at creation. Press X to rotate it and get a new one.')
    expect(stage.words()).not.toContain('shows or hides it')
  })

  test('is unknown if the answer to publishing was lost and a repeat finds the scenario published', async () => {
    const { name, environmentId } = await stage.environment()
    const { client, projectId } = stage
    const app = await stage.open()
    await app.see('Nothing is published in this')
    await app.press(keys.publish)
    await app.see(`(o) ${name}`)
    await app.press(form.send)
    await app.see(`Publish "${name}"?`)
    stage.meanwhile = {
      on: 'POST',
      run: async () => {
        await client.userTesting.publish({ projectId, environmentId, body: { mode: 'project_members' } })
        await cutOff()
      },
    }
    await stage.agree()
    await stage.seeWords('or by a request from here whose answer was lost')
    expect(stage.words()).toContain('The answer does not have the link: X creates a new one')
  })
})

describe('rebinding and guest limits', () => {
  test('rebinding checks the version again and lists no environment of another scenario', async () => {
    const place = await stage.published('project_members')
    const other = await stage.published('project_members')
    const free = await stage.environment()
    stage.notes.note(place.scenarioId, { kind: 'moved', by: 'mode' })
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(new RegExp(`${other.name} +members +${other.name}|${other.name}`))
    await app.press(keys.rebind)
    const offered = await app.see(`Point ${place.name} elsewhere`)
    expect(offered).toContain('where it points now')
    expect(offered).toContain(free.name)
    expect(offered.split('elsewhere')[1]).not.toMatch(new RegExp(`\\( \\) ${other.name}\\b`))
    await app.press(form.choose, form.choose)
    await app.see('The link stays.')
    await stage.agree()
    await app.see('✓ Answered: accessVersion is 1.')
    expect(stage.notes.of(place.scenarioId)).toMatchObject({ version: { value: 1, by: 'rebind' } })
    expect(stage.notes.of(place.scenarioId)?.moved).toBeUndefined()
  })

  test('guest limits are replaced as a whole, and remembered because the service does not return them', async () => {
    const place = await stage.published('anyone_with_link')
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(place.name)
    await app.press(keys.limits)
    await stage.seeWords('what you send replaces all of them')
    await app.press(' ')
    await app.press(form.send)
    await stage.seeWords('Replaces all caps for anonymous visitors')
    await stage.agree()
    await stage.seeWords('they cannot be read again later')
    await app.press(close)
    await app.press(keys.limits)
    await stage.seeWords('Filled with what was set from here last; the service')
    await app.press(form.cancel)
    await place.update('invited_only')
    await app.see(/Open to +invited/)
    await app.press(keys.limits)
    await stage.seeWords('The scenario was changed since, perhaps its limits')
    await app.press(form.cancel)
    expect(stage.notes.of(place.scenarioId)?.caps?.caps).toEqual({
      enabled: true,
      dailyCreditCap: 0,
      sharedSkillsEnabled: false,
      computerEnabled: false,
      dailyComputerStartCap: 0,
      maxConcurrentComputers: 0,
    })
  })

  test('guest limits that another process set are shown beside ours, and the person chooses', async () => {
    const place = await stage.published('anyone_with_link')
    const app = await stage.open({ scenarioId: place.scenarioId })
    await app.see(place.name)
    await app.press(keys.limits)
    await stage.seeWords('what you send replaces all of them')
    await app.press(form.send)
    await app.see('❯ Cancel')
    const { projectId, scenarioId } = place
    const theirs = { ...caps, dailyCreditCap: 7 }
    await stage.client.userTesting.setGuestExecution({ projectId, scenarioId, body: theirs })
    stage.notes.note(scenarioId, { kind: 'caps', caps: theirs, changedAt: undefined })
    await stage.agree()
    await app.see('Not sent: while you decided, its guest limits were set')
    expect(stage.words()).toContain('from this machine just now: answers for guests: yes,')
    expect(stage.words()).toContain('credits a day: 7,')
    expect(stage.words()).toContain('Yours: answers for guests: no, credits a day: 0, shared skills: no, ')
    await app.press(answer.choose)
    await app.see(frame => !frame.includes('❯ Cancel'))
    expect(stage.store.scenarios.getEver(scenarioId)?.guestExecution).toEqual(theirs)
  })
})
