import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { json } from '../../../test/service/analysis-runs.ts'
import { scriptedModel, type Answer } from '../../../test/service/scripted-model.ts'
import { until } from '../../../test/service/harness.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { runsRoute } from '../runs/route.ts'
import { casesKeys } from './cases-keys.ts'

let answer: Answer
let testService: TestService
let app: TestApp
let asked: readonly unknown[]
/** Number of times the program would have ended. */
let left: number

/** Opens the cases of the sandbox suite, over a service whose model gives this answer. */
beforeEach(async () => {
  const model = await scriptedModel(() => answer)
  ;({ asked } = model)
  testService = await openService({ models: { ...model.settings, model: 'author' } })
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const suiteId = (await client.suites.list({ projectId })).items[0]!.id
  left = 0
  app = await openApp({
    testService,
    place: runsRoute.to({ projectId, suiteId, pane: 'runs', middle: 'cases' }),
    quit: () => void (left += 1),
  })
  await app.see('▌Echo gives the message back')
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

async function generate(): Promise<void> {
  await app.press(casesKeys.bindings.generate)
  await app.see('one of the day’s generations')
  await app.press(formKeys.bindings.send)
}

test('drafts that could not be stored are not reported as a success, and each says why', async () => {
  const turns = [{ prompt: 'Say it', expectedToolCalls: [{ toolName: 'ecko', arguments: {} }] }]
  answer = json({ cases: [{ bucket: 'simple', title: 'Misspelt', turns }] })
  await generate()
  await app.see('0 cases written, 1 draft not stored: Misspelt: There is no tool "ecko".')
  expect(app.frame()).not.toContain('✓ 0 cases')
})

test('waiting for a model that does not answer can be stopped, and quitting asks in the meantime', async () => {
  answer = 'silence'
  await generate()
  await until(
    () => Promise.resolve(asked.length),
    count => count > 0,
  )
  await app.see('A model writes cases…')
  await app.press(appKeys.bindings.quit)
  await app.see(/Quit while this is under way\?[^]*A model writes cases…/)
  expect(left).toBe(0)
  await app.press(appKeys.bindings.stop)
  await app.see(frame => !frame.includes('Quit while this is under way?'))
  await app.see('Stopped waiting for the model.')
  expect(app.frame()).not.toContain('A model writes cases…')
  await app.press(appKeys.bindings.quit)
  expect(left).toBe(1)
})
