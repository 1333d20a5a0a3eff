import { expect, test } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { followRun } from './follow-run.ts'

test('a run that this process fails to execute ends without a verdict instead of ending the process', async () => {
  const client = createClient({
    async fetch({ url }) {
      const run = { id: 'r1', suiteId: 's1', status: 'running', createdAt: 0 }
      return Response.json(new URL(url).pathname.endsWith('/iterations') ? { items: [] } : run)
    },
    baseUrl: `http://hosted.invalid${API_PREFIX}`,
    budget: createBudget({ unlimited: true }),
  })
  const error = new Error('the disk is gone')
  const place = { projectId: 'p1', runId: 'r1' }
  const followed = await followRun(client, place, {
    interrupt: new AbortController().signal,
    timeout: AbortSignal.timeout(10_000),
    onEvent: () => undefined,
    executed: Promise.reject(error),
  })
  expect(followed).toMatchObject({ kind: 'refused', error, run: { status: 'running' } })
})
