import { afterEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import { appKeys } from '../../app/shell/app-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { sessionsKeys } from './bindings.ts'
import { sessionsRoute } from './route.ts'

const keys = sessionsKeys.bindings
let app: TestApp
afterEach(() => app.close())

/** Opens the screen on a workspace with its samples, which has sessions of every source but chat. */
async function open(): Promise<string> {
  let projectId = ''
  const testService = await openService({ samples: true })
  app = await openApp({
    testService,
    place: async client => {
      projectId = (await client.projects.list()).items[0]!.id
      const body = {
        suiteName: 'Reported',
        results: [{ caseTitle: 'Later', passed: true, query: 'What now?', trace: 'Nothing.', startedAt: Date.now() }],
      }
      await client.evalIngest.report({ projectId, body })
      // The samples arrive in parts, after the workspace was opened.
      await until(
        () => client.sessions.list({ projectId, sourceType: 'scenario' }),
        ({ items }) => items.length > 0,
      )
      return sessionsRoute.to({ projectId })
    },
  })
  await app.see('▌Sessions')
  return projectId
}

test('one feed over all sources, and each leads to what it belongs to', async () => {
  await open()
  await app.see(/eval +Later/)
  await app.press(keys.source)
  await app.see('There is no session here.')
  await app.press(keys.source)
  await app.see(/▌visitor/)
  expect(app.frame()).not.toContain('eval  ')
  await app.press(keys.parent)
  await app.see('[6 Scenarios')
  await app.see(/Visitor +/)
  await app.press(appKeys.bindings.last)
  await app.press(keys.source)
  await app.see(/▌eval/)
  await app.press(listKeys.bindings.first)
  await app.see('What now?')
  await app.see('Sessions › Later')
  await app.press(keys.parent)
  await app.see('[4 Runs')
})
