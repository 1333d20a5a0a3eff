import { type QueryCache, useQueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { openApp, openService } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import { nowScreen } from './index.ts'
import { nowRoute } from './route.ts'
import { NowScreen } from './screen.tsx'

test('a key on Now examines hardly any reads, however many there are', async () => {
  const testService = await openService()
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const results = [{ caseTitle: 'Answers', passed: false }]
  const suites = Array.from({ length: 40 }, (_, index) => `Nightly ${index}`)
  for (const suiteName of suites) await client.evalIngest.report({ projectId, body: { suiteName, results } })
  let cache: QueryCache
  function Screen() {
    cache = useQueryClient().getQueryCache()
    return <NowScreen />
  }
  const screens = [{ ...nowScreen, load: async () => Screen }]
  const app = await openApp({ testService, place: nowRoute.to({}), screens })
  try {
    await app.see(/Now 1 of 40/)
    await app.see(frame => !/reading|not read/.test(frame))
    const looks = vi.spyOn(cache!, 'get')
    const counts: number[] = []
    for (const key of ['down', 'down', 'up', 'up']) {
      const { line } = app.router.current().params
      looks.mockClear()
      await app.press(key)
      await until(
        async () => app.router.current().params['line'],
        chosen => chosen !== line,
      )
      counts.push(looks.mock.calls.length)
    }
    expect(Math.min(...counts)).toBeLessThan(suites.length)
  } finally {
    await app.close()
    await testService.close()
  }
})
