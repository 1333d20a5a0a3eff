import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../../test/harness.tsx'
import { LIST_BOUNDS } from '../../../api/client/pages.ts'
import { panesKeys } from '../../../components/component-keys.ts'
import { readOnKeys } from '../../../components/list/list-keys.ts'
import { runsRoute } from '../route.ts'

let testService: TestService
let app: TestApp
/** A passed trial, repeated endlessly. */
let trial: object | undefined
let requests = 0

beforeEach(async () => {
  trial = undefined
  requests = 0
  testService = await openService({
    wrap: fetch => async request => {
      if (!trial || !new URL(request.url).pathname.endsWith('/iterations')) return await fetch(request)
      requests += 1
      const items = [{ ...trial, id: `t${requests}`, iterationNumber: requests }]
      return Response.json({ items, nextCursor: `c${requests}` })
    },
  })
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

test('an endless list of trials stops at the limits, is never called complete, and continues with a key', async () => {
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const body = {
    suiteName: 'Endless',
    serverNames: [],
    framework: 'vitest',
    results: [{ caseTitle: 'right', passed: true }],
  }
  const answer = await client.evalIngest.report({ projectId, body })
  const { runId, suiteId } = answer as { runId: string; suiteId: string }
  trial = (await client.iterations.list({ projectId, runId })).items[0]!
  const at = (tab: string) => runsRoute.to({ projectId, suiteId, runId, pane: 'run', tab })
  app = await openApp({ testService, size: { width: 120, height: 40 }, place: at('trials') })
  await app.see('▌Run #')
  await app.press(panesKeys.bindings.zoom)
  await app.see(/read \d+ trials, there is more; \+ reads on/)
  const read = requests
  expect(read).toBeLessThan(LIST_BOUNDS.pages + 10)
  await app.press(readOnKeys.bindings.more)
  await app.see(frame => /read \d+ trials/.test(frame) && !frame.includes(`read ${read} trials`))
  expect(requests - read).toBeLessThan(LIST_BOUNDS.pages + 10)
  app.router.replace({ tab: 'summary' })
  await app.see(/\(of \d+ loaded/)
})
