import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { answering } from '../../test/answering.ts'
import { openApp, openService, type TestApp, type TestService } from '../../test/harness.tsx'
import { HOSTED_RECORDS, holding } from '../../test/many-records.ts'
import { type Drawn, expectSane, settled } from '../../test/sane-frames.ts'
import { until } from '../../test/service/harness.ts'
import { createBudget } from '../api/client/budget/budget.ts'
import { createClient } from '../api/client/client.ts'
import type { Fetch } from '../api/client/transport/fetch.ts'
import { allEndpoints, API_PREFIX, contract } from '../api/contract/contract.ts'
import { isAtLeast, requiredRole, type AnyEndpoint, type ProjectRole } from '../api/contract/endpoint.ts'
import { panesKeys, tabsKeys } from '../components/component-keys.ts'
import { TWO_PANES_FROM } from '../components/panes/layout.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { makeKey } from '../service/core/access.ts'
import type { ScreenDeclaration } from '../tui/router/screen.ts'
import { legend } from '../tui/theme/legend.ts'
import { createTheme } from '../tui/theme/theme.ts'
import { screens } from './registry.ts'
import { appKeys } from '../components/everywhere-keys.ts'

type Condition = Drawn & {
  /** Number of records in each list. */
  records: number
  /** Number of tabs examined for the selected item. */
  tabs?: number
  readOnly?: boolean
  /** Role of the key. The default is that of the owner. */
  role?: ProjectRole
}

const SMALL = { width: 60, height: 20 }
/** The smallest size at which panes are side by side. */
const BESIDE = { width: TWO_PANES_FROM, height: 30 }
const USUAL = { width: 80, height: 24 }
const WIDE = { width: 120, height: 40 }
const WIDEST = { width: 200, height: 50 }
const MANY = 5000

const CONDITIONS: [name: string, condition: Condition][] = [
  ['60×20 without records', { size: SMALL, records: 0 }],
  ['60×20 with one record', { size: SMALL, records: 1, tabs: 4 }],
  ['80×24 with one record', { size: USUAL, records: 1 }],
  ['120×40 with 5000 records', { size: WIDE, records: MANY }],
  ['200×50, read-only', { size: WIDEST, records: 1, readOnly: true }],
  ['120×40 with the key of a member', { size: WIDE, records: 1, role: 'member' }],
  ['80×24 with the key of a guest', { size: USUAL, records: 1, role: 'guest' }],
  ['read aloud', { size: { width: 1000, height: 24 }, records: 1, aloud: true }],
]
const SENTENCE_ENDS = /[.!:](?= |$)/g
const WHY = /^(?:This session is read-only|This needs the role|mcp\.example does not answer)/

/** Paths of reads that have a body. Tests that start no programs must refuse these too. */
const READS = allEndpoints()
  .filter(({ method, risk }) => method === 'POST' && risk === 'read')
  .map(({ path }) => new RegExp(`^${API_PREFIX}${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`))

let service: TestService
let projectId: string
/** Requests that would change something. The tests of this file may only offer such requests, not send them. */
let writes: string[]
let isDown: boolean
/** Number of requests that arrived while the service was away. */
let unanswered: number
let records: number
let isOfProjects: boolean

/** The real service with the given number of records, which refuses every change. */
const stage = (fetch: Fetch): Fetch => {
  const filled = answering(HOSTED_RECORDS)(fetch)
  return async request => {
    if (isDown) unanswered += 1
    if (isDown)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
    if (request.method === 'GET') return await holding(records, isOfProjects)(filled)(request)
    const { pathname } = new URL(request.url)
    if (!READS.some(path => path.test(pathname))) writes.push(`${request.method} ${pathname}`)
    return Response.json({ code: 'FORBIDDEN', message: 'Nothing is changed here.' }, { status: 403 })
  }
}

beforeAll(async () => {
  ;[writes, isDown, unanswered, records, isOfProjects] = [[], false, 0, MANY, false]
  service = await openService({ samples: true, wrap: stage })
  projectId = (await service.client.projects.list()).items[0]!.id
  // The samples arrive in parts after the workspace was opened.
  const visits = () => service.client.sessions.list({ projectId, sourceType: 'scenario' })
  await until(visits, ({ items }) => items.length > 0)
})
afterAll(() => service.close())

async function open(screen: ScreenDeclaration, condition: Condition, down = false): Promise<TestApp> {
  const { size, readOnly = false, aloud = false, role } = condition
  ;[writes, isDown, unanswered] = [[], down, 0]
  ;[records, isOfProjects] = [condition.records, screen.route === projectsRoute]
  const place = screen.route.to(isOfProjects ? {} : { projectId })
  const testService = role ? { ...service, client: clientOf(role) } : service
  return await openApp({ testService, size, readOnly, aloud, place, hosted: { openBrowser: async () => undefined } })
}

function clientOf(role: ProjectRole) {
  const { key } = makeKey(service.service.store, role, { role })
  const budget = createBudget({ unlimited: true })
  return createClient({ fetch: service.fetch, baseUrl: `http://local.invalid${API_PREFIX}`, key, budget })
}

/** Returns the words between header and footer, without frames. */
function bodyOf(app: TestApp): string {
  const lines = app.frame().split('\n').slice(3, -2)
  return lines
    .map(line => line.replaceAll(/[│╰╯─]/g, ' ').trim())
    .join(' ')
    .replaceAll(/ +/g, ' ')
}

/** Returns the number of listed items. */
function listed(app: TestApp): number | undefined {
  const found = /▌.*? \d+ of (\d+)/.exec(app.frame())?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Returns the keys that need more than this key, session or connection allows, with the reason. */
function heldBack(app: TestApp, { readOnly, role }: Condition): { name: string; why: string | undefined }[] {
  const needy = app.active().filter(({ needs }) => {
    if (needs === undefined) return false
    if (isDown) return true
    if (needs === 'service') return false
    if (readOnly) return true
    const endpoint = endpointOf(needs)
    const needed = endpoint && requiredRole(endpoint)
    return role !== undefined && needed != null && !isAtLeast(role, needed)
  })
  return needy.map(({ name, unavailable }) => ({ name, why: unavailable }))
}

/** Whether the screen itself has a key that changes something. */
function writesOf({ bindings }: ScreenDeclaration): boolean {
  const own = bindings.find(({ scope }) => scope === 'screen')
  return Object.values(own?.bindings ?? {}).some(({ needs }) => needs !== undefined && needs !== 'service')
}

function endpointOf(need: string): AnyEndpoint | undefined {
  const [resource = '', name = ''] = need.split('.')
  return (contract as Readonly<Record<string, Readonly<Record<string, AnyEndpoint>>>>)[resource]?.[name]
}

/** Punctuation and frames, which have no meaning by themselves. */
const NO_SIGN = /[\p{L}\p{N}\s -~\u2500-\u257f“”‘’…×–%]/u
const LEGEND = new Set(legend(createTheme({ level: 0, ascii: false }).symbols).flatMap(([signs]) => signs))

/** Returns every sign on the screen that help does not explain. */
function unexplained(app: TestApp): string[] {
  return [...new Set(app.frame())].filter(sign => !NO_SIGN.test(sign) && !LEGEND.has(sign))
}

describe.each(CONDITIONS)('every screen, %s', (_, condition) => {
  test.each(screens)('the screen $title stays within its frame and shows no nonsense', async screen => {
    const app = await open(screen, condition)
    onTestFinished(app.close)
    await settled(app)
    expectSane(app, condition)
    if (listed(app) === 0) expect(bodyOf(app).match(SENTENCE_ENDS)?.length, app.frame()).toBeGreaterThanOrEqual(2)
    // A list that the contract cannot continue says where it ends.
    if (condition.records === MANY && (listed(app) ?? 0) > 0)
      await app.see(frame => listed(app)! >= MANY || frame.includes(`Only the latest ${listed(app)} are shown`))
    if (condition.records !== MANY) {
      await app.press('enter')
      for (let tab = 0; tab < (condition.tabs ?? 1); tab += 1) {
        await settled(app)
        expectSane(app, condition)
        expect(unexplained(app), app.frame()).toEqual([])
        await app.press(tabsKeys.bindings.next)
      }
    }
    if (condition.role !== 'guest') for (const { name, why } of heldBack(app, condition)) expect(why, name).toMatch(WHY)
    if (condition.readOnly && writesOf(screen)) expect(heldBack(app, condition)).not.toEqual([])
    expect(writes).toEqual([])
  })
})

/** Returns the words of each pane from left to right, if there are several. */
function panesOf(app: TestApp): string[] {
  const lines = app.frame().split('\n').slice(2, -2)
  const borders = [...lines[0]!].flatMap((sign, column) => ('╭┬╮'.includes(sign) ? [column] : []))
  return borders.slice(1).map((end, index) =>
    lines
      .slice(1)
      .map(line =>
        [...line]
          .slice(borders[index]! + 1, end)
          .join('')
          .trim(),
      )
      .join(' '),
  )
}

test.each(screens)(
  'the screen $title without records names a key in each pane, and leads nobody to an empty list',
  async screen => {
    const app = await open(screen, { size: BESIDE, records: 0 })
    onTestFinished(app.close)
    await settled(app)
    if (listed(app) !== 0) return
    // Two of three panes are visible; the last one is visible only while it has the focus. The screen Now says what it
    // has checked.
    for (const keys of [[], [panesKeys.bindings.previous]]) {
      await app.press(...keys)
      for (const pane of panesOf(app).filter(words => !words.startsWith('Checked'))) {
        expect(pane, app.frame()).toMatch(/\bpress \S/i)
        expect(pane, app.frame()).not.toContain('go to the list')
      }
    }
  },
)

test.each(screens)('the screen $title says if the service does not answer, and what to do', async screen => {
  const condition = { size: USUAL, records: 1 }
  const app = await open(screen, condition, true)
  onTestFinished(app.close)
  await settled(app)
  await app.see(frame => unanswered === 0 || /no answer|does not answer/.test(frame))
  expectSane(app, condition)
})

test.each(screens)(
  'the screen $title keeps its data if the service goes away, and says why keys wait',
  async screen => {
    const condition = { size: USUAL, records: 1 }
    const app = await open(screen, condition)
    onTestFinished(app.close)
    await settled(app)
    const before = listed(app)
    isDown = true
    await app.press(appKeys.bindings.refresh)
    // Screens about this machine send no requests.
    if (unanswered === 0) isDown = false
    else {
      await app.see('no answer')
      // A pane may show the failure slightly earlier than the keys.
      await app.see(() => heldBack(app, condition).every(({ why = '' }) => WHY.test(why)))
    }
    expectSane(app, condition)
    expect(listed(app) ?? 0).toBeGreaterThanOrEqual(before ?? 0)
    for (const { name, why } of heldBack(app, condition)) expect(why, name).toMatch(WHY)
  },
)

test.each(screens)('every key of $title that opens something stays within a small frame', async screen => {
  const condition = { size: SMALL, records: 1 }
  const own = screen.bindings
    .filter(({ scope }) => scope === 'screen')
    .flatMap(({ bindings }) => Object.values(bindings))
  for (const binding of own) {
    const app = await open(screen, condition)
    onTestFinished(app.close)
    await settled(app)
    await app.press(binding)
    await settled(app)
    expectSane(app, condition)
    expect(app.frame().split('\n')).toHaveLength(SMALL.height)
  }
})
