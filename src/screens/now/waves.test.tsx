import { expect, onTestFinished, test } from 'vitest'
import { openApp } from '../../../test/harness.tsx'
import { set } from '../../../test/service/graded-waves.ts'
import { KEY } from '../../../test/service/model-runs.ts'
import { scriptedModel } from '../../../test/service/scripted-model.ts'
import { openSwarms } from '../../../test/swarms-stage.ts'
import { until } from '../../../test/service/harness.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { createWaveMemory } from '../../domain/swarms/wave-memory.ts'
import { systemClock } from '../../lib/clock.ts'
import { projectsRoute } from '../projects/route.ts'
import { swarmsRoute } from '../swarms/route.ts'
import { wavesKeys } from '../swarms/bindings.ts'
import { nowKeys } from './bindings.ts'
import { nowRoute } from './route.ts'

/** Creates a wave in flight, launched by someone else, for a program that has not started yet. */
async function flying() {
  const { settings } = await scriptedModel(() => 'silence')
  const stage = await openSwarms({ models: { ...settings, apiKey: KEY, model: 'player' } })
  await stage.app.close()
  const { id: journeyId } = await stage.journeyOf()
  const { client, projectId, testService } = stage
  const run = await client.journeyRuns.launch({ projectId, journeyId, body: { waveId: 'w' } }, { idempotencyKey: 'k' })
  await until(
    () => client.sessions.list({ projectId, sourceType: 'swarm' }),
    ({ items }) => items.length > 0,
  )
  const waves = createWaveMemory({ clock: systemClock })
  const open = async (place = nowRoute.to(), size = { width: 160, height: 40 }) => {
    const app = await openApp({ testService, place, waves, size })
    onTestFinished(() => app.close())
    const agree = async () => {
      await app.see('❯ ')
      await app.press('right', 'enter')
    }
    return { app, agree }
  }
  const gate = (state: 'on' | 'off') => set(testService.service.store, 'gate.swarms', state)
  const read = () => client.journeyRuns.get({ projectId, runId: run.id })
  return { open, gate, read, projectId, waves }
}

test('a wave in flight is on Now, is opened with Enter and stopped with the key that stops a run', async () => {
  const { open, read } = await flying()
  const { app, agree } = await open()
  await app.see(/▌low +● wave running +Sums: 0 of 2 sessions ended/)
  await app.press(nowKeys.bindings.open)
  await app.see('[7 Swarms')
  expect(app.router.current().params).toMatchObject({ waveId: 'w', wavePane: 'detail' })
  await app.press(appKeys.bindings.last)
  await app.see(/▌low +● wave running/)
  await app.press(nowKeys.bindings.stop)
  await app.see('Stop the wave of Sums?')
  await agree()
  await app.see('the wave of Sums is stopped.')
  expect(await read()).toMatchObject({ canceled: true })
  // A run that someone stopped is not a fault.
  await app.see('All clear at')
})

test('the header shows a wave in flight on every screen, and the key for followed runs leads to it', async () => {
  const { open, projectId, read } = await flying()
  const first = await open()
  await first.app.see(/wave running/)
  first.app.router.go(projectsRoute.to({ projectId }))
  await first.app.see('[2 Projects]')
  expect(first.app.frame().split('\n')[0]).toContain('● Sums 0/2')
  await first.app.press(appKeys.bindings.followed)
  await first.app.see('[7 Swarms]')
  await first.app.see(/State +\S+ running/)
  await first.app.press(wavesKeys.bindings.stop)
  await first.agree()
  await first.app.see('is stopped.')
  expect(first.app.frame().split('\n')[0]).not.toContain('Sums 0/2')
  expect(await read()).toMatchObject({ canceled: true })
})

test('with the feature off at the start of the program, an unseen wave is found and stopped', async () => {
  const { open, gate, read } = await flying()
  gate('off')
  const { app, agree } = await open()
  await app.see(/▌low +! wave running\? +Sums: swarms are switched off, so its progress is n/)
  await app.press(nowKeys.bindings.stop)
  await app.see('Stop the wave of Sums?')
  await agree()
  await app.see('the wave of Sums is stopped.')
  gate('on')
  expect(await read()).toMatchObject({ canceled: true })
})

test('with the feature off a wave is also found among those of its project', async () => {
  const { open, gate, projectId, read } = await flying()
  gate('off')
  const { app, agree } = await open(swarmsRoute.to({ projectId, swarmId: projectId, pane: 'detail', tab: 'waves' }))
  await app.see(/! running\? +Sums/)
  await app.press(wavesKeys.bindings.stop)
  await agree()
  await app.see('is stopped.')
  gate('on')
  expect(await read()).toMatchObject({ canceled: true })
})

test('a wave launched from here stays in the header after a start with the feature off', async () => {
  const { open, gate, projectId, waves } = await flying()
  const first = await open()
  await first.app.see(/wave running/)
  await first.app.close()
  gate('off')
  expect(waves.all().get(projectId)).toBeDefined()
  const { app } = await open(projectsRoute.to({ projectId }))
  await app.see('[2 Projects]')
  await app.see('● Sums')
})
