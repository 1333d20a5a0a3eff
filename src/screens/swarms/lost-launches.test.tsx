import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openApp } from '../../../test/harness.tsx'
import { KEY } from '../../../test/service/model-runs.ts'
import { scriptedModel } from '../../../test/service/scripted-model.ts'
import { inTab, openSwarms } from '../../../test/swarms-stage.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { openJournal } from '../../api/client/journal/journal.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { createWaveMemory } from '../../domain/swarms/wave-memory.ts'
import { systemClock } from '../../lib/clock.ts'
import { swarmsKeys } from './bindings.ts'
import { swarmsRoute } from './route.ts'

const { send } = formKeys.bindings

/** Opens a program that records its writes. Answers to a launch of `lost` are lost, even if the launch succeeded. */
async function openNoted() {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-lost-'))
  const journal = openJournal({ file: join(directory, 'journal.sqlite'), profile: 'p' })
  const { settings } = await scriptedModel(() => 'silence')
  const stage = await openSwarms({ models: { ...settings, apiKey: KEY, model: 'player' } })
  await stage.app.close()
  const { testService, projectId, faults } = stage
  const lost = { journeyId: '' }
  const keys: (string | null)[] = []
  faults.instead = (request, pass) => {
    if (request.method !== 'POST' || !request.url.endsWith(`/journeys/${lost.journeyId}/runs`)) return undefined
    keys.push(request.headers.get('idempotency-key'))
    return pass().then(() => Promise.reject(new TypeError('fetch failed')))
  }
  const budget = createBudget({ unlimited: true })
  const { fetch, service } = testService
  const client = createClient({
    fetch,
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: service.localKey,
    budget,
    journal,
  })
  const waves = createWaveMemory({ clock: systemClock })
  const open = () => {
    const place = swarmsRoute.to({ projectId, swarmId: projectId, ...inTab('overview') })
    return openApp({ testService: { ...testService, client }, place, waves, access: { journal } })
  }
  onTestFinished(async () => {
    await journal.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return { ...stage, open, lost, keys, journal }
}

test('a form closed after a lost answer and reopened, even after a restart, launches nothing twice', async () => {
  const { open, lost, keys, journal, client, projectId, journeyOf } = await openNoted()
  const sums = await journeyOf()
  const greetings = await journeyOf({ name: 'Greetings', goal: 'Say hello' })
  lost.journeyId = sums.id
  const first = await open()
  await first.see(/Whole project/)
  await first.press('escape')
  await first.press(swarmsKeys.bindings.launch)
  await first.see('4 sessions in all.')
  await first.press(send)
  await first.see(/✗|may have/)
  await first.close()
  expect(keys.length).toBeGreaterThan(0)
  expect(await journal.unresolved()).toHaveLength(1)
  lost.journeyId = ''
  const second = await open()
  await second.see(/Whole project/)
  await second.press('escape')
  await second.press(swarmsKeys.bindings.launch)
  await second.see('An earlier launch may have happened')
  await second.press(send)
  await second.see('launched before, nothing was started twice')
  await second.close()
  for (const { id: journeyId } of [sums, greetings])
    expect((await client.journeyRuns.list({ projectId, journeyId })).items).toHaveLength(1)
  const runs = (await client.journeyRuns.overview({ projectId })).runs!
  expect(new Set(runs.map(({ waveId }) => waveId)).size).toBe(1)
  expect(await journal.unresolved()).toEqual([])
}, 60_000)

test('a journey of a lost wave that was launched before is not reported as launched again', async () => {
  const { open, lost, client, projectId, journeyOf } = await openNoted()
  await journeyOf()
  await journeyOf({ name: 'Greetings', goal: 'Say hello' })
  const [launched, other] = (await client.journeys.list({ projectId })).items
  lost.journeyId = other!.id
  const first = await open()
  await first.see(/Whole project/)
  await first.press('escape')
  await first.press(swarmsKeys.bindings.launch)
  await first.see('4 sessions in all.')
  await first.press(send)
  await first.see(/✗|may have/)
  await first.close()
  lost.journeyId = ''
  const second = await open()
  await second.see(/Whole project/)
  await second.press('escape')
  await second.press(swarmsKeys.bindings.launch)
  await second.see('4 sessions in all.')
  await second.press('down', 'space')
  await second.see('2 sessions in all.')
  await second.press(send)
  await second.see(`${launched!.name}: launched before, nothing was started twice`)
  await second.close()
}, 60_000)
