import { describe, expect, onTestFinished, test } from 'vitest'
import {
  allEnded,
  app,
  doubles,
  goTo,
  line,
  openForm,
  pins,
  ranOnce,
  runsOf,
  seeWords,
  sent,
  service,
  stage,
  withLaunchForms,
} from '../../../../test/launch-form.ts'
import { failingCase, quickCase } from '../../../../test/launch-stage.ts'
import { choiceKeys, formKeys } from '../../../components/form/form-keys.ts'

const form = formKeys.bindings
const choice = choiceKeys.bindings

withLaunchForms()

describe('the launch form', () => {
  test('launches as configured with Enter and Enter, opens the run and follows it', async () => {
    const suiteId = await stage.suite('Quick', { tests: [quickCase('a'), quickCase('b')] })
    await openForm('Quick', suiteId)
    await seeWords('2 cases × 1 trial each = 2 trials, as configured. The saved servers: everything.')
    await seeWords('Checks nothing, so it passes whatever is answered: a, b.')
    await seeWords('0 of 1 run slots in use by this project; others may hold more. Its duration is unknown')
    // The line that launches is always visible, even if the fields scroll.
    await app.resize({ width: 80, height: 24 })
    await app.see('[  Launch 2 trials ]')
    await app.see('▌ As configured        (goes to: Launch 2 trials)')
    await app.press(form.choose)
    await app.see('[▌ Launch 2 trials ]')
    await app.press(form.choose)
    await app.resize({ width: 100, height: 40 })
    await app.see('▌Run #1')
    expect(sent).toEqual([{ suiteId }])
    expect(pins.list()).toEqual([{ projectId: stage.projectId, runId: (await runsOf(suiteId))[0]!.id, suiteId }])
    await allEnded(suiteId)
  })

  test('shows before the launch which of its servers are switched off, and the effect', async () => {
    const { client } = service
    const { projectId } = stage
    const serverId = (await client.servers.list({ projectId })).items.find(({ name }) => name === 'everything')!.id
    await client.servers.update({ projectId, serverId, body: { enabled: false } })
    onTestFinished(async () => void (await client.servers.update({ projectId, serverId, body: { enabled: true } })))
    await openForm('Off', await stage.suite('Off'))
    await seeWords('everything is switched off, so trials that need it fail in their setup.')
  })

  test('groups the fields that make the run different, and shows the default of each', async () => {
    await openForm('Quick groups', await stage.suite('Quick groups'))
    const rows = app
      .frame()
      .split('\n')
      .map(row => row.replaceAll(/[│╭╮╰╯]/g, ' ').trim())
    const at = (text: string): number => rows.findIndex(row => row.startsWith(text))
    expect(at('Change for this run')).toBe(at('▌ As configured') + 1)
    expect(at('Beside the run')).toBeGreaterThan(at('Notes'))
    expect(at('Follow it')).toBe(at('Beside the run') + 1)
    for (const [label, value] of [
      ['Servers', 'the saved ones: everything'],
      ['Model', 'as in each case'],
      ['Iterations', 'as in each case'],
      ['Extra tool calls', 'as configured'],
      ['Minimum pass rate', 'as in the suite'],
      ['Notes', 'none'],
    ])
      expect(rows[at(label!)]).toMatch(new RegExp(`^${label} +${value}`))
  })

  test('shows that a launch was answered at once, even if later reads fail', async () => {
    const suiteId = await stage.suite('Stalled')
    await openForm('Stalled', suiteId)
    line.stallsAfterWrites = true
    await app.press(form.send)
    await app.see('Launched Stalled.')
    expect(line.isStalled).toBe(true)
    expect(app.frame()).not.toContain('Launching Stalled')
    expect(pins.list()).toHaveLength(1)
    line.isStalled = line.stallsAfterWrites = false
    await allEnded(suiteId)
  })

  test('shows a refusal at once, even if later reads fail', async () => {
    const suiteId = await stage.suite('Full')
    await openForm('Full', suiteId)
    doubles.set('/eval-runs', {
      status: 429,
      body: { code: 'RATE_LIMITED', message: 'no slot', details: { reason: 'CONCURRENT_RUN_LIMIT' } },
    })
    line.stallsAfterWrites = true
    await app.press(form.send)
    await app.see(frame => line.isStalled && !frame.includes('Launching Full'))
  })

  test('sends nothing when it is left, or after a single Enter', async () => {
    const suiteId = await stage.suite('Left')
    await openForm('Left', suiteId)
    await app.press(form.choose, form.cancel)
    await app.see(frame => !frame.includes('As configured'))
    expect(sent).toEqual([])
    expect(await runsOf(suiteId)).toEqual([])
  })

  test('sends what was changed, and shows the effect and earlier durations', async () => {
    const suiteId = await stage.suite('Changed', { tests: [failingCase('bad'), quickCase('good')] })
    await ranOnce(suiteId)
    await openForm('Changed', suiteId)
    await seeWords('Its last run took')
    await goTo('Iterations')
    await app.type('11')
    await app.see('It must be a whole number from 1 to 10.')
    await seeWords('The number of trials is unknown until the marked fields are corrected.')
    expect(app.frame()).not.toContain('22 trials')
    await app.press('backspace')
    await app.type('0')
    await goTo('Cases')
    await app.press(form.down, form.choose)
    await seeWords('those that did not pass last time')
    await seeWords('1 case × 10 trials each = 10 trials.')
    await goTo('Order of tool calls')
    await app.press(form.down, choice.pick)
    await goTo('Leave skills out')
    await app.press(choice.pick)
    await goTo('Notes')
    await app.type('why')
    await goTo('Follow it')
    await app.press(choice.pick)
    await app.press(form.send)
    await app.see('▌Run #2')
    const [bad] = (await service.client.cases.list({ projectId: stage.projectId, suiteId })).items
    expect(sent).toEqual([
      {
        suiteId,
        iterationOverride: 10,
        caseIds: [bad!.id],
        matchOptionsOverride: { toolCallOrder: 'any' },
        skillsOverride: 'exclude',
        notes: 'why',
      },
    ])
    expect(pins.list()).toEqual([])
    await allEnded(suiteId)
  })

  test('asks before it drops a highlighted choice: one of several, or another action', async () => {
    const suiteId = await stage.suite('Several', { tests: [quickCase('a'), quickCase('b')] })
    await openForm('Several', suiteId)
    await goTo('Cases')
    await app.press('end')
    await app.see('(o) some of them')
    await goTo('Which cases')
    await app.press(choice.pick, form.down, form.send)
    await seeWords('“b” is highlighted, not chosen: Space chooses it; Ctrl+S again leaves it out.')
    expect(app.row('▌ Which cases')).toContain('  a')
    await app.press(choice.pick, choice.pick, form.choose)
    await app.see('▌ Order of tool calls')
    await goTo('Elsewhere')
    await app.press(form.send)
    await seeWords('is highlighted: Enter does that; Ctrl+S again: Launch 1 trial')
    expect(sent).toEqual([])
    await app.press(form.send)
    await app.see('▌Run #1')
    const cases = (await service.client.cases.list({ projectId: stage.projectId, suiteId })).items
    expect(sent).toEqual([{ suiteId, caseIds: [cases.find(({ title }) => title === 'a')!.id] }])
    await allEnded(suiteId)
  })

  test('does not send while Cancel is selected', async () => {
    const suiteId = await stage.suite('Cancelled')
    await openForm('Cancelled', suiteId)
    while (!app.frame().includes('▌ Cancel')) await app.press(form.previous)
    await app.press(form.send)
    await app.see('▌ Launch 1 trial')
    expect(sent).toEqual([])
  })

  test('never shows a key, and sends it only with the launch', async () => {
    const suiteId = await stage.suite('Keyed')
    await openForm('Keyed', suiteId)
    await goTo('Model')
    await app.type('gpt-own')
    await goTo('Model key')
    await app.type('sk-very-secret')
    await app.see('**************')
    await app.press(form.send)
    await app.see('A key needs the name of its provider.')
    expect(sent).toEqual([])
    await goTo('Key is for')
    expect(app.frame()).toContain('given, not shown')
    await app.type('openai')
    expect(app.frame()).not.toContain('very-secret')
    await app.press(form.send)
    await app.see('▌Run #1')
    expect(sent).toEqual([{ suiteId, model: 'gpt-own', modelApiKeys: { openai: 'sk-very-secret' } }])
    await allEnded(suiteId)
  })
})

describe('the environments of a launch', () => {
  test('are used automatically if there is only one, which is shown as it resolves', async () => {
    const environmentId = await stage.environment('Only', await stage.mcpClient('Only client'))
    const suiteId = await stage.suite('On one', { environmentIds: [environmentId] })
    await openForm('On one', suiteId)
    await seeWords('Only, revision 1: client Only client; servers everything; model openai/gpt-x.')
    await app.see('Only, used automatically')
    expect(app.frame()).not.toContain('(others, for this run)')
    await app.press(form.choose)
    await app.see('▌ Launch 1 trial on Only')
  })

  test('are not preselected if several are attached, and the saved servers are not mentioned', async () => {
    const { client } = service
    const { projectId } = stage
    const host = await stage.mcpClient('Two client')
    const environmentIds = [await stage.environment('One', host), await stage.environment('Two', host)]
    const suiteId = await stage.suite('On two', { environmentIds })
    const serverId = (await client.servers.list({ projectId })).items.find(({ name }) => name === 'everything')!.id
    await client.servers.update({ projectId, serverId, body: { enabled: false } })
    onTestFinished(async () => void (await client.servers.update({ projectId, serverId, body: { enabled: true } })))
    await openForm('On two', suiteId)
    await seeWords('0 of 1 run slots in use')
    expect(app.frame()).not.toContain('switched off')
  })

  test('are attached first if they are not yet, and the effect is shown', async () => {
    const host = await stage.mcpClient('Way client')
    const [first, second] = [await stage.environment('First', host), await stage.environment('Second', host)]
    const suiteId = await stage.suite('Attached on the way', { environmentIds: [first] })
    const { projectId } = stage
    await openForm('Attached on the way', suiteId)
    await goTo('Environments')
    while (!/▌ \[ \] Second/.test(app.frame())) await app.press(form.down)
    await app.press(choice.pick)
    await seeWords('First attaches Second to Attached on the way, for good')
    await seeWords('every launch and its schedule have to name an environment')
    await app.press(form.send)
    await app.see('▌Run #1')
    expect(sent).toEqual([{ suiteId, environmentId: second }])
    expect(await service.client.suites.get({ projectId, suiteId })).toMatchObject({ environmentIds: [first, second] })
    await allEnded(suiteId)
  })

  test('are shown again and confirmed again if they changed since they were shown', async () => {
    const { projectId } = stage
    const environmentId = await stage.environment('Moving', await stage.mcpClient('Moving client'))
    const suiteId = await stage.suite('On moving', { environmentIds: [environmentId] })
    await openForm('On moving', suiteId)
    await seeWords('Moving, revision 1')
    const body = { expectedRevision: 1, modelId: 'other/model' }
    await service.client.environments.update({ projectId, environmentId, body })
    await app.press(form.send)
    await seeWords('Moving was revision 1 when this was read, and is 2 now.')
    await seeWords('Moving, revision 2: client Moving client; servers everything; model other/model.')
    expect(sent).toEqual([])
    await app.press(form.send)
    await app.see('▌Run #1')
    await allEnded(suiteId)
  })

  test('make one group: each result is shown, and its runs are followed by target', async () => {
    const host = await stage.mcpClient('Group client')
    const empty = await stage.mcpClient('Serverless', { serverIds: [] })
    const environmentIds = [
      await stage.environment('Alpha', host),
      await stage.environment('Beta', host),
      await stage.environment('Broken', empty),
    ]
    const suiteId = await stage.suite('Grouped', { environmentIds })
    await openForm('Grouped', suiteId)
    await goTo('Environments')
    await app.press(choice.pick, form.down, choice.pick, form.down, choice.pick)
    await seeWords('1 case × 1 trial each × 3 targets = 3 trials')
    await seeWords('Broken cannot run now: The environment resolves to no servers.')
    await goTo('Model')
    await app.type('m')
    await app.see('are a run group, which takes no other model')
    await app.press('backspace', form.send)
    await app.see('Result of the run group')
    await seeWords('✓ Alpha: started as')
    await seeWords('✗ Broken: not started (CONFLICT). The client of the environment has no servers.')
    expect(pins.list().map(({ label }) => label)).toEqual(['Alpha', 'Beta'])
    await allEnded(suiteId)
  })
})
