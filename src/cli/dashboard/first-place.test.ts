import { expect, onTestFinished, test } from 'vitest'
import { openService } from '../../../test/harness.tsx'
import { createQueries } from '../../api/client/cache/queries.ts'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import { projectsRoute } from '../../app/places.ts'
import { createRouter } from '../../tui/router/router.ts'
import { beginOnNow } from './opening-place.ts'

test('the first start opens on Now if there are several projects, unless a key was pressed before', async () => {
  const testService = await openService()
  onTestFinished(() => testService.close())
  const { client } = testService
  const queries = createQueries(client)
  const begin = async ({ isPressed = false } = {}): Promise<string> => {
    const [router, queryClient] = [createRouter(projectsRoute.to()), createQueryClient()]
    const stop = beginOnNow({ router, queryClient, queries })
    if (isPressed) stop()
    await queryClient.fetchInfiniteQuery(queries.projects.list.infinite({}))
    return router.current().screen
  }
  expect(await begin()).toBe('projects')
  await client.projects.create({ body: { name: 'Second' } })
  expect(await begin({ isPressed: true })).toBe('projects')
  expect(await begin()).toBe('now')
})
