import { describe, expect, test } from 'vitest'
import { cast } from '../../../test/service/journey-cast.ts'
import { KEY } from '../../../test/service/model-runs.ts'
import { until } from '../../../test/service/harness.ts'
import { scriptedModel } from '../../../test/service/scripted-model.ts'
import { inTab, openSwarms } from '../../../test/swarms-stage.ts'
import type { JourneyRun } from '../../api/contract/journey-runs.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { tabsKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { gateSetting } from '../../service/core/organization-limits.ts'
import { journeysKeys, runSessionsKeys, swarmsKeys, waveRunsKeys, wavesKeys } from './bindings.ts'

const { send } = formKeys.bindings

/** Opens the screen with a model that plays every role; `silent` never answers, so that a wave stays in flight. */
async function openWith(model: 'playing' | 'silent') {
  const script = model === 'silent' ? () => 'silence' as const : cast({})
  const { settings } = await scriptedModel(script)
  return await openSwarms({ models: { ...settings, apiKey: KEY, model: 'player' } })
}

describe('the launch of a wave', () => {
  test('shows targets × sessions, its costs and the rest of the quota, and the wave opens and fills in', async () => {
    const { app, client, projectId, journeyOf } = await openWith('playing')
    await journeyOf()
    await journeyOf({ name: 'Greetings', goal: 'Say hello', sessionsPerTarget: 1 })
    await app.press(swarmsKeys.bindings.launch)
    await app.see('Sums: 1 target × 2 sessions = 2, up to 4 turns each')
    const form = await app.see('3 sessions in all. This spends model credits.')
    expect(form.replaceAll(/[\s│]+/g, ' ')).toContain(
      'It takes 2 launches of the organization’s day of 200; at most 200 are left, as this project used 0',
    )
    await app.press(send)
    await app.see('Launched 2 journeys.')
    await app.see(/[✓] 2 completed|completed/)
    const [wave, ...others] = new Set((await client.journeyRuns.overview({ projectId })).runs!.map(run => run.waveId))
    expect(others).toEqual([])
    expect(app.router.current().params).toMatchObject({ tab: 'waves', waveId: wave, wavePane: 'detail' })
    await app.see(/session 1 succeeded[^]*session 2 succeeded/)
    await app.see(/personas by journeys[^]*✓ 2\/2/)
    await app.see(/personas by journeys[^]*✓ 1\/1/)
    await app.hover('✓ 2/2')
    await app.see('1 run completed, 2 of 2 sessions')
    await app.press(tabsKeys.bindings.next)
    await app.see(/Of \d sessions \d are graded[^]*Of \d sessions \d are graded/)
    await app.press(tabsKeys.bindings.next, 'enter')
    await app.see('[Runs]')
    await app.press(waveRunsKeys.bindings.open, tabsKeys.bindings.next)
    await app.see(/Of \d sessions \d are graded; every rate is of those/)
  })

  test('that leaves out journeys names the launched ones', async () => {
    const { app, client, projectId, journeyOf } = await openWith('silent')
    await journeyOf()
    await journeyOf({ name: 'Greetings', goal: 'Say hello' })
    await app.press(swarmsKeys.bindings.launch)
    await app.see('4 sessions in all.')
    await app.press('space')
    await app.see('2 sessions in all.')
    await app.press(send)
    await app.see(/Launched (Sums|Greetings)\./)
    expect((await client.journeyRuns.overview({ projectId })).runs).toHaveLength(1)
  })

  test('whose answer was lost is sent again with the same key, and starts nothing twice', async () => {
    const { app, client, projectId, journeyOf, faults } = await openWith('silent')
    const { id: journeyId } = await journeyOf()
    const keys: (string | undefined)[] = []
    faults.instead = (request, pass) => {
      if (request.method !== 'POST' || !request.url.endsWith('/runs')) return undefined
      keys.push(request.headers.get('idempotency-key') ?? undefined)
      if (keys.length > 1) return undefined
      return pass().then(() => Response.json({ code: 'FORBIDDEN', message: 'lost' }, { status: 403 }))
    }
    app.router.replace(inTab('journeys'))
    await app.see('▌Sums')
    await app.press(journeysKeys.bindings.launch)
    await app.see('2 sessions in all.')
    await app.press(send)
    await app.see('Not allowed')
    await app.press(send)
    await app.see('launched before, nothing was started twice')
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBeTruthy()
    expect(keys[1]).toBe(keys[0])
    expect((await client.journeyRuns.list({ projectId, journeyId })).items).toHaveLength(1)
  })

  test('without a target is refused by the service, and the form stays open', async () => {
    const { app, client, projectId, journeyOf } = await openWith('silent')
    const { id: journeyId } = await journeyOf()
    await client.journeys.update({ projectId, journeyId, body: { environmentIds: null } })
    app.router.replace(inTab('journeys'))
    await app.see('▌Sums')
    await app.press(journeysKeys.bindings.launch)
    await app.see('the clients it is pinned to × 2 sessions')
    await app.press(send)
    await app.see('✗')
    await app.see('Launch the wave')
    expect((await client.journeyRuns.list({ projectId, journeyId })).items).toHaveLength(0)
  })
})

describe('a wave in flight', () => {
  test('is read until its own record says that it ended, even if the list said so before', async () => {
    const { app, journeyOf, faults } = await openWith('playing')
    await journeyOf()
    let running: JourneyRun | undefined
    let isListedAsEnded = false
    let late = 0
    faults.instead = (request, pass) => {
      const what = new URL(request.url).pathname.split('/').at(-1)!
      if (request.method !== 'GET' || !/^(journeys-overview|jrn_\w+)$/.test(what)) return undefined
      return pass().then(async response => {
        const body = (await new Response(response.body as string).json()) as JourneyRun & { runs: JourneyRun[] }
        if (what === 'journeys-overview') isListedAsEnded ||= body.runs.some(run => run.status !== 'running')
        else if (running === undefined || body.status === 'running') running = { ...body, status: 'running' }
        // The run is reported with a delay: as in flight again after the list showed it as ended.
        else if (!isListedAsEnded || late++ < 1) return Response.json(running)
        return Response.json(body)
      })
    }
    await app.press(swarmsKeys.bindings.launch)
    await app.see('2 sessions in all.')
    await app.press(send)
    await app.see(/✓ completed +Sums[^]*2 of 2 ended: 2 succeeded/)
    expect(late).toBeGreaterThan(0)
  })

  test('shows its attempts, and is not shown as failed after it was stopped', async () => {
    const { app, journeyOf, agree } = await openWith('silent')
    await journeyOf()
    await app.press(swarmsKeys.bindings.launch)
    await app.see('2 sessions in all.')
    await app.press(send)
    await app.see(/● session 1 running/)
    await app.press(wavesKeys.bindings.stop)
    await app.see('Stop the wave of Sums?')
    await app.see('1 run in flight')
    await agree()
    await app.see('the wave of Sums is stopped.')
    await app.see(/⊘ stopped/)
    await app.see('Someone stopped it, which is no failure.')
    expect(app.frame()).not.toContain('✗ failed')
    await app.press(wavesKeys.bindings.stop)
    await app.see('Nothing of it is in flight.')
  })

  test('has its runs and sessions read again while it runs, wherever they are listed', async () => {
    const { app, journeyOf, faults } = await openWith('silent')
    const { id: journeyId } = await journeyOf()
    await app.press(swarmsKeys.bindings.launch)
    await app.see('2 sessions in all.')
    await app.press(send)
    await app.see(/● session 1 running/)
    const reads = { runs: 0, sessions: 0 }
    faults.instead = request => {
      const what = new URL(request.url).pathname.split('/').at(-1)!
      if (request.method === 'GET' && (what === 'runs' || what === 'sessions')) reads[what] += 1
      return undefined
    }
    app.router.replace({
      ...inTab('journeys'),
      waveId: undefined,
      journeyId,
      journeyPane: 'detail',
      journeyTab: 'runs',
    })
    await app.see(/\[Runs\][^]*● running/)
    await until(
      async () => reads.runs,
      count => count > 2,
    )
    await app.press(waveRunsKeys.bindings.open, tabsKeys.bindings.next, tabsKeys.bindings.next)
    await app.see('[Sessions]')
    await until(
      async () => reads.sessions,
      count => count > 2,
    )
  })

  test('is read until its grades are complete, which come after its end', async () => {
    const { app, journeyOf, faults } = await openWith('playing')
    await journeyOf()
    let isPending = true
    faults.instead = request => {
      if (!request.url.endsWith('/scorecard')) return undefined
      const criterion = { id: 'c', label: 'Sum', passCount: isPending ? 0 : 2, pendingCount: isPending ? 2 : 0 }
      const card = { criteria: [criterion], sessionsTotal: 2, sessionsGraded: isPending ? 0 : 2 }
      return Promise.resolve(Response.json(card))
    }
    await app.press(swarmsKeys.bindings.launch)
    await app.see('2 sessions in all.')
    await app.press(send)
    await app.see(/✓ completed +Sums[^]*2 of 2 ended/)
    await app.press(tabsKeys.bindings.next)
    await app.see('2 sessions not graded yet')
    isPending = false
    await app.see('2 of 2 graded sessions pass')
  })

  test('can be stopped from its swarm, even if the journeys of the swarm cannot be read', async () => {
    const { app, client, projectId, journeyOf, faults, agree } = await openWith('silent')
    // With so little height, the overview of the swarm has no room for its waves, which would read the journeys.
    await app.resize({ width: 100, height: 22 })
    const { id: swarmId } = await client.swarms.create({
      projectId,
      body: { name: 'Flock', sessionsPerTarget: 1, maxTurns: 2 },
    })
    await journeyOf({ swarmId })
    await app.press(appKeys.bindings.refresh)
    await app.see(/Whole project[^]*Flock/)
    app.router.replace({ swarmId })
    await app.see('▌Flock')
    await app.press(swarmsKeys.bindings.launch)
    await app.see('2 sessions in all.')
    await app.press(send)
    await app.see(/● session 1 running/)
    app.router.replace({ swarmId, pane: undefined, tab: undefined })
    await app.see('▌Flock')
    let isClosed = true
    const refused = { code: 'FORBIDDEN', message: 'Not today.' }
    faults.instead = request =>
      isClosed && new URL(request.url).pathname.endsWith('/journeys')
        ? Promise.resolve(Response.json(refused, { status: 403 }))
        : undefined
    await app.press(swarmsKeys.bindings.stop)
    await app.see('Not allowed')
    expect(app.frame()).not.toContain('Nothing of it is in flight.')
    isClosed = false
    await app.press(tabsKeys.bindings.next)
    await app.see(/\[Journeys\][^]*Sums/)
    isClosed = true
    await app.press(swarmsKeys.bindings.stop)
    await app.see('Stop what runs of Flock?')
    await agree()
    await app.see('what runs of Flock is stopped.')
  })

  test('can be stopped while the feature is off, from the wave, its run and its sessions', async () => {
    const { app, testService, client, projectId, journeyOf, agree } = await openWith('silent')
    const { id: journeyId } = await journeyOf()
    await app.press(swarmsKeys.bindings.launch)
    await app.see('2 sessions in all.')
    await app.press(send)
    await app.see(/● session 1 running/)
    const { store } = testService.service
    const { organizationId } = store.projects.get(projectId)!
    const turn = (state: 'on' | 'off') =>
      store.write(() => store.organizationSettings.set(organizationId, gateSetting('swarms'), state))
    turn('off')
    await app.press(appKeys.bindings.refresh)
    await app.see(/Switched off for this/)
    await app.press(tabsKeys.bindings.next, tabsKeys.bindings.next, 'enter', waveRunsKeys.bindings.open)
    await app.see(/\[Progress\] +Scorecard/)
    await app.press(waveRunsKeys.bindings.stop)
    await app.see('Stop the run of Sums?')
    await app.press('escape')
    await app.press(tabsKeys.bindings.next, tabsKeys.bindings.next)
    await app.see('[Sessions]')
    await app.press(runSessionsKeys.bindings.stop)
    await app.see('Stop the run of Sums?')
    await app.press('escape', 'escape', 'escape', 'escape')
    await app.see(/▌Swarms[^]*\[Waves\][^]*● running +Sums/)
    await app.press(wavesKeys.bindings.stop)
    await agree()
    await app.see('every wave in flight is stopped.')
    await app.see(/⊘ stopped +Sums/)
    turn('on')
    expect((await client.journeyRuns.list({ projectId, journeyId })).items).toMatchObject([{ canceled: true }])
  })
})
