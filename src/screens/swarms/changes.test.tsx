import { describe, expect, test } from 'vitest'
import { KEY } from '../../../test/service/model-runs.ts'
import { scriptedModel } from '../../../test/service/scripted-model.ts'
import { inTab, openSwarms } from '../../../test/swarms-stage.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { journeysKeys, personasKeys, swarmsKeys } from './bindings.ts'

const { send } = formKeys.bindings

describe('a swarm', () => {
  test('is created, changed field by field, and deleted', async () => {
    const { app, projectId, agree } = await openSwarms()
    await app.press(swarmsKeys.bindings.add)
    await app.see('New swarm')
    await app.type('Weekly')
    await app.press(send)
    await app.see('Saved Weekly.')
    await app.see('▌Weekly')
    const [made] = (await app.client.swarms.list({ projectId })).items
    expect(made).toMatchObject({ name: 'Weekly', sessionsPerTarget: 2, maxTurns: 6 })
    // A change of another field by someone else is shown and kept.
    await app.press(swarmsKeys.bindings.edit)
    await app.see('Edit Weekly')
    await app.client.swarms.update({ projectId, swarmId: made!.id, body: { description: 'theirs' } })
    await app.press('end')
    await app.type(' look')
    await app.press(send)
    await app.see('Description: was nothing, is now theirs.')
    await app.press(send)
    await app.see('Changed Weekly look.')
    expect(await app.client.swarms.get({ projectId, swarmId: made!.id })).toMatchObject({
      name: 'Weekly look',
      description: 'theirs',
    })
    await app.see('▌Weekly look')
    await app.press(swarmsKeys.bindings.remove)
    await agree('delete')
    await app.see('Deleted Weekly look.')
    await app.see('Swarms 1 of 1')
  })

  test('of the whole project is a row that cannot be deleted', async () => {
    const { app } = await openSwarms()
    await app.press(swarmsKeys.bindings.remove)
    await app.see('This row is the whole project; choose a swarm.')
  })
})

describe('a journey', () => {
  test('is created together with a new persona', async () => {
    const { app, projectId } = await openSwarms({}, inTab('journeys'))
    await app.see('This project has no journey.')
    await app.press(journeysKeys.bindings.add)
    await app.see('New persona…')
    await app.press('tab')
    await app.type('Add 2 and 3')
    await app.press(send)
    await app.see('Role')
    await app.type('Ada')
    await app.press('tab')
    await app.type('accountant')
    await app.press(send)
    await app.see(/New journey[^]*Ada[^]*Goal/)
    await app.press(send)
    await app.see('Saved Add 2 and 3.')
    await app.see('▌Add 2 and 3')
    const [journey] = (await app.client.journeys.list({ projectId })).items
    expect(journey).toMatchObject({ goal: 'Add 2 and 3', sessionsPerTarget: 2, maxTurns: 6 })
  })

  test('is changed and deleted; deleting its persona is refused as long as it is used', async () => {
    const { app, projectId, environmentId, journeyOf, agree } = await openSwarms()
    const { id: journeyId } = await journeyOf()
    app.router.replace(inTab('journeys'))
    await app.see('▌Sums')
    await app.press(journeysKeys.bindings.edit)
    await app.see('Edit Sums')
    await app.type(' and hear it')
    await app.press(send)
    await app.see('Changed Sums.')
    expect(await app.client.journeys.get({ projectId, journeyId })).toMatchObject({
      goal: 'Add 2 and 3 and hear it',
      environmentIds: [environmentId],
    })
    app.router.replace({ ...inTab('personas'), journeyId: undefined })
    await app.see('▌Ada')
    await app.press(personasKeys.bindings.remove)
    await agree('delete')
    await app.see('Not deleted:')
    expect((await app.client.personas.list({ projectId })).items).toHaveLength(1)
    app.router.replace(inTab('journeys'))
    await app.see('▌Sums')
    await app.press(journeysKeys.bindings.remove)
    await agree('delete')
    await app.see('Deleted Sums.')
    await app.see('This project has no journey.')
  })
})

describe('a persona', () => {
  test('is created and changed', async () => {
    const { app, projectId } = await openSwarms({}, inTab('personas'))
    await app.see('This project has no persona.')
    await app.press(personasKeys.bindings.add)
    await app.see('New persona')
    await app.type('Bo')
    await app.press('tab')
    await app.type('buyer')
    await app.press(send)
    await app.see('Saved Bo.')
    await app.see('▌Bo')
    await app.press(personasKeys.bindings.edit)
    await app.see('Edit Bo')
    await app.press('end')
    await app.type('ris')
    await app.press(send)
    await app.see('Changed Boris.')
    expect((await app.client.personas.list({ projectId })).items).toMatchObject([{ name: 'Boris', role: 'buyer' }])
  })
})

describe('drafts of personas and journeys', () => {
  const drafts = {
    personas: [
      {
        name: 'Ada',
        role: 'accountant',
        notes: 'Impatient.',
        journeys: [{ name: 'Sum up', goal: 'Sum', toolNames: [] }],
      },
      { name: 'Bo', role: 'buyer', notes: '', journeys: [{ name: 'Greet', goal: 'Greet', toolNames: [] }] },
    ],
  }

  test('show their costs, and only kept drafts are saved, each once', async () => {
    const model = await scriptedModel(({ tools }) =>
      tools.length > 0
        ? { calls: tools.map(({ name }) => ({ name, args: drafts })) }
        : { text: JSON.stringify(drafts) },
    )
    const models = { ...model.settings, apiKey: KEY, model: 'player' }
    const { app, projectId, environmentId, faults } = await openSwarms({ models }, inTab('personas'))
    await app.see('This project has no persona.')
    await app.press(personasKeys.bindings.draft)
    await app.see(/It takes one drafting request of the organization’s day \(200 a day/)
    expect(model.asked).toHaveLength(0)
    await app.press(send)
    await app.see('Which drafts do you keep?')
    expect((await app.client.personas.list({ projectId })).items).toHaveLength(0)
    await app.see('Bo, buyer')
    // The second persona is dropped, and its journey with it.
    await app.press('tab', 'tab', 'space')
    await app.see(/Bo, buyer +\[ \] no/)
    let lost = 0
    faults.instead = (request, pass) => {
      if (request.method !== 'POST' || !request.url.endsWith('/journeys') || lost > 0) return undefined
      lost += 1
      return pass().then(() => Response.json({ code: 'FORBIDDEN', message: 'not now' }, { status: 403 }))
    }
    await app.press(send)
    await app.see('Not allowed')
    await app.press(send)
    await app.see('Saved 2 drafts.')
    expect((await app.client.personas.list({ projectId })).items).toMatchObject([{ name: 'Ada' }])
    const journeys = (await app.client.journeys.list({ projectId })).items
    expect(journeys).toMatchObject([{ name: 'Sum up', environmentIds: [environmentId], sessionsPerTarget: 2 }])
  })
})

test.each(['journey', 'persona'] as const)(
  'a %s that someone else changes during an edit is shown with both changes, and nothing is overwritten unseen',
  async noun => {
    const { app, client, projectId, journeyOf } = await openSwarms()
    const { id: journeyId, personaId } = await journeyOf()
    const isJourney = noun === 'journey'
    const field = isJourney ? 'goal' : 'name'
    const read = async () =>
      isJourney
        ? (await client.journeys.get({ projectId, journeyId })).goal
        : (await client.personas.get({ projectId, personaId: personaId! })).name
    const theirs = (text: string) =>
      isJourney
        ? client.journeys.update({ projectId, journeyId, body: { goal: text } })
        : client.personas.update({ projectId, personaId: personaId!, body: { name: text } })
    app.router.replace(inTab(`${noun}s`))
    const before = isJourney ? 'Add 2 and 3' : 'Ada'
    await app.see(isJourney ? '▌Sums' : '▌Ada')
    await app.press((isJourney ? journeysKeys : personasKeys).bindings.edit)
    await app.see(isJourney ? 'Edit Sums' : 'Edit Ada')
    await theirs('Theirs')
    await app.press('end')
    await app.type(' mine')
    await app.press(send)
    const shown = await app.see('It was changed meanwhile, and nothing of yours was sent.')
    expect(shown.replaceAll(/[\s│]+/g, ' ')).toContain(
      `was ${before}, is now Theirs; yours is ${before} mine and would replace it.`,
    )
    expect(await read()).toBe('Theirs')
    await theirs('Theirs again')
    await app.press(send)
    await app.see('is now Theirs again')
    expect(await read()).toBe('Theirs again')
    await app.press(send)
    await app.see('Changed ')
    expect(await read(), field).toBe(`${before} mine`)
  },
)
