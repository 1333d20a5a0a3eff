import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { PATIENCE } from '../../../test/patience.ts'
import { record, sighting } from '../../../test/service/graded-waves.ts'
import { LIST_BOUNDS } from '../../api/client/pages.ts'
import { readOnKeys } from '../../components/list/list-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { MOST_EACH } from '../../hooks/use-each.ts'
import { findingsKeys } from './bindings.ts'
import { findingsRoute } from './route.ts'

const { pages } = LIST_BOUNDS
/** Number of pages rendered together if requests are unlimited. */
const TOGETHER = 10

let testService: TestService
let projectId: string
let app: TestApp
/** Replaces the answer to the nth request for the list of findings, based on an existing finding. */
let pageAt: ((nth: number, item: object) => object) | undefined
let finding: object
let requests: number
/** Scenarios that the project has published. The default is those of the service. */
let scenarios: (() => readonly { id: string; name: string }[]) | undefined
/** Number of requests for the findings of each scenario, by its id. */
let asked: Map<string, number>

beforeEach(async () => {
  requests = 0
  pageAt = undefined
  scenarios = undefined
  asked = new Map()
  testService = await openService({
    wrap: fetch => async request => {
      const [, scenarioId] = /\/user-testing\/scenarios\/([^/]+)\/findings$/.exec(new URL(request.url).pathname) ?? []
      if (scenarioId) asked.set(scenarioId, (asked.get(scenarioId) ?? 0) + 1)
      if (scenarios && scenarioId) return Response.json({ items: [] })
      if (scenarios && new URL(request.url).pathname.endsWith('/scenarios'))
        return Response.json({ items: scenarios() })
      if (!pageAt || !new URL(request.url).pathname.endsWith('/journey-findings')) return await fetch(request)
      requests += 1
      return Response.json(pageAt(requests, finding))
    },
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
  record(testService.service.store, { projectId, waveId: 'w', at: 1 }, [sighting('one')])
  finding = (await testService.client.journeyFindings.list({ projectId })).items[0]!
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

async function open(): Promise<void> {
  app = await openApp({ testService, size: { width: 98, height: 40 }, place: findingsRoute.to({ projectId }) })
}

test('an endless list of findings stops at the limits, says that there is more, and continues with a key', async () => {
  pageAt = (nth, item) => ({ items: [{ ...item, id: `f${nth}` }], nextCursor: `c${nth}` })
  await open()
  await app.see(/read \d+ findings of Swarms of the project, there is more; \+ reads on/)
  const read = requests
  expect(read).toBeGreaterThanOrEqual(pages)
  expect(read).toBeLessThan(pages + TOGETHER)
  expect(app.frame()).toContain(`read ${read} findings`)
  expect(app.frame()).toContain('+ more')
  await app.press(findingsKeys.bindings.sources)
  await app.see(`read ${read}, there is more`)
  await app.press(textOverlayKeys.bindings.close, readOnKeys.bindings.more)
  await app.see(frame => !frame.includes(`read ${read} findings`) && frame.includes('reads on'))
  expect(requests - read).toBeGreaterThanOrEqual(pages)
  expect(requests - read).toBeLessThan(pages + TOGETHER)
})

test('pages without new findings stop the list too, which says that there is more', async () => {
  pageAt = nth => ({ items: [], nextCursor: `c${nth}` })
  await open()
  await app.see('read 0 findings of Swarms of the project, there is more; + reads on')
  expect(requests).toBeLessThanOrEqual(2 * LIST_BOUNDS.idlePages)
  expect(app.frame()).not.toContain('have no findings')
  expect(app.frame()).toContain('Nothing on the pages that were read')
})

test('long answers stop the list before the page limit', async () => {
  const text = 'x'.repeat(LIST_BOUNDS.text / 8)
  pageAt = (nth, item) => ({ items: [{ ...item, id: `f${nth}` }], nextCursor: `c${nth}`, text })
  await open()
  await app.see(/read \d findings of Swarms of the project, there is more; \+ reads on/)
  expect(requests).toBe(8)
})

test('a list with a repeated cursor does not count as complete', async () => {
  pageAt = (nth, item) => ({ items: [{ ...item, id: `f${nth}` }], nextCursor: `c${nth % 3}` })
  await open()
  const frame = await app.see(/read \d findings of Swarms of the project, there is more\. The service/)
  expect(frame).not.toContain('reads on')
  expect(requests).toBeLessThan(8)
})

describe('a project with more scenarios than are read automatically', () => {
  beforeEach(() => {
    pageAt = () => ({ items: [] })
  })
  const named = (at: number) => ({ id: `s${at}`, name: `scenario ${at}`, createdAt: 1, updatedAt: 1 })

  test('says that there is more, never counts as complete, and continues with a key', async () => {
    scenarios = () => Array.from({ length: MOST_EACH + 30 }, (_, at) => named(at))
    await open()
    await app.see('read 0 findings of 30 further scenarios, there is more; + reads on')
    expect(app.frame()).not.toContain('Findings come from')
    await vi.waitFor(() => expect(asked.size).toBe(MOST_EACH), PATIENCE)
    await app.press(readOnKeys.bindings.more)
    await app.see('Findings come from graded waves')
    expect(asked.size).toBe(MOST_EACH + 30)
  })

  test('reads a repeated scenario once', async () => {
    scenarios = () => Array.from({ length: 3 * MOST_EACH }, () => named(1))
    await open()
    await app.see('Findings come from graded waves')
    expect([...asked]).toEqual([['s1', 1]])
    await app.press(findingsKeys.bindings.sources)
    await app.see('Scenario: scenario 1')
    expect(app.frame().match(/Scenario: /g)).toHaveLength(1)
  })
})
