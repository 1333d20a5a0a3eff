import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { appKeys } from '../../components/everywhere-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { listKeys, readOnKeys } from '../../components/list/list-keys.ts'
import { localDay } from '../../lib/times.ts'
import { runsKeys } from './bindings.ts'
import { runsRoute } from './route.ts'
import { readWhen } from './use-run-date.ts'

/** Number of latest runs read automatically, and total number of runs. */
const [PAGE, RUNS] = [100, 130]
const DAY_MS = 24 * 60 * 60_000

let testService: TestService
let app: TestApp
let projectId: string
let isLocal: boolean
/** Number of requests for older runs. */
let requests: number
/** Delays the answers to requests for older runs until the promise resolves. */
let answering: Promise<void>

beforeEach(async () => {
  isLocal = true
  requests = 0
  answering = Promise.resolve()
  testService = await openService({
    wrap: fetch => async request => {
      const { pathname } = new URL(request.url)
      const answer = await fetch(request)
      if (pathname.endsWith('/capabilities') && !isLocal) return { ...answer, body: '{}' }
      if (request.method !== 'GET' || !/\/eval-suites\/\w+\/runs$/.test(pathname)) return answer
      if (pathname.includes('/local/')) {
        requests += 1
        await answering
      }
      const body = JSON.parse(answer.body as string) as Run[] | { items: Run[] }
      return {
        ...answer,
        body: JSON.stringify(Array.isArray(body) ? dated(body) : { ...body, items: dated(body.items) }),
      }
    },
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
  for (let made = 0; made < RUNS; made += 1) await report()
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

type Run = { runNumber: number }

/** Returns the runs with one date for each of the last days. */
function dated(runs: readonly Run[]): object[] {
  return runs.map(run => ({ ...run, createdAt: Date.now() - (RUNS - run.runNumber) * DAY_MS }))
}

async function report(): Promise<void> {
  const body = { suiteName: 'Nightly', results: [{ caseTitle: 'Answers', passed: true }] }
  await testService.client.evalIngest.report({ projectId, body })
}

async function open(): Promise<void> {
  const { items } = await testService.client.suites.list({ projectId })
  const suiteId = items.find(({ name }) => name === 'Nightly')!.id
  const place = runsRoute.to({ projectId, suiteId, pane: 'runs' })
  app = await openApp({ testService, size: { width: 250, height: 40 }, place })
  await app.see(`1 of ${PAGE}`)
}

async function goTo(date: string): Promise<void> {
  await app.press(runsKeys.bindings.date)
  await app.see('Go to a date')
  await app.type(date)
  await app.press(formKeys.bindings.send)
}

test('a partial list of runs shows their number and the key that reads on', async () => {
  await open()
  await app.see(`read ${PAGE} of ${RUNS} runs, there is more; + reads on`)
  await app.press(listKeys.bindings.filter)
  await app.type('#1z')
  await app.see(`Nothing matches “#1z” among the ${PAGE} read; there is more.`)
  await app.press('escape')
  await app.press(readOnKeys.bindings.more)
  await app.see(`1 of ${RUNS}`)
  expect(app.frame()).not.toContain('reads on')
})

test('jumping to a date loads runs back to it and selects one, which stays selected as new runs arrive', async () => {
  await open()
  await goTo(localDay(Date.now() - 10 * DAY_MS))
  await app.see(/▌#120 /)
  expect(requests).toBe(0)
  await goTo('124.5d')
  await app.see(/▌#5 /)
  await report()
  await app.press(appKeys.bindings.refresh)
  await app.see(`127 of ${RUNS + 1}`)
  expect(app.frame()).toMatch(/▌#5 /)
  await goTo('9y')
  await app.see('No run that was read is that old; run #1 is the oldest of them.')
  await app.see(/▌#1 /)
})

test('searching for a date is cancelled with Esc, without leaving the place', async () => {
  await open()
  const { promise, resolve } = Promise.withResolvers<void>()
  answering = promise
  await goTo('9y')
  await app.see('Esc stop looking')
  await app.press('escape')
  await app.see('Stopped looking; what was read stays.')
  resolve()
  expect(app.router.current().params['pane']).toBe('runs')
  expect(app.frame()).not.toContain('stop looking')
})

test('if a service lists only the latest runs, going to a date says that and selects the oldest of them', async () => {
  isLocal = false
  await open()
  await goTo('9y')
  await app.see(`This service lists the latest ${PAGE} runs of a suite only.`)
  await app.see(/▌#31 /)
  expect(requests).toBe(0)
})

test('a date is a day until its end, a time, or an age; other texts are invalid', () => {
  const now = new Date('2026-11-20T12:00:00').getTime()
  expect(readWhen('3d', now)).toBe(now - 3 * DAY_MS)
  expect(readWhen(' 36 hours ago', now)).toBe(now - 1.5 * DAY_MS)
  expect(readWhen('2026-11-01', now)).toBe(new Date('2026-11-01T23:59:59.999').getTime())
  expect(readWhen('2026-11-01 14:30', now)).toBe(new Date('2026-11-01T14:30').getTime())
  for (const text of ['', 'soon', '2026-13-01', '3', '2026-11-01 99:00', '3d or so'])
    expect(readWhen(text, now)).toBeUndefined()
})
