import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { answering } from '../../test/answering.ts'
import { openApp, openService, type TestApp, type TestService } from '../../test/harness.tsx'
import { HOSTED_RECORDS, holding } from '../../test/many-records.ts'
import { settled } from '../../test/sane-frames.ts'
import { until } from '../../test/service/harness.ts'
import type { Fetch } from '../api/client/transport/fetch.ts'
import { panesKeys, tabsKeys } from '../components/component-keys.ts'
import { listKeys } from '../components/list/list-keys.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import type { ScreenDeclaration } from '../tui/router/screen.ts'
import { screens } from './registry.ts'

/** More than the number of panes and tabs of any screen. */
const MOST = 12

type Rest = 'empty' | 'refused'

let service: TestService
let projectId: string
/** The service's answer to further requests; by default its real one. */
let rest: Rest | undefined
let asked: Set<string>
let isOfProjects: boolean

/** A service whose lists for opening a screen contain a record, and whose other lists are empty or unavailable. */
const stage = (fetch: Fetch): Fetch => {
  const filled = answering(HOSTED_RECORDS)(fetch)
  return async request => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'GET') return Response.json({ code: 'FORBIDDEN', message: 'Not here.' }, { status: 403 })
    if (rest === undefined) asked.add(pathname)
    if (asked.has(pathname)) return await holding(1, isOfProjects)(filled)(request)
    if (rest === 'refused') return Response.json({ code: 'INTERNAL_ERROR', message: 'Broken.' }, { status: 500 })
    return await holding(0, isOfProjects)(filled)(request)
  }
}

beforeAll(async () => {
  ;[rest, asked, isOfProjects] = [undefined, new Set(), false]
  service = await openService({ samples: true, wrap: stage })
  projectId = (await service.client.projects.list()).items[0]!.id
  const visits = () => service.client.sessions.list({ projectId, sourceType: 'scenario' })
  await until(visits, ({ items }) => items.length > 0)
})
afterAll(() => service.close())

async function open(screen: ScreenDeclaration, wanted: Rest): Promise<TestApp> {
  ;[rest, asked, isOfProjects] = [undefined, new Set(), screen.route === projectsRoute]
  const place = screen.route.to(isOfProjects ? {} : { projectId })
  const app = await openApp({ testService: service, size: { width: 400, height: 30 }, aloud: true, place })
  onTestFinished(app.close)
  await settled(app)
  rest = wanted
  // Without zoom, the other panes would show above and below the focused one.
  await app.press(panesKeys.bindings.zoom)
  return app
}

/** Returns the focused pane: its title with its tabs, and its content. */
async function paneOf(app: TestApp): Promise<{ name: string; lines: string[] }> {
  const frame = await app.see(text => !/\b(?:Reading|Waiting|Looking|Connecting|Resolving)\b.*…/.test(text))
  const [title = '', ...shown] = frame
    .split('\n')
    .slice(2, -1)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('!'))
  const tabs = shown.findLastIndex(line => /\[[A-Z][\w ]*\](?!.*\d)/.test(line))
  return { name: `${title} ${shown[tabs] ?? ''}`, lines: shown.slice(tabs + 1) }
}

/** Whether there are only sentences: a record would show fields, a list its columns. */
function isWithoutContent(lines: readonly string[]): boolean {
  return lines.length > 0 && lines.length <= 5 && /(?:\.$|^✗)/.test(lines[0]!)
}

/** Returns all panes with their tabs, each once. */
async function panesOf(app: TestApp): Promise<{ name: string; lines: string[] }[]> {
  const seen = new Map<string, { name: string; lines: string[] }>()
  for (let panes = 0; panes < MOST; panes += 1) {
    const first = await paneOf(app)
    if (seen.has(first.name)) break
    for (let pane = first, tabs = 0; !seen.has(pane.name) && tabs < MOST; tabs += 1) {
      seen.set(pane.name, pane)
      await app.press(tabsKeys.bindings.next)
      pane = await paneOf(app)
    }
    await app.press(panesKeys.bindings.next)
  }
  return [...seen.values()]
}

test.each(
  screens.flatMap(screen => (['empty', 'refused'] as const).map(kind => [screen.title, kind, screen] as const)),
)('each pane and tab of %s that is %s says so in a sentence, and names a key', async (_title, kind, screen) => {
  const app = await open(screen, kind)
  const withoutContent = (await panesOf(app)).filter(({ lines }) => isWithoutContent(lines))
  expect(withoutContent.filter(({ lines }) => !lines.some(line => /\bpress \S/i.test(line)))).toEqual([])
})

test.each(screens)('a list of $title that is filtered to nothing names the key to clear the filter', async screen => {
  const app = await open(screen, 'empty')
  if (!app.active().some(({ name, unavailable }) => name === 'list.filter' && !unavailable)) return
  const { lines } = await paneOf(app)
  if (isWithoutContent(lines)) return
  await app.press(listKeys.bindings.filter)
  await app.type('no such thing')
  await app.see(/Nothing matches “no such thing”.*Press Esc to clear the filter/)
})
