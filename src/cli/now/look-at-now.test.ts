import { afterAll, beforeAll, expect, test } from 'vitest'
import { openService, type TestService } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createQueries } from '../../api/client/cache/queries.ts'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import { isTerminalRunStatus } from '../../api/contract/runs.ts'
import type { NowSummary } from '../../domain/now/summary.ts'
import type { Workspace } from '../../hooks/workspace.tsx'
import { lookAtNow, type NowLook, createReports, isOver, seenOf, type SeenNow } from './now-command.ts'

let testService: TestService
let projectId: string
/** Requests whose path contains this are refused. */
let refused: string | undefined
beforeAll(async () => {
  testService = await openService({
    wrap: fetch => async request => {
      if (refused === undefined || !request.url.includes(refused)) return await fetch(request)
      const body = JSON.stringify({ code: 'INTERNAL_ERROR', message: 'broken on purpose' })
      return new Response(body, { status: 418, headers: { 'content-type': 'application/json' } })
    },
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
  await testService.client.projects.create({ body: { name: 'Quiet' } })
})
afterAll(() => testService.close())

/** Runs Now until the condition holds, and returns what was reported. */
async function look(holds: (seen: SeenNow) => boolean, projects?: readonly string[]) {
  const { client } = testService
  const budget = createBudget({ unlimited: true })
  const profile = { name: 'local', host: '', local: true, readOnly: false }
  const workspace: Workspace = { client, queries: createQueries(client), budget, profile }
  const reported: NowSummary[] = []
  const reports = createReports({ json: true, write: text => reported.push(JSON.parse(text) as NowSummary) })
  const found = Promise.withResolvers<SeenNow>()
  const onLook = (now: NowLook): void => {
    const seen = seenOf(now, 'local')
    reports.add(seen)
    if (holds(seen)) found.resolve(seen)
  }
  const stop = lookAtNow(workspace, projects, onLook, createQueryClient())
  const { summary } = await found.promise
  reports.end()
  await stop()
  return { summary, reported }
}

test('a failure is red, a failed read is unknown, and a project without problems is clear', async () => {
  const { client } = testService
  const quiet = (await client.projects.list()).items.find(({ name }) => name === 'Quiet')!
  const clear = await look(isOver, [quiet.id])
  expect(clear.summary).toMatchObject({ state: 'clear', items: [], read: { projects: 1, whole: true, missing: [] } })
  expect(clear.reported[0]).toMatchObject({ state: 'unknown' })
  expect(clear.reported.at(-1)).toMatchObject({ state: 'clear' })

  const gone = await look(isOver, [quiet.id, 'prj_gone'])
  expect(gone.summary).toMatchObject({ state: 'unknown', items: [], read: { projects: 1, whole: false } })
  expect(gone.summary.read.missing[0]?.why).toContain('does not reach 1 chosen project')

  const [suite] = (await client.suites.list({ projectId })).items
  const { runId } = await client.runs.create({ projectId, body: { suiteId: suite!.id } })
  await until(
    () => client.runs.get({ projectId, runId }),
    ({ status }) => isTerminalRunStatus(status),
  )
  const red = await look(isOver)
  expect(red.summary).toMatchObject({ version: 1, state: 'red', read: { projects: 2, whole: true } })
  const item = red.summary.items.find(({ kind }) => kind === 'run')
  expect(item).toMatchObject({ red: true, state: 'failed', acknowledged: false, project: { id: projectId } })
  expect(item?.place).toContain(`mcpdeck://local/projects/${projectId}/runs/${runId}`)

  refused = '/eval-suites'
  const unknown = await look(isOver, [quiet.id])
  refused = undefined
  expect(unknown.summary).toMatchObject({ state: 'unknown', read: { whole: false, reading: 0 } })
  expect(unknown.summary.read.missing[0]?.what).toBe('suites in Quiet')
})
