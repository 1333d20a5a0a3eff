import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { LogEntry } from '../../src/service/core/pipeline.ts'
import { echoCase, longCase, open, sandbox, untilEnded } from './harness.ts'

const { clients, hosts, environments, suites, runs, runGroups } = contract

/** A suite with the given number of attached environments. */
async function workspace(
  names: string[],
  tests: object[] = [echoCase('one', 'a')],
  options: Parameters<typeof open>[0] = {},
) {
  const service = await open(options)
  const { api } = service
  const { projectId, serverId } = await sandbox(api)
  const config = { modelId: 'openai/gpt-x', serverIds: [serverId] }
  const client = await api.call(clients.create, { projectId, body: { name: 'Client', config } })
  const body = { name: 'Own', model: 'suite/model', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body })
  const targets: { environmentId: string }[] = []
  for (const name of names) {
    const stack = { name, hostId: client.id }
    const { id } = await api.call(environments.create, { projectId, body: stack })
    await api.call(suites.attachEnvironment, { projectId, suiteId, body: { environmentId: id } })
    targets.push({ environmentId: id })
  }
  const launch = (more: object = {}, key?: string) =>
    api.call(
      runGroups.create,
      { projectId, body: { suiteId, targets, ...more } },
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    )
  const refuse = (more: object = {}) =>
    api.refused(runGroups.create, { projectId, body: { suiteId, targets, ...more } })
  return { ...service, projectId, serverId, suiteId, client, targets, launch, refuse }
}

test('a run group has one run for each target', async () => {
  const { api, projectId, suiteId, targets, launch } = await workspace(['a', 'b', 'c'])
  const answer = await launch({ targets: [...targets, targets[0]], notes: 'all' })
  expect(answer).toMatchObject({ suiteId, outcome: 'started', startedCount: 3, failedCount: 0 })
  expect(answer.targets.map(each => each.target.name)).toEqual(['a', 'b', 'c'])
  for (const { runId, runStatus, environment, target } of answer.targets) {
    expect(runStatus).toBe('running')
    expect(environment).toMatchObject({ id: target.environmentId, revision: 1 })
    expect(await untilEnded(api, projectId, runId!)).toMatchObject({
      result: 'passed',
      runGroupId: answer.runGroupId,
      notes: 'all',
      client: { source: 'environment' },
    })
  }
})

test('clients can be targets of a run group as well', async () => {
  const { api, projectId, suiteId, client, launch, refuse } = await workspace([])
  const other = { name: 'Other', template: 'chatgpt' }
  const second = await api.call(clients.create, { projectId, body: other })
  const attached = [{ host: 'Client' }, { host: 'Other' }]
  await api.call(suites.update, { projectId, suiteId, body: { hosts: attached } })
  const targets = [{ namedHostId: client.id }, { namedHostId: second.id }]
  const answer = await launch({ targets })
  expect(answer.outcome).toBe('started')
  const run = await untilEnded(api, projectId, answer.targets[1]!.runId!)
  expect(run).toMatchObject({ client: { id: second.id, source: 'attached_host' }, environment: null })
  expect(await refuse({ targets: [...targets, { environmentId: 'env_1' }] })).toMatchObject({
    status: 400,
    details: { field: 'targets' },
  })
})

test('a target that cannot run fails alone, but one that is not attached refuses the whole group', async () => {
  const { api, projectId, suiteId, targets, launch, refuse } = await workspace(['a', 'b'])
  const [, second] = targets
  const body = { expectedRevision: 1 }
  await api.call(environments.archive, { projectId, ...second!, body })
  const partial = await launch()
  expect(partial).toMatchObject({
    outcome: 'partial',
    startedCount: 1,
    failedCount: 1,
    targets: [
      { status: 'started' },
      { status: 'failed', error: { code: 'CONFLICT', details: { code: 'ENV_ARCHIVED' } } },
    ],
  })
  expect(await launch({ targets: [second] })).toMatchObject({ outcome: 'failed', startedCount: 0 })
  await untilEnded(api, projectId, partial.targets[0]!.runId!)
  for (const [more, status] of [
    [{ targets: [...targets, { environmentId: 'env_none' }] }, 400],
    [{ targets: [targets[0]], caseIds: ['cas_none'] }, 404],
    [{ suiteId: 'ste_none' }, 404],
    [{ targets: [] }, 400],
  ] as const)
    expect(await refuse(more)).toMatchObject({ status })
  const list = await api.call(runs.list, { projectId, suiteId })
  expect(list.items).toHaveLength(1)
})

test('a group holds one slot until its last run ends', async () => {
  const { api, projectId, suiteId, targets, launch, refuse } = await workspace(['a', 'b', 'c'], [longCase('long', 60)])
  const first = await launch()
  const second = await launch({ targets: [targets[0]] })
  expect(await refuse()).toMatchObject({
    status: 429,
    code: 'RATE_LIMITED',
    details: { reason: 'CONCURRENT_RUN_LIMIT' },
  })
  const body = { suiteId, ...targets[0]! }
  expect(await api.refused(runs.create, { projectId, body })).toMatchObject({ status: 429 })
  const [last, ...others] = first.targets.map(each => each.runId!)
  for (const runId of others) await api.call(runs.cancel, { projectId, runId })
  expect(await api.refused(runs.create, { projectId, body })).toMatchObject({ status: 429 })
  await api.call(runs.cancel, { projectId, runId: last })
  expect(await api.call(runs.create, { projectId, body })).toMatchObject({ status: 'running' })
  expect(second.outcome).toBe('started')
})

test('repeating a group under its key returns the same runs and launches only those that failed to start', async () => {
  const { api, projectId, suiteId, client, targets, launch } = await workspace(['a', 'b'])
  const [, second] = targets
  await api.call(environments.archive, { projectId, ...second!, body: { expectedRevision: 1 } })
  const answers = await Promise.all([launch({}, 'k'), launch({}, 'k'), launch({}, 'k')])
  expect(new Set(answers.map(each => each.runGroupId)).size).toBe(1)
  expect(new Set(answers.map(each => each.targets[0]?.runId)).size).toBe(1)
  expect(answers.filter(each => each.targets[0]?.deduped)).toHaveLength(2)
  await api.call(environments.restore, { projectId, ...second!, body: { expectedRevision: 2 } })
  const again = await launch({}, 'k')
  expect(again).toMatchObject({
    runGroupId: answers[0].runGroupId,
    outcome: 'started',
    targets: [{ deduped: true }, { environment: { revision: 3 } }],
  })
  const body = { suiteId, targets, notes: 'other' }
  const headers = { 'idempotency-key': 'k' }
  expect(await api.refused(runGroups.create, { projectId, body }, { headers })).toMatchObject({
    status: 409,
    details: { field: 'idempotencyKey' },
  })
  await untilEnded(api, projectId, again.targets[1]!.runId!)
  const none = { serverIds: [] }
  await api.call(hosts.setServers, { projectId, hostId: client.id, body: none })
  expect(await launch({}, 'k')).toMatchObject({ outcome: 'started', targets: [{ deduped: true }, { deduped: true }] })
  expect((await api.call(runs.list, { projectId, suiteId })).items).toHaveLength(2)
})

test('a group reports the runs that began although the database failed for one, or for its start', async () => {
  const failures: unknown[] = []
  const log = (entry: LogEntry) => entry.kind === 'failure' && failures.push(entry.error)
  const { launch, refuse, store } = await workspace(['a', 'b', 'c'], undefined, { log, maxConcurrentRuns: 9 })
  const database = new DatabaseSync(store.directory!.database)
  onTestFinished(() => database.close())
  const breaks = (event: string, number: number) =>
    database.exec(`DROP TRIGGER IF EXISTS broken; CREATE TRIGGER broken BEFORE ${event} ON run
      WHEN NEW.number = ${number} BEGIN SELECT RAISE(ABORT, 'broken'); END`)
  const started = { status: 'started' }
  const failed = { status: 'failed', error: { code: 'INTERNAL_ERROR', message: 'The service failed; see its log.' } }
  breaks('INSERT', 3)
  const inserted = await launch()
  expect(inserted).toMatchObject({ outcome: 'partial', targets: [started, started, failed] })
  breaks('UPDATE', 3)
  expect(await launch()).toMatchObject({ outcome: 'partial', targets: [failed, started, started] })
  expect(failures).toMatchObject([{ message: 'broken' }, { message: 'broken' }])
  breaks('INSERT', 6)
  expect(await refuse()).toMatchObject({ status: 500 })
})

test('an environment that changes while its group is launched is not used', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `e${index}`)
  const { api, projectId, targets, launch } = await workspace(names)
  const last = targets.at(-1)!
  const edit = { expectedRevision: 1, modelId: 'x/y' }
  const [answer] = await Promise.all([launch(), api.call(environments.update, { projectId, ...last, body: edit })])
  expect(answer).toMatchObject({ outcome: 'partial', startedCount: 9 })
  expect(answer.targets.at(-1)).toMatchObject({
    status: 'failed',
    error: { code: 'CONFLICT', details: { resolvedRevision: 1, revision: 2 } },
  })
})

test('targets of two kinds are refused with the contract’s reason, before anything is read', async () => {
  const { api, projectId, suiteId, refuse } = await workspace([])
  const targets = [{ environmentId: 'env_none' }, { namedHostId: 'cli_none' }]
  for (const more of [{ targets }, { targets, suiteId: 'ste_none' }])
    expect(await refuse(more)).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: { field: 'targets', reason: 'HETEROGENEOUS_TARGETS' },
    })
  const twice = { ...targets[0], ...targets[1] }
  const { details } = await refuse({ targets: [twice] })
  expect(details).not.toHaveProperty('reason')
  expect((await api.call(runs.list, { projectId, suiteId })).items).toEqual([])
})
