import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { answering } from '../../../test/answering.ts'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient } from '../../api/client/client.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { plainHeaders } from '../../api/contract/message.ts'
import type { Fetch } from '../../api/client/transport/fetch.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { confirmKeys, fieldKeys, tabsKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { sessionsKeys } from './bindings.ts'
import { sessionsRoute } from './route.ts'

const keys = sessionsKeys.bindings
type Wrap = (fetch: Fetch) => Fetch

let app: TestApp
afterEach(() => app.close())

/** Opens the screen on a workspace with its samples, which has sessions of every source except chat. */
async function open(options: Parameters<typeof openService>[0] = {}): Promise<string> {
  let projectId = ''
  const testService = await openService({ samples: true, ...options })
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

test('one list has the sessions of all sources, and each leads to its record', async () => {
  await open()
  await app.see(/eval +Later/)
  await app.press(keys.source)
  await app.see('There are no sessions here.')
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

test('a row names the record of its session, if there is room for it', async () => {
  await open()
  await app.resize({ width: 80, height: 24 })
  await app.see(/eval +Later +1 ✓ passed +Reported #1 +\S/)
})

test('sessions of one case are distinguished by trial and result, and runs by their number', async () => {
  const testService = await openService()
  onTestFinished(() => testService.close())
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const trial = (passed: boolean) => ({
    caseTitle: 'Adds',
    caseKey: 'adds',
    passed,
    query: 'Add.',
    startedAt: Date.now(),
  })
  const body = { suiteName: 'A suite of a long name', results: [trial(true), trial(false)] }
  await client.evalIngest.report({ projectId, body })
  app = await openApp({ testService, place: sessionsRoute.to({ projectId }), size: { width: 80, height: 24 } })
  await app.see(/eval +Adds +1 ✓ passed +A suite of a.* #1 /)
  await app.see(/eval +Adds +2 ✗ failed +A suite of a.* #1 /)
})

test('if the rate of requests is limited, only the trials of the first runs are read automatically', async () => {
  const read = new Set<string>()
  const testService = await openService({
    wrap: fetch => async request => {
      const runId = /eval-runs\/(\w+)\/iterations\?/.exec(request.url)?.[1]
      if (runId !== undefined) read.add(runId)
      return await fetch(request)
    },
  })
  onTestFinished(() => testService.close())
  const projectId = (await testService.client.projects.list()).items[0]!.id
  for (let run = 1; run <= 5; run += 1) {
    const results = [{ caseTitle: `Case ${run}`, passed: true, query: 'Add.', startedAt: Date.now() }]
    await testService.client.evalIngest.report({ projectId, body: { suiteName: 'Nightly', results } })
  }
  const client = createClient({
    fetch: testService.fetch,
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: testService.service.localKey,
    budget: createBudget({ capacity: 300, refillPerSecond: 300 }),
  })
  const size = { width: 80, height: 24 }
  app = await openApp({ testService: { ...testService, client }, place: sessionsRoute.to({ projectId }), size })
  await app.see(frame => frame.split('1 ✓ passed').length === 4)
  expect(app.frame()).toMatch(/Case 1 +— +Nightly #1/)
  expect(read.size).toBe(3)
})

test('another source closes the open session, and an untitled session is named by its first message', async () => {
  const items = ['eval', 'scenario'].map(source => ({
    id: `ses_${source}`,
    sourceType: source,
    firstMessagePreview: `Hello ${source}`,
  }))
  const testService = await openService({ wrap: answering({ '/sessions': { items } }) })
  onTestFinished(() => testService.close())
  const projectId = (await testService.client.projects.list()).items[0]!.id
  app = await openApp({ testService, place: sessionsRoute.to({ projectId, sessionId: 'ses_eval', pane: 'detail' }) })
  await app.see('Sessions › Hello eval')
  await app.press(keys.source)
  await app.see('Sessions 1 of 2')
  expect(app.router.current().params['pane']).toBeUndefined()
})

test('a search covers titles or transcripts, says which, and shows the matching text', async () => {
  await open()
  await app.see(/eval +Later/)
  await app.press(keys.search)
  await app.see('Search the sessions')
  await app.type('Boston')
  await app.press('tab', 'down', formKeys.bindings.send)
  await app.see('Transcripts with “Boston”')
  await app.press(keys.open)
  await app.see(/Found in +.*Boston/i)
  await app.press(tabsKeys.bindings.next)
  await app.see(/boston/i)
  await app.press('escape', keys.search)
  await app.see('Search the sessions')
  await app.press(fieldKeys.bindings.clear, 'tab', 'up', formKeys.bindings.send)
  await app.see(/eval +Later/)
  await app.press(keys.search)
  await app.type('nobody said this')
  await app.press(formKeys.bindings.send)
  await app.see('Nothing found in titles.')
})

test.each(['eval', 'scenario', 'swarm'] as const)('a session of the source %s shows its messages', async source => {
  const projectId = await open()
  const { items } = await app.client.sessions.list({ projectId, sourceType: source })
  const session = items.find(({ cumulativeToolCallCount }) => cumulativeToolCallCount) ?? items[0]!
  app.router.replace({ source, sessionId: session.id, pane: 'detail', tab: 'transcript' })
  const said = session.firstMessagePreview!.split(' ').slice(0, 3).join(' ')
  // The outcome is above the messages, if its source reports one.
  if (source === 'swarm') await app.see(/Outcome +\S (succeeded|failed)[^]*▾ user/)
  if (source === 'eval') await app.see(/(No recorded step failed|✗ .+ failed)[^]*▾ user/)
  await app.see(new RegExp(`▾ user[^]*${said.replaceAll(/[^\w ]/g, '.')}[^]*▾ assistant`))
})

test('the trace of a trial is read only after its run has ended, so that it is complete', async () => {
  let isRunning = true
  let traces = 0
  const wrap: Wrap = fetch => async request => {
    const response = await fetch(request)
    if (request.url.endsWith('/trace')) traces += 1
    if (!isRunning || !/\/eval-runs\/\w+$/.test(request.url)) return response
    const run = JSON.parse(response.body as string) as object
    return { ...response, body: JSON.stringify({ ...run, status: 'running', result: 'pending' }) }
  }
  await open({ wrap })
  await app.see(/eval +Later/)
  await app.press(keys.source, keys.source, keys.source)
  await app.see(/▌eval/)
  await app.press(listKeys.bindings.first, keys.open, tabsKeys.bindings.next)
  await app.see('The transcript appears when the run ends.')
  expect(traces).toBe(0)
  isRunning = false
  await app.see('▾ assistant')
})

test('a session of a wave that is not exported yet is searched for again', async () => {
  let isEmpty = true
  const wrap: Wrap = fetch => async request => {
    const response = await fetch(request)
    const isExport = request.url.includes('/trace-exports/otlp')
    return isEmpty && isExport ? { ...response, headers: plainHeaders({}), body: '{"resourceSpans":[]}' } : response
  }
  const projectId = await open({ wrap })
  const [session] = (await app.client.sessions.list({ projectId, sourceType: 'swarm' })).items
  app.router.replace({ source: 'swarm', sessionId: session!.id, pane: 'detail', tab: 'transcript' })
  await app.see('The trace export does not contain this session.')
  isEmpty = false
  await app.press(tabsKeys.bindings.previous)
  await app.see('Belongs to')
  await app.press(tabsKeys.bindings.next)
  await app.see('▾ user')
})

test('a session of a wave, opened while it ran, shows its end and is green only if it met its goal', async () => {
  let session: object = { outcome: 'running' }
  const wrap: Wrap = fetch => async request => {
    const response = await fetch(request)
    if (!/\/journey-runs\/\w+\/sessions/.test(request.url)) return response
    const { items } = JSON.parse(response.body as string) as { items: object[] }
    return { ...response, body: JSON.stringify({ items: items.map(each => ({ ...each, ...session })) }) }
  }
  const projectId = await open({ wrap })
  const [first] = (await app.client.sessions.list({ projectId, sourceType: 'swarm' })).items
  app.router.replace({ source: 'swarm', sessionId: first!.id, pane: 'detail', tab: 'transcript' })
  await app.see(/Outcome +● running/)
  session = { outcome: 'succeeded', goalScore: { score: 0.2, passed: false, reason: 'No date.' } }
  await app.see(/Outcome +came to its end[^]*Goal +✗ 0\.20: No date\.[^]*Criteria +not known of a single session/)
})

test.each([false, true])(
  'the transcript of a wave is beside its session only without a rate limit (%s)',
  async unlimited => {
    let exports = 0
    const testService = await openService({
      samples: true,
      wrap: fetch => async request => {
        if (request.url.includes('/trace-exports/')) exports += 1
        return await fetch(request)
      },
    })
    onTestFinished(testService.close)
    const projectId = (await testService.client.projects.list()).items[0]!.id
    const [session] = await until(
      async () => (await testService.client.sessions.list({ projectId, sourceType: 'swarm' })).items,
      items => items.length > 0,
    )
    const place = sessionsRoute.to({ projectId, source: 'swarm', sessionId: session!.id, pane: 'detail' })
    const client = createClient({
      fetch: testService.fetch,
      baseUrl: `http://local.invalid${API_PREFIX}`,
      key: testService.service.localKey,
      budget: createBudget({ unlimited, capacity: 300, refillPerSecond: 300 }),
    })
    app = await openApp({ testService: { ...testService, client }, place, size: { width: 240, height: 40 } })
    await app.see('Belongs to')
    if (!unlimited) {
      // A read would have been sent by the time help was shown and closed.
      await app.press('f1')
      await app.see('What works here')
      await app.press('f1')
      await app.see('Belongs to')
      expect(exports).toBe(0)
      await app.press(tabsKeys.bindings.next)
    }
    await app.see('▾ user')
    expect(exports).toBeGreaterThan(0)
  },
)

test('an answer that does not repeat the scope does not count as a search of transcripts', async () => {
  const testService = await openService({
    wrap: fetch => async request => {
      if (!/\/sessions(?:\?|$)/.test(request.url)) return await fetch(request)
      return Response.json({ items: [{ id: 'ses_x', sourceType: 'eval', title: 'Not asked for' }] })
    },
  })
  app = await openApp({
    testService,
    place: async client => sessionsRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
  })
  await app.see('Not asked for')
  app.router.replace({ q: 'x', scope: 'transcripts' })
  await app.see('This service does not search')
  expect(app.frame()).not.toContain('Not asked for')
  app.router.replace({ q: 'x', scope: 'titles' })
  await app.see('Not asked for')
})

test('traces are exported to a file that is replaced only after a question', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-traces-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'traces.jsonl')
  await open()
  const exported = async (): Promise<void> => {
    await app.press(keys.export)
    await app.see('Export traces')
    await app.press(fieldKeys.bindings.clear)
    await app.type(file)
    await app.press(formKeys.bindings.send)
  }
  await exported()
  await app.see(/Wrote the traces of \d+ sessions/)
  const first = readFileSync(file, 'utf8')
  const pages = first.trimEnd().split('\n')
  expect(pages.flatMap(page => Object.keys(JSON.parse(page) as object))).toEqual(pages.map(() => 'resourceSpans'))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  writeFileSync(file, 'mine')
  await exported()
  await app.see('The file exists')
  await app.press(confirmKeys.bindings.choose)
  await app.see('Export traces')
  expect(readFileSync(file, 'utf8')).toBe('mine')
  await app.press(formKeys.bindings.send)
  await app.see('The file exists')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('Wrote the traces of')
  expect(readdirSync(directory)).toEqual(['traces.jsonl'])
  expect(readFileSync(file, 'utf8')).toBe(first)
})

test('an export that fails keeps the existing file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-traces-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'traces.jsonl')
  writeFileSync(file, 'mine')
  let pages = 0
  const testService = await openService({
    wrap: fetch => async request => {
      if (!request.url.includes('/trace-exports/')) return await fetch(request)
      pages += 1
      if (pages > 1) return Response.json({ code: 'VALIDATION_ERROR', message: 'no more' }, { status: 400 })
      return Response.json({ resourceSpans: [] }, { headers: { 'x-mcpjam-next-cursor': 'more' } })
    },
  })
  app = await openApp({
    testService,
    place: async client => sessionsRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
  })
  await app.see('There are no sessions here.')
  await app.press(keys.export)
  await app.see('Export traces')
  await app.press(fieldKeys.bindings.clear)
  await app.type(file)
  await app.press(formKeys.bindings.send)
  await app.see('The file exists')
  await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  await app.see('Export traces')
  expect(pages).toBe(2)
  expect(readdirSync(directory)).toEqual(['traces.jsonl'])
  expect(readFileSync(file, 'utf8')).toBe('mine')
})
