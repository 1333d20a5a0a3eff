import { expect, test } from 'vitest'
import { overWeb } from '../../../test/web.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { liveSessionsOf } from './read-back.ts'

test.each([
  ['the service', 0, { code: 'NOT_FOUND', message: 'No metrics.' }],
  ['a proxy', undefined, 'Not Found'],
])('if %s answers that there is nothing, the number of live sessions is %s', async (_, sessions, body) => {
  const client = createClient({
    baseUrl: 'http://service.test/api/v1',
    budget: createBudget({ unlimited: true }),
    fetch: overWeb(async ({ url }) =>
      url.includes('metrics') ? Response.json(body, { status: 404 }) : Response.json({ items: [] }),
    ),
  })
  await client.projects.list()
  expect(await liveSessionsOf(client, { projectId: 'p', scenarioId: 's' })).toBe(sessions)
})
