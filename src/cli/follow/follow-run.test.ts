import { expect, test } from 'vitest'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { conclude, NOT_ENDED, sentenceOf } from './conclusion.ts'
import { followRun } from './follow-run.ts'

const place = { projectId: 'p1', runId: 'r1' }

/** A service with a run; `iterations` answers the request for its trials. */
function clientOf(run: object, iterations: (url: URL) => Response) {
  return createClient({
    async fetch({ url }) {
      const at = new URL(url)
      if (at.pathname.endsWith('/iterations')) return iterations(at)
      return Response.json({ id: 'r1', suiteId: 's1', createdAt: 0, ...run })
    },
    baseUrl: `http://hosted.invalid${API_PREFIX}`,
    budget: createBudget({ unlimited: true }),
    retry: { attempts: 1 },
  })
}

const following = () => ({
  interrupt: new AbortController().signal,
  timeout: AbortSignal.timeout(10_000),
  onEvent: () => undefined,
})

test('a run that this process fails to execute ends without a verdict instead of ending the process', async () => {
  const client = clientOf({ status: 'running' }, () => Response.json({ items: [] }))
  const error = new Error('the disk is gone')
  const followed = await followRun(client, place, { ...following(), executed: Promise.reject(error) })
  expect(followed).toMatchObject({ kind: 'refused', error, run: { status: 'running' } })
})

test('a run that is read once is not waited for if the service fails, and keeps what was read', async () => {
  const trial = { id: 't1', iterationNumber: 1, status: 'completed', result: 'passed' }
  const client = clientOf({ status: 'completed', result: 'passed' }, ({ searchParams }) =>
    searchParams.has('cursor')
      ? Response.json({ code: 'INTERNAL_ERROR', message: 'down' }, { status: 503 })
      : Response.json({ items: [trial], nextCursor: 'next' }),
  )
  const followed = await followRun(client, place, { ...following(), once: true })
  expect(followed).toMatchObject({ kind: 'unreachable', run: { result: 'passed' }, trials: [{ id: 't1' }] })
})

test.each([
  [NOT_ENDED, 'No verdict within the time given; its rerun r2 continues.'],
  ['it was cancelled', 'No verdict within the time given.'],
])('a stopped run names its rerun only while that is open: %s', (why, sentence) => {
  const run = { id: 'r1', suiteId: 's', status: 'completed', result: 'failed', createdAt: 0 } as EvalRun
  const followed = { kind: 'timed_out' as const, run, trials: [] }
  const attempts = [{ runId: 'r2', mayHaveRun: true, why }]
  const retried = { attempts, settled: { run, trials: [], flaky: [] } }
  const end = conclude(followed, { gates: [], gatesOnly: false, comparison: undefined, retried })
  expect(sentenceOf(end, followed, true)).toBe(sentence)
})
