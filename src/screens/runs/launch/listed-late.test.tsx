import { expect, onTestFinished, test } from 'vitest'
import { launchStage, slowCase } from '../../../../test/launch-stage.ts'
import { openApp, openService } from '../../../../test/harness.tsx'
import { formKeys } from '../../../components/form/form-keys.ts'
import { runsKeys } from '../bindings.ts'
import { runsRoute } from '../route.ts'

test('a suite whose first run is new is not shown as never run while its runs are read again', async () => {
  const held = Promise.withResolvers<void>()
  let launched = false
  const testService = await openService({
    wrap: fetch => async request => {
      const isList = request.method === 'GET' && /\/eval-(suites\/[^/]+\/)?runs$/.test(new URL(request.url).pathname)
      if (isList && launched) await held.promise
      launched ||= request.method === 'POST' && request.url.endsWith('/eval-runs')
      return await fetch(request)
    },
  })
  onTestFinished(() => testService.close())
  const { suite, projectId } = await launchStage(testService.client)
  const suiteId = await suite('Slow', { tests: [slowCase('long', 60)] })
  const app = await openApp({ testService, place: runsRoute.to({ projectId, suiteId }) })
  onTestFinished(() => app.close())
  await app.see('This suite has not run yet.')
  await app.press(runsKeys.bindings.launch)
  await app.see('Launch 1 trial')
  await app.press(formKeys.bindings.send)
  await app.see('Launched Slow.')
  await app.see('not read yet')
  expect(app.frame()).not.toMatch(/has not run yet|No run is chosen/)
  held.resolve()
  await app.see('▌Run #1')
})
