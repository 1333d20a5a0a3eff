import { Text } from 'ink'
import { render } from 'ink-testing-library'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../test/harness.tsx'
import { until } from '../../test/service/harness.ts'
import { appKeys } from './everywhere-keys.ts'
import { ThemeProvider } from '../tui/theme/theme-context.tsx'
import { createTheme } from '../tui/theme/theme.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { runsRoute } from '../screens/runs/route.ts'
import { serversRoute } from '../screens/servers/route.ts'
import { PaneState } from './pane-state.tsx'
import { SizeProvider } from './size.tsx'

let testService: TestService
let projectId: string
let app: TestApp | undefined
/** Replaces the answer of the service if it returns one. */
let spoil: (path: string) => Promise<Response> | Response | undefined = () => undefined

beforeEach(async () => {
  spoil = () => undefined
  testService = await openService({
    wrap: fetch => async request => (await spoil(new URL(request.url).pathname)) ?? (await fetch(request)),
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterEach(async () => {
  await app?.close()
  app = undefined
  await testService.close()
})

const SIZES = [
  { width: 80, height: 24 },
  { width: 100, height: 40 },
]
const refused = (status: number, code: string) => () =>
  Response.json({ code, message: 'said by the service' }, { status })
const FAULTS: [string, () => Response, string][] = [
  ['a refused key', refused(401, 'UNAUTHORIZED'), 'Key not accepted'],
  ['a refusal', refused(403, 'FORBIDDEN'), 'Not allowed'],
  ['nothing there', refused(404, 'NOT_FOUND'), 'Not found'],
  ['a fault of the service', refused(500, 'INTERNAL_ERROR'), 'Fault in the service'],
  [
    'a page of a proxy',
    () => new Response('<!doctype html><p>login', { headers: { 'content-type': 'text/html' } }),
    'A web page instead of the service',
  ],
  ['another shape', () => Response.json({ items: 7 }), 'Unexpected answer'],
]

describe.each(SIZES)('on $width×$height', size => {
  test.each(FAULTS)(
    '%s shows in the pane of suites, and the panes beside it say why they are empty',
    async (_, answer, title) => {
      spoil = path => (path.endsWith('/eval-suites') ? answer() : undefined)
      app = await openApp({ testService, size, place: runsRoute.to({ projectId }) })
      await app.see(`✗ ${title}`)
      expect(app.frame()).not.toMatch(/No (suite|run) is chosen/)
      await app.press('l')
      await app.see('Without the suites there is nothing to show')
      await app.press('3')
      await app.see(/everything +stdio/)
    },
  )
})

test.each([
  ['runs', runsRoute, '/eval-suites', 'Waiting for the suites…'],
  ['servers', serversRoute, '/servers', 'Waiting for the saved servers…'],
  ['projects', projectsRoute, '/projects', 'Waiting for the projects…'],
])('while the %s are read, the panes that depend on them say what they wait for', async (_, route, end, words) => {
  const held = Promise.withResolvers<Response>()
  spoil = path => (path.endsWith(end) ? held.promise : undefined)
  app = await openApp({ testService, place: route.to({ projectId }) })
  await app.see(words)
  held.resolve(Response.json({ code: 'FORBIDDEN', message: 'no' }, { status: 403 }))
  await app.see('there is nothing to show')
})

test('a screen without a project says whether there is one to choose', async () => {
  spoil = path => (path.endsWith('/projects') ? refused(401, 'UNAUTHORIZED')() : undefined)
  app = await openApp({ testService, place: runsRoute.to() })
  await app.see('Without the projects there is nothing to show')
})

test('after a failed read, rows and unfinished input stay on screen, below a line with age and reason', async () => {
  app = await openApp({ testService, place: serversRoute.to({ projectId }) })
  await app.see(/everything +stdio/)
  await app.press('/')
  await app.type('eve')
  spoil = path => (path.endsWith('/servers') ? refused(500, 'INTERNAL_ERROR')() : undefined)
  await app.press('enter', appKeys.bindings.refresh)
  await app.press('/')
  await app.see('! Read just now: Fault in the s')
  await app.type('r')
  await app.see('/ever')
  await app.see(/▌everything +stdio/)
  spoil = () => undefined
  await app.press('enter', appKeys.bindings.refresh)
  await app.see(frame => !frame.includes('Fault in the service'))
})

test('the record of a project is shown even if its capabilities cannot be read', async () => {
  spoil = path => (path.endsWith('/capabilities') ? refused(403, 'FORBIDDEN')() : undefined)
  app = await openApp({ testService, place: projectsRoute.to() })
  const frame = await app.see('✗ Not allowed')
  expect(frame).toMatch(/Eval suites +1/)
})

test('data of an earlier session is shown at once, and is marked if it is not read again soon', async () => {
  const { lastFrame, rerender, unmount, frames } = render(<Restored restored />)
  expect(lastFrame()).toContain('the rows')
  expect(lastFrame()).not.toContain('earlier session')
  await until(
    () => lastFrame() ?? '',
    frame => /! Read 2h ago: from an earlier session, being read again…/.test(frame),
  )
  expect(lastFrame()).toContain('the rows')
  rerender(<Restored restored={false} />)
  await until(
    () => frames.at(-1) ?? '',
    frame => !frame.includes('earlier session'),
  )
  unmount()
})

function Restored(props: { restored: boolean }) {
  const data = {
    pending: false,
    hasData: true,
    problem: undefined,
    updatedAt: Date.now() - 2 * 3_600_000,
    restored: props.restored,
  }
  return (
    <ThemeProvider theme={createTheme({ level: 0, ascii: false })}>
      <SizeProvider width={70} height={5}>
        <PaneState data={data} loading="Reading…">
          <Text>the rows</Text>
        </PaneState>
      </SizeProvider>
    </ThemeProvider>
  )
}
